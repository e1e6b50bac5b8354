#include "core/redis/connections/keychain.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QLibrary>

#include <qt6keychain/keychain.h>

namespace latchkey::connections {

using base::ErrorKind;
using base::failure;
using base::Result;
using base::Text;

namespace {

const QString service = QStringLiteral("Latchkey");

/// Determines whether the keychain is locked. For a missing entry QtKeychain reports the same for a locked and an
/// unlocked keychain, but the user can unlock a locked one. Other kinds of keychains count as unlocked, because they
/// report a lock themselves.
void checkWhetherLocked(QObject &context, std::function<void(bool)> done)
{
    QDBusMessage question = QDBusMessage::createMethodCall(
        QStringLiteral("org.freedesktop.secrets"), QStringLiteral("/org/freedesktop/secrets/aliases/default"),
        QStringLiteral("org.freedesktop.DBus.Properties"), QStringLiteral("Get"));
    question.setArguments({QStringLiteral("org.freedesktop.Secret.Collection"), QStringLiteral("Locked")});
    question.setAutoStartService(false);
    auto *answer = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(question), &context);
    QObject::connect(answer, &QDBusPendingCallWatcher::finished, &context, [answer, done = std::move(done)] {
        const QDBusPendingReply<QDBusVariant> reply = *answer;
        answer->deleteLater();
        done(reply.isValid() && reply.value().variant().toBool());
    });
}

enum class Attempt : quint8 { Reading, Keeping, Removing };

/// Returns an error with the operation, the server, the reason and what to do.
base::Error errorOf(Attempt attempt, const QString &server, const Text &why)
{
    switch (attempt) {
    case Attempt::Reading:
        return base::Error {ErrorKind::Local, Text(QT_TRANSLATE_NOOP("core", "%1, or give the password by hand"), why)}
            .during(Text(QT_TRANSLATE_NOOP("core", "reading the password of \"%1\" from the keychain"), server));
    case Attempt::Keeping:
        return base::Error {ErrorKind::Local,
                            Text(QT_TRANSLATE_NOOP("core", "%1, or keep the server without its password"), why)}
            .during(Text(QT_TRANSLATE_NOOP("core", "keeping the password of \"%1\" in the keychain"), server));
    case Attempt::Removing:
        break;
    }
    return base::Error {ErrorKind::Local, why}.during(
        Text(QT_TRANSLATE_NOOP("core", "removing the password of \"%1\" from the keychain"), server));
}

Text lockedText()
{
    return Text(QT_TRANSLATE_NOOP("core", "the keychain is locked; unlock it and try again"));
}

Text reasonOf(const QKeychain::Job &job)
{
    switch (job.error()) {
    case QKeychain::AccessDenied:
        return lockedText();
    case QKeychain::AccessDeniedByUser:
    case QKeychain::CouldNotDeleteEntry:
        return Text(QT_TRANSLATE_NOOP("core", "the keychain refused access; allow it there and try again"));
    default:
        return Text(QT_TRANSLATE_NOOP("core", "no keychain answers (%1); start the desktop's and try again"),
                    job.errorString().simplified());
    }
}

/// Keeps the program running when the message bus ends. GLib, which QtKeychain uses for the bus, ends the program by
/// default, and a lock that the program holds after logout would be lost. The bus connection already exists and is
/// used until the program ends, so one call is enough.
void surviveBusDisconnect()
{
    using BusGetSync = void *(*)(int type, void *cancellable, void **error);
    using SetExitOnClose = void (*)(void *connection, int exits);
    constexpr int sessionBus = 2;
    static void *connection = nullptr;
    if (connection != nullptr)
        return;
    QLibrary gio(QStringLiteral("gio-2.0"), 0);
    const auto get = reinterpret_cast<BusGetSync>(gio.resolve("g_bus_get_sync"));
    const auto setExitOnClose = reinterpret_cast<SetExitOnClose>(gio.resolve("g_dbus_connection_set_exit_on_close"));
    if (get == nullptr || setExitOnClose == nullptr)
        return;
    connection = get(sessionBus, nullptr, nullptr);
    if (connection != nullptr)
        setExitOnClose(connection, 0);
}

void start(QKeychain::Job &job, const QString &server, QObject &context, std::function<void()> done)
{
    job.setKey(server);
    QObject::connect(&job, &QKeychain::Job::finished, &context, [&job, done = std::move(done)] {
        if (job.error() != QKeychain::OtherError) // The message bus may be missing, and the search for it takes time.
            surviveBusDisconnect();
        done();
    });
    job.start(); // The job deletes itself when it has finished.
}

/// Reads the entry. Absent if the keychain is unlocked and has no such entry.
void readEntry(Attempt attempt, const QString &server, QObject &context,
               std::function<void(const Result<std::optional<Secrets>> &)> done)
{
    auto *job = new QKeychain::ReadPasswordJob(service);
    start(*job, server, context, [job, attempt, server, &context, done = std::move(done)] {
        if (job->error() == QKeychain::NoError)
            return done(std::optional(Secrets::fromBytes(job->textData().toUtf8())));
        if (job->error() != QKeychain::EntryNotFound)
            return done(failure(errorOf(attempt, server, reasonOf(*job))));
        checkWhetherLocked(context, [attempt, server, done](bool isLocked) {
            if (isLocked)
                done(failure(errorOf(attempt, server, lockedText())));
            else
                done(std::optional<Secrets>());
        });
    });
}

} // namespace

bool isKeychainBuiltIn()
{
    return true;
}

void readKeychain(const QString &server, QObject &context, std::function<void(const Result<Secrets> &)> done)
{
    constexpr auto attempt = Attempt::Reading;
    readEntry(attempt, server, context, [server, done = std::move(done)](const auto &found) {
        if (!found)
            done(failure(found.error()));
        else if (*found)
            done(**found);
        else
            done(failure(errorOf(
                attempt, server,
                Text(QT_TRANSLATE_NOOP("core", "the keychain has none; enter it anew where the server is kept")))));
    });
}

void writeKeychain(const QString &server, const Secrets &secrets, QObject &context,
                   std::function<void(const Result<void> &)> done)
{
    auto *job = new QKeychain::WritePasswordJob(service);
    job->setTextData(QString::fromUtf8(secrets.toBytes()));
    start(*job, server, context, [job, server, done = std::move(done)] {
        if (job->error() == QKeychain::NoError)
            done({});
        else
            done(failure(errorOf(Attempt::Keeping, server, reasonOf(*job))));
    });
}

void clearKeychain(const QString &server, QObject &context, std::function<void(const Result<void> &)> done)
{
    constexpr auto attempt = Attempt::Removing;
    // GNOME's keychain reports success for the removal of a locked entry, but keeps the entry. Reading first makes the
    // keychain ask the user to unlock it.
    readEntry(attempt, server, context, [server, &context, done = std::move(done)](const auto &found) {
        if (!found)
            return done(failure(found.error()));
        if (!*found)
            return done({});
        auto *job = new QKeychain::DeletePasswordJob(service);
        start(*job, server, context, [job, server, done] {
            if (job->error() == QKeychain::NoError || job->error() == QKeychain::EntryNotFound)
                done({});
            else
                done(failure(errorOf(attempt, server, reasonOf(*job))));
        });
    });
}

} // namespace latchkey::connections

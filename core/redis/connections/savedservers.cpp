#include "core/redis/connections/savedservers.h"

#include "core/redis/connections/keychain.h"

#include <QPointer>

namespace latchkey::connections {

using base::Result;
using connections::SavedConnection;
using connections::SavedConnections;

namespace {

using Done = std::function<void(const Result<void> &)>;

/// Returns a callback that does nothing after the destruction of the context. The work on the keychain does not depend
/// on the context.
Done whileExists(QObject &context, Done done)
{
    return [context = QPointer(&context), done = std::move(done)](const Result<void> &result) {
        if (context)
            done(result);
    };
}

/// Returns the name of the keychain entry of the replaced server. Empty if it has none.
QString nameInKeychain(const SavedConnections &saved, const QString &replaced)
{
    const SavedConnection *old = replaced.isEmpty() ? nullptr : saved.find(replaced);
    return old != nullptr && old->hasSecrets ? old->name : QString();
}

/// Updates the saved servers after the new secrets were written to the keychain.
void putAndForgetOld(SavedConnections &saved, const SavedConnection &server, const QString &replaced,
                     const QString &oldName, const Done &done)
{
    const auto put = saved.put(server, replaced);
    // The name that is not saved: the old name after a success, otherwise the new one.
    const QString unknown = put ? oldName : server.name;
    if (unknown.isEmpty() || oldName == server.name)
        return done(put);
    clearKeychain(unknown, saved, [done, put](const Result<void> &cleared) { done(put ? cleared : put); });
}

void write(SavedConnections &saved, const SavedConnection &server, const QString &replaced, const QString &oldName,
           const Secrets &secrets, const Done &done)
{
    writeKeychain(server.name, secrets, saved, [&saved, server, replaced, oldName, done](const Result<void> &written) {
        if (!written)
            return done(written);
        putAndForgetOld(saved, server, replaced, oldName, done);
    });
}

} // namespace

void saveServer(SavedConnections &saved, const SavedConnection &server, const QString &replaced, const Secrets &secrets,
                QObject &context, Done done)
{
    const Done report = whileExists(context, std::move(done));
    // Checked before the keychain is changed, because it may have another server's secrets under that name.
    saved.reload();
    if (auto checked = saved.check(server, replaced); !checked)
        return report(checked);
    const QString oldName = nameInKeychain(saved, replaced);
    const bool isNothingNew = secrets.isEmpty() && (oldName.isEmpty() || oldName == server.name);
    if (!server.hasSecrets || isNothingNew) {
        SavedConnection stored = server;
        stored.hasSecrets = server.hasSecrets && !oldName.isEmpty();
        const auto put = saved.put(stored, replaced);
        if (!put || stored.hasSecrets || oldName.isEmpty())
            return report(put);
        return clearKeychain(oldName, saved, report);
    }
    if (oldName.isEmpty())
        return write(saved, server, replaced, oldName, secrets, report);
    readKeychain(oldName, saved, [&saved, server, replaced, oldName, secrets, report](const Result<Secrets> &old) {
        // With new secrets, a failure to read the old ones is no error.
        if (!old && secrets.isEmpty())
            return report(base::failure(old.error()));
        write(saved, server, replaced, oldName, old ? secrets.withDefaults(*old) : secrets, report);
    });
}

void removeServer(SavedConnections &saved, const QString &name, QObject &context, Done done)
{
    const Done report = whileExists(context, std::move(done));
    const QString inKeychain = nameInKeychain(saved, name);
    const auto removed = saved.remove(name);
    if (!removed || inKeychain.isEmpty())
        return report(removed);
    clearKeychain(inKeychain, saved, report);
}

} // namespace latchkey::connections

#include "ui/shell/connections/serverdialog.h"

#include "core/foundation/base/bytes.h"
#include "core/inspect/inspection/watchrules.h"
#include "core/redis/connections/keychain.h"
#include "core/redis/connections/pastedserver.h"
#include "core/redis/connections/savedservers.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/connections/servertexts.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::connections {

using latchkey::connections::ColourMark;
using latchkey::connections::Environment;
using latchkey::connections::SavedConnection;
using net::Session;

namespace {

constexpr int textWidth = 520;

/// Returns the parts of an endpoint as they were parsed.
QString partsOf(const net::Endpoint &endpoint, bool isKept)
{
    QStringList parts;
    if (endpoint.transport == net::Endpoint::Transport::Unix)
        parts += ServerDialog::tr("socket %1").arg(endpoint.path);
    else if (endpoint.sentinels)
        parts += ServerDialog::tr("primary \"%1\" of %n sentinel(s)", nullptr,
                                  static_cast<int>(endpoint.sentinels->others.size() + 1))
                     .arg(base::printable(endpoint.sentinels->master.toUtf8()));
    else
        parts += ServerDialog::tr("host %1, port %2").arg(endpoint.host).arg(endpoint.port);
    if (endpoint.tls)
        parts += ServerDialog::tr("with TLS");
    if (endpoint.database != 0)
        parts += ServerDialog::tr("database %1").arg(endpoint.database);
    parts += endpoint.user.isEmpty() ? ServerDialog::tr("as the default user")
                                     : ServerDialog::tr("as %1").arg(endpoint.user);
    QString text = parts.join(ServerDialog::tr(", "));
    if (!latchkey::connections::Secrets::of(endpoint).isEmpty())
        text += isKept ? ServerDialog::tr(". The password is stored in the keychain, not in a file.")
                       : ServerDialog::tr(". The password is used for the test and not saved.");
    return text;
}

} // namespace

ServerDialog::ServerDialog(theme::Appearance &appearance, latchkey::connections::SavedConnections &book,
                           const base::Clock &clock, base::RandomSource &random, const SavedConnection &server,
                           QString replaced, QWidget *parent)
    : QDialog(parent)
    , m_appearance(appearance)
    , m_book(book)
    , m_clock(clock)
    , m_random(random)
    , m_replaced(std::move(replaced))
    , m_hasSecrets(server.hasSecrets && !m_replaced.isEmpty())
    , m_name(new QLineEdit(this))
    , m_place(new QLineEdit(this))
    , m_parts(widgets::makePlainLabel(QStringLiteral("secondary"), {}, this))
    , m_form(new QFormLayout)
    , m_password(new QLineEdit(this))
    , m_keep(new QCheckBox(tr("&Keep the password in the keychain"), this))
    , m_proxyPassword(new QLineEdit(this))
    , m_sentinelPassword(new QLineEdit(this))
    , m_environment(new QComboBox(this))
    , m_group(new QLineEdit(this))
    , m_mark(new QComboBox(this))
    , m_test(new QPushButton(tr("&Test"), this))
    , m_result(widgets::makePlainLabel(QStringLiteral("serverResult"), {}, this))
    , m_watcher(new QPushButton(tr("&Copy ACL SETUSER for a read-only user"), this))
    , m_save(new QPushButton(tr("&Save"), this))
{
    setObjectName(QStringLiteral("serverDialog"));
    setWindowTitle(m_replaced.isEmpty() ? tr("Save a server") : tr("Change %1").arg(m_replaced));
    fill(server);
    fillPasswords(server);
    arrange();
    connect(m_name, &QLineEdit::textChanged, this, &ServerDialog::refresh);
    for (const QLineEdit *field : {m_place, m_password, m_proxyPassword, m_sentinelPassword})
        connect(field, &QLineEdit::textChanged, this, &ServerDialog::forgetTest);
    connect(m_keep, &QCheckBox::toggled, this, &ServerDialog::forgetTest);
    connect(m_test, &QPushButton::clicked, this, &ServerDialog::test);
    connect(m_watcher, &QPushButton::clicked, this, &ServerDialog::copyWatcherLine);
    connect(m_save, &QPushButton::clicked, this, &ServerDialog::save);
    refresh();
    m_name->setFocus();
}

ServerDialog::~ServerDialog() = default;

void ServerDialog::fill(const SavedConnection &server)
{
    m_name->setObjectName(QStringLiteral("keptName"));
    m_name->setText(server.name);
    m_name->setPlaceholderText(tr("orders, production"));
    m_place->setObjectName(QStringLiteral("serverPlace"));
    m_place->setText(server.endpoint.toUrl());
    m_place->setFont(m_appearance.monospaced());
    m_place->setToolTip(tr("A URL, or a redis-cli command line"));
    m_environment->setObjectName(QStringLiteral("serverEnvironment"));
    for (const Environment environment : latchkey::connections::environments)
        m_environment->addItem(environment == Environment::Unspecified ? tr("not specified") : textOf(environment),
                               QVariant::fromValue(static_cast<int>(environment)));
    m_environment->setCurrentIndex(static_cast<int>(server.environment));
    m_environment->setToolTip(tr("Writes to a production server must be confirmed with its name."));
    m_group->setObjectName(QStringLiteral("serverGroup"));
    m_group->setText(server.group);
    m_group->setPlaceholderText(tr("none"));
    m_mark->setObjectName(QStringLiteral("serverMark"));
    for (const ColourMark mark : latchkey::connections::marks) {
        QPixmap dot(10, 10);
        const QColor colour = colourOf(mark, m_appearance.theme());
        dot.fill(colour.isValid() ? colour : QColor(Qt::transparent));
        m_mark->addItem(QIcon(dot), mark == ColourMark::None ? tr("none") : textOf(mark));
    }
    m_mark->setCurrentIndex(static_cast<int>(server.mark));
    m_test->setObjectName(QStringLiteral("serverTest"));
    m_watcher->setObjectName(QStringLiteral("serverWatcher"));
    m_watcher->setProperty("kind", QStringLiteral("quiet"));
    m_watcher->setToolTip(tr("Creates a user that can watch everything and change nothing"));
    m_save->setObjectName(QStringLiteral("serverSave"));
    m_save->setProperty("kind", QStringLiteral("primary"));
    m_save->setDefault(true);
}

void ServerDialog::fillPasswords(const SavedConnection &server)
{
    m_password->setObjectName(QStringLiteral("serverPassword"));
    m_password->setText(server.endpoint.password);
    m_proxyPassword->setObjectName(QStringLiteral("serverProxyPassword"));
    if (server.endpoint.proxy)
        m_proxyPassword->setText(server.endpoint.proxy->password);
    m_sentinelPassword->setObjectName(QStringLiteral("serverSentinelPassword"));
    if (server.endpoint.sentinels)
        m_sentinelPassword->setText(server.endpoint.sentinels->password);
    for (QLineEdit *field : {m_password, m_proxyPassword, m_sentinelPassword}) {
        field->setEchoMode(QLineEdit::Password);
        field->setPlaceholderText(m_hasSecrets ? tr("in the keychain") : tr("none, or ask"));
    }
    m_keep->setObjectName(QStringLiteral("serverKeepPassword"));
    m_keep->setChecked(m_hasSecrets);
    m_keep->setEnabled(latchkey::connections::isKeychainBuiltIn());
    m_keep->setToolTip(
        latchkey::connections::isKeychainBuiltIn()
            ? tr("The keychain of the desktop, such as GNOME Keyring or KWallet. Latchkey's files do not contain it.")
            : tr("This Latchkey was built without QtKeychain."));
}

void ServerDialog::arrange()
{
    auto *cancel = new QPushButton(tr("Cancel"), this);
    cancel->setObjectName(QStringLiteral("serverCancel"));
    cancel->setAutoDefault(false);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    for (QPushButton *button : {m_test, m_watcher})
        button->setAutoDefault(false);
    m_parts->setWordWrap(true);
    m_result->setWordWrap(true);
    for (QLabel *label : {m_parts, m_result})
        label->setMinimumWidth(textWidth);
    auto *password = new QHBoxLayout;
    password->setSpacing(16);
    password->addWidget(m_password, 1);
    password->addWidget(m_keep);
    m_form->setHorizontalSpacing(16);
    m_form->setVerticalSpacing(10);
    m_form->addRow(tr("&Name"), m_name);
    m_form->addRow(tr("&Where"), m_place);
    m_form->addRow(QString(), m_parts);
    auto *passwordLabel = new QLabel(tr("&Password"), this);
    passwordLabel->setBuddy(m_password);
    m_form->addRow(passwordLabel, password);
    m_form->addRow(tr("Pro&xy's password"), m_proxyPassword);
    m_form->addRow(tr("Sent&inels' password"), m_sentinelPassword);
    m_form->addRow(tr("&Environment"), m_environment);
    m_form->addRow(tr("&Group"), m_group);
    m_form->addRow(tr("Co&lour"), m_mark);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_test);
    buttons->addWidget(m_watcher);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_save);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 20, 24, 16);
    layout->setSpacing(14);
    layout->addLayout(m_form);
    layout->addWidget(m_result);
    layout->addLayout(buttons);
}

base::Result<SavedConnection> ServerDialog::server() const
{
    return latchkey::connections::endpointFromPasted(m_place->text()).map([this](net::Endpoint endpoint) {
        // The password field takes precedence over a password in the URL.
        if (!m_password->text().isEmpty())
            endpoint.password = m_password->text();
        if (endpoint.proxy && !m_proxyPassword->text().isEmpty())
            endpoint.proxy->password = m_proxyPassword->text();
        if (endpoint.sentinels && !m_sentinelPassword->text().isEmpty())
            endpoint.sentinels->password = m_sentinelPassword->text();
        return SavedConnection {
            m_name->text().simplified(),
            endpoint,
            latchkey::connections::environments.at(static_cast<std::size_t>(m_environment->currentIndex())),
            m_group->text().simplified(),
            latchkey::connections::marks.at(static_cast<std::size_t>(m_mark->currentIndex())),
            m_keep->isChecked()};
    });
}

void ServerDialog::refresh()
{
    const auto said = server();
    m_parts->setText(said ? widgets::sentence(partsOf(said->endpoint, said->hasSecrets))
                          : widgets::sentence(said.error().message()));
    m_form->setRowVisible(m_proxyPassword, said && said->endpoint.proxy);
    m_form->setRowVisible(m_sentinelPassword, said && said->endpoint.sentinels);
    m_test->setEnabled(said.has_value());
    m_test->setText(m_session ? tr("&Stop") : tr("&Test"));
    m_save->setEnabled(said.has_value() && !said->name.isEmpty() && !m_isSaving);
}

/// Clears the result of the test, because the input has changed.
void ServerDialog::forgetTest()
{
    ++m_asked;
    m_session.reset();
    m_result->clear();
    m_tested = {};
    refresh();
}

/// Tests the connection like a real one: name lookup, TLS, password and first commands.
void ServerDialog::test()
{
    if (m_session)
        return endTest({}, true);
    const auto said = server();
    if (!said)
        return;
    if (!m_hasSecrets || !said->hasSecrets || !latchkey::connections::lacksSecrets(said->endpoint))
        return begin(said->endpoint);
    say(tr("Waiting for the keychain…"));
    latchkey::connections::readKeychain(
        m_replaced, *this, [this, number = ++m_asked, endpoint = said->endpoint](const auto &found) {
            if (number != m_asked)
                return;
            if (found)
                begin(found->filledIn(endpoint));
            else
                say(widgets::fullSentence(found.error().message()), QStringLiteral("critical"));
        });
}

void ServerDialog::begin(const net::Endpoint &endpoint)
{
    m_session = std::make_unique<Session>(endpoint, m_clock, m_random);
    connect(m_session.get(), &Session::stateChanged, this, [this](Session::State state) {
        if (state == Session::State::Waiting)
            endTest(widgets::fullSentence(m_session->lastError()->message()), false);
    });
    connect(m_session.get(), &Session::roundTripMeasured, this, [this](std::chrono::nanoseconds roundTrip) {
        m_tested = m_session->server();
        const double milliseconds = std::chrono::duration<double, std::milli>(roundTrip).count();
        endTest(
            tr("%1 answers within %2 ms.").arg(m_session->server().display(), QLocale().toString(milliseconds, 'f', 2)),
            true);
    });
    say(tr("Trying…"));
    m_session->start();
    refresh();
}

void ServerDialog::endTest(const QString &result, bool isGood)
{
    m_session->disconnect(this);
    m_session.release()->deleteLater(); // Deleted later, because it is the sender.
    say(result, isGood ? QStringLiteral("good") : QStringLiteral("critical"));
    refresh();
}

void ServerDialog::say(const QString &result, const QString &tone)
{
    m_result->setText(result);
    widgets::restyle(*m_result, "tone", tone);
}

void ServerDialog::copyWatcherLine()
{
    const auto said = server();
    QGuiApplication::clipboard()->setText(
        inspection::WatchRules::aclLine(QStringLiteral("latchkey"), said ? said->endpoint.database : 0, m_tested));
    say(m_tested.version.isNull() ? tr("Copied, for a server of version 7.0 or later. After a test it is the line "
                                       "for that server's version.")
                                  : tr("Copied, for version %1.").arg(m_tested.version.toString()));
}

void ServerDialog::save()
{
    const auto said = server();
    if (!said)
        return;
    m_isSaving = true;
    refresh();
    if (said->hasSecrets || m_hasSecrets)
        say(tr("Waiting for the keychain…"));
    latchkey::connections::keepServer(m_book, *said, m_replaced, latchkey::connections::Secrets::of(said->endpoint),
                                      *this, [this, name = said->name](const auto &saved) { endSaving(saved, name); });
}

void ServerDialog::endSaving(const base::Result<void> &saved, const QString &name)
{
    if (saved)
        return accept();
    m_isSaving = false;
    say(widgets::fullSentence(saved.error().message()), QStringLiteral("critical"));
    // The server may have been saved although the keychain failed to remove an old password.
    if (!m_replaced.isEmpty() && m_book.find(m_replaced) == nullptr)
        m_replaced = name;
    const SavedConnection *kept = m_book.find(m_replaced);
    m_hasSecrets = kept != nullptr && kept->hasSecrets;
    refresh();
}

} // namespace latchkey::ui::connections

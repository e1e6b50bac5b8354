#include "ui/shell/connections/serverdialog.h"

#include "core/foundation/base/bytes.h"
#include "core/inspect/inspection/commandallowlist.h"
#include "core/redis/connections/keychain.h"
#include "core/redis/connections/pastedserver.h"
#include "core/redis/connections/savedservers.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/connections/endpointform.h"
#include "ui/shell/connections/servertexts.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QVBoxLayout>

namespace latchkey::ui::connections {

using latchkey::connections::ColourMark;
using latchkey::connections::Environment;
using latchkey::connections::SavedConnection;

namespace {

constexpr int textWidth = 560;

QString sentinelsText(const net::SentinelGroup &sentinels)
{
    const auto count = static_cast<int>(sentinels.others.size() + 1);
    const QString text = count == 1 ? ServerDialog::tr("primary \"%1\" of 1 sentinel")
                                    : ServerDialog::tr("primary \"%1\" of %n sentinels", nullptr, count);
    return text.arg(base::printable(sentinels.master.toUtf8()));
}

/// Returns the parts of an endpoint as they were parsed.
QString partsOf(const net::Endpoint &endpoint, bool isKept)
{
    QStringList parts;
    if (endpoint.transport == net::Endpoint::Transport::Unix)
        parts += ServerDialog::tr("socket %1").arg(endpoint.path);
    else if (endpoint.sentinels)
        parts += sentinelsText(*endpoint.sentinels);
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

ServerDialog::ServerDialog(theme::Appearance &appearance, latchkey::connections::SavedConnections &savedConnections,
                           const base::Clock &clock, base::RandomSource &random, const SavedConnection &server,
                           QString replaced, QWidget *parent)
    : QDialog(parent)
    , m_appearance(appearance)
    , m_savedConnections(savedConnections)
    , m_replaced(std::move(replaced))
    , m_endpoint(server.endpoint)
    , m_hasSecrets(server.hasSecrets && !m_replaced.isEmpty())
    , m_name(new QLineEdit(this))
    , m_url(new QLineEdit(this))
    , m_fields(new EndpointForm(this))
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
    , m_connectionTest(clock, random)
{
    setObjectName(QStringLiteral("serverDialog"));
    setWindowTitle(m_replaced.isEmpty() ? tr("Save a server") : tr("Change %1").arg(m_replaced));
    fill(server);
    fillPasswords(server);
    nameButtons();
    setUpLayout();
    showUrl();
    m_fields->setEndpoint(server.endpoint);
    connect(m_name, &QLineEdit::textChanged, this, &ServerDialog::refresh);
    connect(m_url, &QLineEdit::textChanged, this, &ServerDialog::urlEdited);
    connect(m_url, &QLineEdit::editingFinished, this, &ServerDialog::showUrl);
    connect(m_fields, &EndpointForm::edited, this, &ServerDialog::fieldsEdited);
    for (const QLineEdit *field : {m_password, m_proxyPassword, m_sentinelPassword})
        connect(field, &QLineEdit::textChanged, this, &ServerDialog::forgetTest);
    connect(m_keep, &QCheckBox::toggled, this, &ServerDialog::forgetTest);
    connect(m_test, &QPushButton::clicked, this, &ServerDialog::test);
    connect(&m_connectionTest, &ConnectionTest::progressed, this, [this](const QString &step) { showResult(step); });
    connect(&m_connectionTest, &ConnectionTest::ended, this, &ServerDialog::showResult);
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
    m_url->setObjectName(QStringLiteral("serverPlace"));
    m_url->setFont(m_appearance.monospaced());
    m_url->setToolTip(tr("A URL, or a redis-cli command line"));
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

void ServerDialog::nameButtons()
{
    m_test->setObjectName(QStringLiteral("serverTest"));
    m_watcher->setObjectName(QStringLiteral("serverWatcher"));
    m_watcher->setProperty("kind", QStringLiteral("quiet"));
    m_watcher->setToolTip(tr("Creates a user that can watch everything and change nothing"));
    m_save->setObjectName(QStringLiteral("serverSave"));
    m_save->setProperty("kind", QStringLiteral("primary"));
    m_save->setDefault(true);
}

void ServerDialog::setUpLayout()
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
    auto *userLabel = new QLabel(tr("Use&r"), this);
    userLabel->setBuddy(&m_fields->user());
    auto *passwordLabel = new QLabel(tr("&Password"), this);
    passwordLabel->setBuddy(m_password);
    auto *login = new QHBoxLayout;
    login->setSpacing(10);
    login->addWidget(&m_fields->user(), 1);
    login->addWidget(passwordLabel);
    login->addWidget(m_password, 1);
    m_form->setHorizontalSpacing(16);
    m_form->setVerticalSpacing(8);
    m_form->addRow(tr("&Name"), m_name);
    m_form->addRow(tr("&URL"), m_url);
    m_form->addRow(QString(), m_parts);
    m_fields->addRowsTo(*m_form);
    m_form->addRow(userLabel, login);
    m_form->addRow(QString(), m_keep);
    m_form->addRow(tr("Pro&xy's password"), m_proxyPassword);
    m_form->addRow(tr("Sent&inels' password"), m_sentinelPassword);
    auto *environmentLabel = new QLabel(tr("&Environment"), this);
    environmentLabel->setBuddy(m_environment);
    m_form->addRow(environmentLabel, makeLabels());
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

/// Returns the row with the environment, the group and the colour.
QHBoxLayout *ServerDialog::makeLabels()
{
    auto *group = new QLabel(tr("&Group"), this);
    group->setBuddy(m_group);
    auto *mark = new QLabel(tr("Co&lour"), this);
    mark->setBuddy(m_mark);
    auto *labels = new QHBoxLayout;
    labels->setSpacing(10);
    labels->addWidget(m_environment);
    labels->addWidget(group);
    labels->addWidget(m_group, 1);
    labels->addWidget(mark);
    labels->addWidget(m_mark);
    return labels;
}

void ServerDialog::urlEdited()
{
    if (m_isFollowing)
        return;
    m_endpoint = latchkey::connections::parsePastedServer(m_url->text());
    if (m_endpoint) {
        const QScopedValueRollback following(m_isFollowing, true);
        m_fields->setEndpoint(*m_endpoint);
        if (!m_endpoint->password.isEmpty())
            m_password->setText(m_endpoint->password);
        if (m_endpoint->proxy && !m_endpoint->proxy->password.isEmpty())
            m_proxyPassword->setText(m_endpoint->proxy->password);
        if (m_endpoint->sentinels && !m_endpoint->sentinels->password.isEmpty())
            m_sentinelPassword->setText(m_endpoint->sentinels->password);
    }
    forgetTest();
}

void ServerDialog::fieldsEdited()
{
    m_endpoint = m_fields->endpoint();
    if (m_endpoint && m_endpoint->proxy && !m_endpoint->proxy->password.isEmpty())
        m_proxyPassword->setText(m_endpoint->proxy->password);
    showUrl();
    forgetTest();
}

void ServerDialog::showUrl()
{
    if (!m_endpoint)
        return;
    const QScopedValueRollback following(m_isFollowing, true);
    if (const QString url = m_endpoint->toUrl(); url != m_url->text())
        m_url->setText(url);
}

QString ServerDialog::savedName() const
{
    return m_name->text().simplified();
}

base::Result<SavedConnection> ServerDialog::server() const
{
    return m_endpoint.map([this](net::Endpoint endpoint) {
        // Both sides have moved their passwords to the password fields.
        endpoint.password = m_password->text();
        if (endpoint.proxy)
            endpoint.proxy->password = m_proxyPassword->text();
        if (endpoint.sentinels)
            endpoint.sentinels->password = m_sentinelPassword->text();
        return SavedConnection {
            savedName(),
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
    m_test->setText(m_connectionTest.isRunning() ? tr("&Stop") : tr("&Test"));
    m_save->setEnabled(said.has_value() && !said->name.isEmpty() && !m_isSaving);
}

void ServerDialog::say(const QString &result, const QString &tone)
{
    m_result->setText(result);
    widgets::restyle(*m_result, "tone", tone);
}

/// Shows a result of the test, and whether it is running.
void ServerDialog::showResult(const QString &result, const QString &tone)
{
    say(result, tone);
    refresh();
}

/// Clears the result of the test, because the input has changed.
void ServerDialog::forgetTest()
{
    m_connectionTest.reset();
    m_result->clear();
    refresh();
}

void ServerDialog::test()
{
    if (m_connectionTest.isRunning())
        return m_connectionTest.stop();
    const auto said = server();
    if (!said)
        return;
    if (m_hasSecrets && said->hasSecrets && latchkey::connections::lacksSecrets(said->endpoint))
        m_connectionTest.startWithKeychain(m_replaced, said->endpoint);
    else
        m_connectionTest.start(said->endpoint);
}

void ServerDialog::copyWatcherLine()
{
    const auto said = server();
    const resp::ServerInfo &tested = m_connectionTest.server();
    QGuiApplication::clipboard()->setText(
        inspection::CommandAllowlist::aclLine(QStringLiteral("latchkey"), said ? said->endpoint.database : 0, tested));
    say(tested.version.isNull() ? tr("Copied, for a server of version 7.0 or later. After a test it is the line "
                                     "for that server's version.")
                                : tr("Copied, for version %1.").arg(tested.version.toString()));
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
    latchkey::connections::saveServer(m_savedConnections, *said, m_replaced,
                                      latchkey::connections::Secrets::of(said->endpoint), *this,
                                      [this, name = said->name](const auto &saved) { endSaving(saved, name); });
}

void ServerDialog::endSaving(const base::Result<void> &saved, const QString &name)
{
    if (saved)
        return accept();
    m_isSaving = false;
    say(widgets::fullSentence(saved.error().message()), QStringLiteral("critical"));
    // The server may have been saved although the keychain failed to remove an old password.
    if (!m_replaced.isEmpty() && m_savedConnections.find(m_replaced) == nullptr)
        m_replaced = name;
    const SavedConnection *known = m_savedConnections.find(m_replaced);
    m_hasSecrets = known != nullptr && known->hasSecrets;
    refresh();
}

} // namespace latchkey::ui::connections

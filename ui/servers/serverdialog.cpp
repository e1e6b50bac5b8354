#include "ui/servers/serverdialog.h"

#include "core/inspection/watchrules.h"
#include "core/servers/pastedserver.h"
#include "ui/servers/words.h"
#include "ui/widgets/plaintext.h"
#include "ui/widgets/restyle.h"
#include "ui/widgets/sentence.h"

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

namespace latchkey::ui::servers {

using latchkey::servers::Environment;
using latchkey::servers::KeptServer;
using latchkey::servers::Mark;
using resp::Session;

namespace {

constexpr int textWidth = 520;

/// What a place has been read as, part by part.
QString partsOf(const resp::Endpoint &endpoint)
{
    QStringList parts;
    if (endpoint.transport == resp::Endpoint::Transport::Unix)
        parts += ServerDialog::tr("socket %1").arg(endpoint.path);
    else
        parts += ServerDialog::tr("host %1, port %2").arg(endpoint.host).arg(endpoint.port);
    if (endpoint.tls)
        parts += ServerDialog::tr("with TLS");
    if (endpoint.database != 0)
        parts += ServerDialog::tr("database %1").arg(endpoint.database);
    parts += endpoint.user.isEmpty() ? ServerDialog::tr("as the default user")
                                     : ServerDialog::tr("as %1").arg(endpoint.user);
    QString text = parts.join(ServerDialog::tr(", "));
    if (!endpoint.password.isEmpty())
        text += ServerDialog::tr(". The password serves the test and is not kept: it is asked for.");
    return text;
}

} // namespace

ServerDialog::ServerDialog(theme::Appearance &appearance, latchkey::servers::ServerBook &book, const base::Clock &clock,
                           base::RandomSource &random, const KeptServer &server, QString replaced, QWidget *parent)
    : QDialog(parent)
    , m_appearance(appearance)
    , m_book(book)
    , m_clock(clock)
    , m_random(random)
    , m_replaced(std::move(replaced))
    , m_name(new QLineEdit(this))
    , m_place(new QLineEdit(this))
    , m_parts(widgets::makePlainLabel(QStringLiteral("secondary"), {}, this))
    , m_environment(new QComboBox(this))
    , m_group(new QLineEdit(this))
    , m_mark(new QComboBox(this))
    , m_test(new QPushButton(tr("&Test"), this))
    , m_result(widgets::makePlainLabel(QStringLiteral("serverResult"), {}, this))
    , m_watcher(new QPushButton(tr("&Copy the “ACL SETUSER” line of a watcher"), this))
    , m_save(new QPushButton(tr("&Save"), this))
{
    setObjectName(QStringLiteral("serverDialog"));
    setWindowTitle(m_replaced.isEmpty() ? tr("Keep a server") : tr("Change %1").arg(m_replaced));
    fill(server);
    arrange();
    connect(m_name, &QLineEdit::textChanged, this, &ServerDialog::refresh);
    connect(m_place, &QLineEdit::textChanged, this, [this] {
        m_session.reset();
        m_result->clear();
        m_version = {};
        refresh();
    });
    connect(m_test, &QPushButton::clicked, this, &ServerDialog::test);
    connect(m_watcher, &QPushButton::clicked, this, &ServerDialog::copyWatcherLine);
    connect(m_save, &QPushButton::clicked, this, &ServerDialog::save);
    refresh();
    m_name->setFocus();
}

ServerDialog::~ServerDialog() = default;

void ServerDialog::fill(const KeptServer &server)
{
    m_name->setObjectName(QStringLiteral("keptName"));
    m_name->setText(server.name);
    m_name->setPlaceholderText(tr("orders, production"));
    m_place->setObjectName(QStringLiteral("serverPlace"));
    m_place->setText(server.endpoint.toUrl());
    m_place->setFont(m_appearance.monospaced());
    m_place->setToolTip(tr("A URL, or a redis-cli command line"));
    m_environment->setObjectName(QStringLiteral("serverEnvironment"));
    for (const Environment environment : latchkey::servers::environments)
        m_environment->addItem(environment == Environment::Unsaid ? tr("not said") : textOf(environment),
                               QVariant::fromValue(static_cast<int>(environment)));
    m_environment->setCurrentIndex(static_cast<int>(server.environment));
    m_environment->setToolTip(tr("Before anything is written to a production server its name has to be typed."));
    m_group->setObjectName(QStringLiteral("serverGroup"));
    m_group->setText(server.group);
    m_group->setPlaceholderText(tr("none"));
    m_mark->setObjectName(QStringLiteral("serverMark"));
    for (const Mark mark : latchkey::servers::marks) {
        QPixmap dot(10, 10);
        const QColor colour = colourOf(mark, m_appearance.theme());
        dot.fill(colour.isValid() ? colour : QColor(Qt::transparent));
        m_mark->addItem(QIcon(dot), mark == Mark::None ? tr("none") : textOf(mark));
    }
    m_mark->setCurrentIndex(static_cast<int>(server.mark));
    m_test->setObjectName(QStringLiteral("serverTest"));
    m_watcher->setObjectName(QStringLiteral("serverWatcher"));
    m_watcher->setProperty("kind", QStringLiteral("quiet"));
    m_watcher->setToolTip(tr("For a user of the server who may watch everything and change nothing"));
    m_save->setObjectName(QStringLiteral("serverSave"));
    m_save->setProperty("kind", QStringLiteral("primary"));
    m_save->setDefault(true);
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
    auto *form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(10);
    form->addRow(tr("&Name"), m_name);
    form->addRow(tr("&Where"), m_place);
    form->addRow(QString(), m_parts);
    form->addRow(tr("&Environment"), m_environment);
    form->addRow(tr("&Group"), m_group);
    form->addRow(tr("Co&lour"), m_mark);
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
    layout->addLayout(form);
    layout->addWidget(m_result);
    layout->addLayout(buttons);
}

base::Result<KeptServer> ServerDialog::server() const
{
    return latchkey::servers::endpointFromPasted(m_place->text()).map([this](const resp::Endpoint &endpoint) {
        return KeptServer {m_name->text().simplified(), endpoint,
                           latchkey::servers::environments.at(static_cast<std::size_t>(m_environment->currentIndex())),
                           m_group->text().simplified(),
                           latchkey::servers::marks.at(static_cast<std::size_t>(m_mark->currentIndex()))};
    });
}

void ServerDialog::refresh()
{
    const auto said = server();
    m_parts->setText(said ? widgets::sentence(partsOf(said->endpoint)) : widgets::sentence(said.error().message()));
    m_test->setEnabled(said.has_value());
    m_test->setText(m_session ? tr("&Stop") : tr("&Test"));
    m_save->setEnabled(said.has_value() && !said->name.isEmpty());
}

/// As it would be connected to: the name is looked up, TLS is spoken, the password and the first commands are tried.
void ServerDialog::test()
{
    if (m_session)
        return endTest({}, true);
    const auto said = server();
    if (!said)
        return;
    m_session = std::make_unique<Session>(said->endpoint, m_clock, m_random);
    connect(m_session.get(), &Session::stateChanged, this, [this](Session::State state) {
        if (state == Session::State::Waiting)
            endTest(widgets::fullSentence(m_session->lastError()->message()), false);
    });
    connect(m_session.get(), &Session::roundTripMeasured, this, [this](std::chrono::nanoseconds roundTrip) {
        m_version = m_session->server().version;
        const double milliseconds = std::chrono::duration<double, std::milli>(roundTrip).count();
        endTest(
            tr("%1 answers within %2 ms.").arg(m_session->server().display(), QLocale().toString(milliseconds, 'f', 2)),
            true);
    });
    m_result->setText(tr("Trying…"));
    widgets::restyle(*m_result, "tone", QString());
    m_session->start();
    refresh();
}

void ServerDialog::endTest(const QString &result, bool isGood)
{
    m_session->disconnect(this);
    m_session.release()->deleteLater(); // One of its signals has led here.
    m_result->setText(result);
    widgets::restyle(*m_result, "tone", isGood ? QStringLiteral("good") : QStringLiteral("critical"));
    refresh();
}

void ServerDialog::copyWatcherLine()
{
    const auto said = server();
    QGuiApplication::clipboard()->setText(
        inspection::WatchRules::aclLine(QStringLiteral("latchkey"), said ? said->endpoint.database : 0, m_version));
    m_result->setText(m_version.isNull()
                          ? tr("Copied, for a server of version 7.0 or later. After a test it is the line "
                               "for that server's version.")
                          : tr("Copied, for version %1.").arg(m_version.toString()));
    widgets::restyle(*m_result, "tone", QString());
}

void ServerDialog::save()
{
    auto said = server();
    if (!said)
        return;
    if (const auto put = m_book.put(*said, m_replaced); !put) {
        m_result->setText(widgets::fullSentence(put.error().message()));
        widgets::restyle(*m_result, "tone", QStringLiteral("critical"));
        return;
    }
    accept();
}

} // namespace latchkey::ui::servers

#include "ui/pages/stories/programform.h"

#include "core/explore/schedules/commandpattern.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/taborder.h"
#include "ui/pages/stories/formline.h"
#include "ui/pages/stories/makebutton.h"
#include "ui/pages/stories/searchlimitform.h"
#include "ui/pages/stories/serverfaultform.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QSpinBox>
#include <QVBoxLayout>

namespace latchkey::ui::stories {

using racesearch::ProgramToExplore;

namespace {

// Upper limits of the race finder.
constexpr int maxClients = 4;
constexpr int maxServers = 7;
constexpr int maxPort = 65'535;

// Names of the saved settings.
const QString folderKey = QStringLiteral("folder");
const QString clientsKey = QStringLiteral("clients");
const QString resourceKey = QStringLiteral("resource");
const QString dataKey = QStringLiteral("data");
const QString locksKey = QStringLiteral("locks");
const QString insideKey = QStringLiteral("inside");
const QString outsideKey = QStringLiteral("outside");
const QString serversKey = QStringLiteral("servers");
const QString fixedPortKey = QStringLiteral("fixedPort");
const QString promisesKey = QStringLiteral("promises");

/// Quotes a word so that QProcess::splitCommand() reads it back unchanged.
QString quoted(QString word)
{
    const bool isPlain = !word.contains(u' ') && !word.contains(u'"');
    return isPlain ? word : u'"' + word.replace(u'"', QStringLiteral("\"\"\"")) + u'"';
}

/// Returns the patterns of commands in a field. A command contains spaces, so that they cannot separate the patterns.
QStringList commandsIn(const QLineEdit &field)
{
    QStringList commands;
    for (const QString &part : field.text().split(u';', Qt::SkipEmptyParts)) {
        if (const QString command = part.trimmed(); !command.isEmpty())
            commands += command;
    }
    return commands;
}

} // namespace

ProgramForm::ProgramForm(QWidget *parent)
    : QWidget(parent)
    , m_command(new QLineEdit(this))
    , m_browse(makeButton("programBrowse", tr("Insert a file…"), "", this))
    , m_folder(new QLineEdit(this))
    , m_chooseFolder(makeButton("programChooseFolder", tr("Choose…"), "", this))
    , m_clients(new QSpinBox(this))
    , m_resource(new QLineEdit(this))
    , m_data(new QLineEdit(this))
    , m_locks(new QLineEdit(this))
    , m_inside(new QLineEdit(this))
    , m_outside(new QLineEdit(this))
    , m_servers(new QSpinBox(this))
    , m_fixedPort(new QSpinBox(this))
    , m_limits(new SearchLimitForm(this))
    , m_promises(new QComboBox(this))
    , m_serverFaults(new ServerFaultForm(QStringLiteral("program"), ServerFaultForm::Subject::Program, this))
    , m_hint(widgets::makePlainLabel(QStringLiteral("secondary"), QString(), this))
{
    makeFields();
    makePromises();
    m_hint->setWordWrap(true);
    m_hint->setText(tr("Each client is a process of the program, with its own private server. The server's address is "
                       "in REDIS_URL, or REDIS_HOST and REDIS_PORT. No other server is used. The program sends ECHO "
                       "latchkey:inside:NAME when it has the lock and ECHO latchkey:outside:NAME before it releases "
                       "the lock, or patterns name its commands; otherwise only its data is checked."));
    setUpLayout();
    connect(m_browse, &QPushButton::clicked, this, &ProgramForm::askForFile);
    connect(m_chooseFolder, &QPushButton::clicked, this, &ProgramForm::askForFolder);
    for (const QLineEdit *field : {m_command, m_folder, m_resource, m_data, m_locks, m_inside, m_outside})
        connect(field, &QLineEdit::returnPressed, this, &ProgramForm::submitted);
}

ProgramForm::~ProgramForm() = default;

void ProgramForm::makeFields()
{
    m_command->setObjectName(QStringLiteral("programCommand"));
    m_command->setAccessibleName(tr("The program and its arguments"));
    m_command->setPlaceholderText(tr("python3 worker.py"));
    m_command->setToolTip(tr("The command as in a terminal, but without a shell: quote words with spaces by double "
                             "quotes; $, | and > are plain characters. The command is not saved."));
    m_browse->setToolTip(tr("Inserts the path of a file at the cursor"));
    m_folder->setObjectName(QStringLiteral("programFolder"));
    m_folder->setAccessibleName(tr("Working folder"));
    m_folder->setPlaceholderText(QDir::currentPath());
    m_chooseFolder->setAccessibleName(tr("Choose the working folder"));
    m_clients->setObjectName(QStringLiteral("programClients"));
    m_clients->setAccessibleName(tr("Number of clients"));
    m_clients->setRange(1, maxClients);
    m_clients->setValue(ProgramToExplore().clients);
    m_resource->setObjectName(QStringLiteral("programResource"));
    m_resource->setAccessibleName(tr("Key that all clients work on"));
    m_resource->setPlaceholderText(tr("order:1"));
    m_resource->setToolTip(tr("Key that all clients read and write, for lost-update"));
    makeServers();
    makePatterns();
    m_fixedPort->setObjectName(QStringLiteral("programFixedPort"));
    m_fixedPort->setAccessibleName(tr("Fixed port"));
    m_fixedPort->setRange(0, maxPort);
    m_fixedPort->setSpecialValueText(tr("none"));
    m_fixedPort->setToolTip(tr("For a program that always connects to 127.0.0.1 at this port. Each process then has "
                               "its own network namespace, if the system allows that (--fixed-port)."));
    m_data->setObjectName(QStringLiteral("programData"));
    m_data->setAccessibleName(tr("Keys without expiry"));
    m_data->setPlaceholderText(tr("cart:* user:*"));
    m_data->setToolTip(tr("Patterns of keys that need no expiry, separated by spaces. Any other key without expiry "
                          "breaks no-immortal-key."));
}

void ProgramForm::makeServers()
{
    m_servers->setObjectName(QStringLiteral("programServers"));
    m_servers->setAccessibleName(tr("Number of servers"));
    m_servers->setToolTip(tr("For a lock on a majority of several servers. REDIS_URLS and REDIS_HOSTS name the servers "
                             "of a process, separated by commas (--servers)."));
    m_servers->setRange(1, maxServers);
    m_servers->setValue(ProgramToExplore().servers);
}

void ProgramForm::makePatterns()
{
    m_locks->setObjectName(QStringLiteral("programLocks"));
    m_locks->setAccessibleName(tr("Keys that are locks"));
    m_locks->setPlaceholderText(tr("lock:*"));
    m_locks->setToolTip(
        tr("Patterns of keys that are locks, separated by spaces, for owner-only-release. Without them, "
           "the search finds the locks (--lock)."));
    m_inside->setObjectName(QStringLiteral("programInside"));
    m_inside->setAccessibleName(tr("Commands after which a client is inside"));
    m_inside->setPlaceholderText(tr("SET lock * NX"));
    m_inside->setToolTip(tr("Patterns of commands after which a client has the lock, separated by semicolons, for a "
                            "program that sends no ECHO. The reply must be a success, or match one word after -> "
                            "(--inside)."));
    m_outside->setObjectName(QStringLiteral("programOutside"));
    m_outside->setAccessibleName(tr("Commands after which a client is outside"));
    m_outside->setPlaceholderText(tr("DEL lock"));
    m_outside->setToolTip(tr("Patterns of commands after which a client no longer has the lock, separated by "
                             "semicolons (--outside)."));
    for (QLineEdit *field : {m_inside, m_outside}) {
        connect(field, &QLineEdit::textEdited, this, [this] {
            for (QLineEdit *each : {m_inside, m_outside})
                widgets::restyle(*each, "kind", QString());
        });
    }
}

void ProgramForm::makePromises()
{
    m_promises->setObjectName(QStringLiteral("programServerFaults"));
    m_promises->setAccessibleName(tr("Faults of servers"));
    m_promises->setToolTip(tr("Faults of servers have promises of their own, such as failover-safe. If one is chosen, "
                              "only these promises are checked (--promise)."));
    m_promises->addItem(tr("none"), QStringList());
    addServerFaultChoices(*m_promises, tr("all"));
    connect(m_promises, &QComboBox::currentIndexChanged, this,
            [this] { m_serverFaults->setPromises(m_promises->currentData().toStringList()); });
}

/// Lays out the fields so that each line reads as a sentence.
void ProgramForm::setUpLayout()
{
    auto *lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(formLineSpacing);
    addFormLine(*this, *lines, {{tr("&Command"), m_command}, {QString(), m_browse}});
    addFormLine(*this, *lines, {{tr("&Folder"), m_folder}, {QString(), m_chooseFolder}});
    addFormLine(*this, *lines,
                {{tr("C&lients"), m_clients}, {tr("&Shared key"), m_resource}, {tr("Persis&tent data"), m_data}});
    addFormLine(*this, *lines,
                {{tr("Loc&ks"), m_locks}, {tr("I&nside after"), m_inside}, {tr("O&utside after"), m_outside}});
    lines->addWidget(m_limits);
    addFormLine(*this, *lines,
                {{tr("Ser&vers"), m_servers}, {tr("F&ixed port"), m_fixedPort}, {tr("Server faults"), m_promises}});
    lines->addWidget(m_serverFaults);
    lines->addWidget(m_hint);
    widgets::tabInLayoutOrder(*lines);
}

base::Result<ProgramToExplore> ProgramForm::program() const
{
    ProgramToExplore program;
    program.words = QProcess::splitCommand(m_command->text());
    if (program.words.isEmpty())
        return base::failure(base::ErrorKind::Usage, tr("Enter the command of the program."));
    program.folder = m_folder->text();
    program.clients = m_clients->value();
    program.resource = m_resource->text();
    program.data = QProcess::splitCommand(m_data->text());
    program.locks = QProcess::splitCommand(m_locks->text());
    for (const QLineEdit *field : {m_inside, m_outside}) {
        if (const auto error = errorOf(*field))
            return base::failure(*error);
    }
    program.inside = commandsIn(*m_inside);
    program.outside = commandsIn(*m_outside);
    program.servers = m_servers->value();
    program.fixedPort = m_fixedPort->value();
    program.limits = m_limits->limits();
    program.promises = m_promises->currentData().toStringList();
    program.serverFaults = m_serverFaults->limits();
    program.longest = m_limits->longest();
    return program;
}

/// Returns the error of a field with patterns of commands.
std::optional<base::Error> ProgramForm::errorOf(const QLineEdit &commands) const
{
    for (const QString &text : commandsIn(commands)) {
        if (const auto pattern = schedules::CommandPattern::parse(text.toUtf8()); !pattern)
            return pattern.error().during(QStringLiteral("\"%1\"").arg(text));
    }
    const bool isEmpty = commandsIn(commands).isEmpty();
    if (isEmpty && !commandsIn(*m_inside).isEmpty())
        return base::Error {base::ErrorKind::Usage, tr("Enter the command after which a client is outside.")};
    if (isEmpty && !commandsIn(*m_outside).isEmpty())
        return base::Error {base::ErrorKind::Usage, tr("Enter the command after which a client is inside.")};
    return {};
}

void ProgramForm::focusInvalidField()
{
    QLineEdit *wrong = m_command;
    if (!QProcess::splitCommand(m_command->text()).isEmpty()) {
        for (QLineEdit *field : {m_outside, m_inside})
            wrong = errorOf(*field) ? field : wrong;
    }
    if (wrong != m_command)
        widgets::restyle(*wrong, "kind", QStringLiteral("error"));
    wrong->setFocus(Qt::OtherFocusReason);
}

QVariantMap ProgramForm::saveState() const
{
    QVariantMap state {{folderKey, m_folder->text()},        {clientsKey, m_clients->value()},
                       {resourceKey, m_resource->text()},    {dataKey, m_data->text()},
                       {locksKey, m_locks->text()},          {insideKey, m_inside->text()},
                       {outsideKey, m_outside->text()},      {serversKey, m_servers->value()},
                       {fixedPortKey, m_fixedPort->value()}, {promisesKey, m_promises->currentData()}};
    state.insert(m_limits->saveState());
    state.insert(m_serverFaults->saveState());
    return state;
}

void ProgramForm::restoreState(const QVariantMap &state)
{
    m_folder->setText(state.value(folderKey).toString());
    restoreCount(*m_clients, state.value(clientsKey));
    m_resource->setText(state.value(resourceKey).toString());
    m_data->setText(state.value(dataKey).toString());
    m_locks->setText(state.value(locksKey).toString());
    m_inside->setText(state.value(insideKey).toString());
    m_outside->setText(state.value(outsideKey).toString());
    restoreCount(*m_servers, state.value(serversKey));
    restoreCount(*m_fixedPort, state.value(fixedPortKey));
    if (const int index = m_promises->findData(state.value(promisesKey).toStringList()); index >= 0)
        m_promises->setCurrentIndex(index);
    m_limits->restoreState(state);
    m_serverFaults->restoreState(state);
}

void ProgramForm::takeFocus()
{
    m_command->setFocus(Qt::OtherFocusReason);
}

void ProgramForm::askForFile()
{
    auto *dialog = new QFileDialog(this, tr("Insert a file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    if (!m_folder->text().isEmpty())
        dialog->setDirectory(m_folder->text());
    connect(dialog, &QFileDialog::fileSelected, this, &ProgramForm::insertFile);
    dialog->open();
}

/// Inserts the path as a separate word.
void ProgramForm::insertFile(const QString &path)
{
    const QString text = m_command->text();
    const int at = m_command->hasSelectedText() ? m_command->selectionStart() : m_command->cursorPosition();
    QString word = quoted(path);
    if (at > 0 && text.at(at - 1) != u' ')
        word.prepend(u' ');
    m_command->insert(word);
    takeFocus();
}

void ProgramForm::askForFolder()
{
    auto *dialog = new QFileDialog(this, tr("Working folder"), m_folder->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, m_folder, &QLineEdit::setText);
    dialog->open();
}

} // namespace latchkey::ui::stories

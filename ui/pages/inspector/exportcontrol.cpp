#include "ui/pages/inspector/exportcontrol.h"

#include "core/foundation/base/timetext.h"
#include "core/foundation/files/savedfile.h"
#include "core/inspect/exports/exportrows.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/sentence.h"

#include <QAction>
#include <QDeadlineTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>

#include <algorithm>

namespace latchkey::ui::inspector {

using files::TableText;
using widgets::Banner;

namespace {

const QString exportTopic = QStringLiteral("export");
constexpr auto sliceBudget = std::chrono::milliseconds(8);
/// Minimum number of keys for a progress message. Smaller exports end before the message can be read.
constexpr std::size_t minKeysForExportProgress = 20'000;
constexpr auto exportMessageDuration = std::chrono::seconds(12);

QStringList columnsOf(ExportControl::Subject subject)
{
    switch (subject) {
    case ExportControl::Subject::Table:
        return exports::keyColumns();
    case ExportControl::Subject::Findings:
        return exports::findingColumns();
    case ExportControl::Subject::History:
        return exports::holdColumns();
    case ExportControl::Subject::Ended:
        return exports::endedColumns();
    }
    Q_UNREACHABLE();
}

/// Returns the beginning of the proposed file name.
QString fileNameOf(ExportControl::Subject subject)
{
    switch (subject) {
    case ExportControl::Subject::Table:
        return QStringLiteral("keys");
    case ExportControl::Subject::Findings:
        return QStringLiteral("findings");
    case ExportControl::Subject::History:
        return QStringLiteral("history");
    case ExportControl::Subject::Ended:
        return QStringLiteral("ended-keys");
    }
    Q_UNREACHABLE();
}

} // namespace

ExportControl::ExportControl(theme::Appearance &appearance, widgets::Messages &messages,
                             const keytable::KeyTableView &table, QWidget *parent)
    : QPushButton(parent)
    , m_appearance(appearance)
    , m_messages(messages)
    , m_table(table)
{
    setObjectName(QStringLiteral("exportButton"));
    setProperty("kind", QStringLiteral("note"));
    setMenu(new QMenu(this));
    addEntry("exportTable", Subject::Table)->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_E);
    addEntry("exportFindings", Subject::Findings);
    addEntry("exportHistory", Subject::History);
    addEntry("exportEnded", Subject::Ended);
    m_sliceTimer.setInterval(0);
    connect(&m_sliceTimer, &QTimer::timeout, this, &ExportControl::work);
    connect(&m_appearance, &theme::Appearance::changed, this, &ExportControl::applyAppearance);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &ExportControl::updateTexts);
    applyAppearance();
    updateTexts();
    setServer(nullptr);
}

ExportControl::~ExportControl() = default;

QAction *ExportControl::addEntry(const char *name, Subject subject)
{
    QAction *entry = menu()->addAction(QString());
    entry->setObjectName(QLatin1String(name));
    connect(entry, &QAction::triggered, this, [this, subject] { ask(subject); });
    addAction(entry); // The shortcut works while the menu is closed.
    m_entries += entry;
    return entry;
}

void ExportControl::updateTexts()
{
    setAccessibleName(tr("Export"));
    setToolTip(tr("Exports the table, the findings, the history or the ended keys as CSV or JSON"));
    m_entries[0]->setText(tr("Export the &table\u2026"));
    m_entries[1]->setText(tr("Export the &findings\u2026"));
    m_entries[2]->setText(tr("Export the &history\u2026"));
    m_entries[3]->setText(tr("Export the &ended keys\u2026"));
}

void ExportControl::applyAppearance()
{
    setIcon(m_appearance.icon(QStringLiteral("export"), m_appearance.theme().muted));
}

void ExportControl::setServer(inspection::InspectedServer *server)
{
    if (server != m_server) {
        cancel();
        delete m_question;
    }
    m_server = server;
    for (QAction *entry : std::as_const(m_entries))
        entry->setEnabled(server != nullptr);
    setEnabled(server != nullptr);
}

void ExportControl::ask(Subject subject, const base::Glob &filter)
{
    if (!m_server)
        return;
    auto *dialog = new QFileDialog(this, tr("Export into a file"));
    m_question = dialog;
    dialog->setObjectName(QStringLiteral("exportFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    const QString csv = tr("CSV (*.csv)");
    dialog->setNameFilters({csv, tr("JSON (*.json)")});
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, csv](const QString &kind) {
        dialog->setDefaultSuffix(kind == csv ? QStringLiteral("csv") : QStringLiteral("json"));
    });
    const auto now = base::localTime(m_server->clock().wallNow());
    dialog->selectFile(fileNameOf(subject) + QLocale::c().toString(now, QStringLiteral("-yyyy-MM-dd-HHmmss")));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, subject, filter](const QString &path) { exportTo(path, subject, filter); });
    dialog->open();
}

/// Returns the keys of the table in its order. Keys of folded groups are among them.
std::vector<keys::KeyId> ExportControl::shownKeys() const
{
    const keytable::KeyTableModel *model = m_table.keyModel();
    if (model == nullptr)
        return {};
    std::vector<keys::KeyId> ids;
    ids.reserve(static_cast<std::size_t>(model->rows().rowCount()));
    for (int row = 0; row < model->rows().rowCount(); ++row)
        ids.push_back(model->rows().idAt(row));
    return ids;
}

std::vector<QByteArray> ExportControl::locksFor(Subject subject) const
{
    const keys::KnownKeys &known = m_server->store().known();
    const bool isChosen = subject == Subject::History && (m_table.selectedCount() > 0 || !m_table.awaited().isEmpty());
    std::vector<QByteArray> locks;
    if (subject == Subject::History && !isChosen) {
        for (const history::History::LockId &lockId : m_server->holds().history().lockIds())
            locks.push_back(lockId.key);
        std::ranges::sort(locks);
        return locks;
    }
    const std::vector<keys::KeyId> ids =
        isChosen ? m_table.selectedKeys(static_cast<std::size_t>(m_table.selectedCount())) : shownKeys();
    for (const keys::KeyId id : ids) {
        if (QByteArray key = known.table.key(id).toByteArray(); isChosen || m_server->locks().isLock(key))
            locks.push_back(std::move(key));
    }
    if (isChosen) { // A deleted lock has a history too.
        for (const QByteArray &gone : m_table.awaited())
            locks.push_back(gone);
    }
    return locks;
}

std::vector<keys::EndedKey> ExportControl::endedKeys(const base::Glob &filter) const
{
    const keys::EndedKeyLog &record = m_server->store().ended();
    std::vector<keys::EndedKey> ended;
    for (quint64 number = record.first(); number < record.total(); ++number) {
        if (const keys::EndedKey &each = record.at(number); each.count > 1 || filter.matches(each.key))
            ended.push_back(each);
    }
    return ended;
}

void ExportControl::exportTo(const QString &path, Subject subject, const base::Glob &filter)
{
    if (!m_server)
        return;
    const bool isJson = path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
    const auto format = isJson ? TableText::Format::Json : TableText::Format::Csv;
    m_job = std::make_unique<Job>(
        Job {path, subject, TableText(format, columnsOf(subject)), {}, {}, {}, 0, m_server->clock().now(), -1});
    if (subject == Subject::Table)
        m_job->keys = shownKeys();
    else if (subject == Subject::Ended)
        m_job->ended = endedKeys(filter);
    else
        m_job->locks = locksFor(subject);
    m_messages.remove(exportTopic);
    m_sliceTimer.start();
}

void ExportControl::work()
{
    if (!m_job || !m_server)
        return cancel();
    const QDeadlineTimer budget(sliceBudget, Qt::PreciseTimer);
    const std::size_t count = m_job->size();
    while (m_job->next < count && !budget.hasExpired())
        addRows(m_job->next++);
    if (m_job->next < count)
        showProgress();
    else
        finish();
}

/// Adds the rows of a key or a lock. A key that has ended since the start of the export is omitted.
void ExportControl::addRows(std::size_t index)
{
    if (m_job->subject == Subject::Table) {
        if (const keys::KeyId id = m_job->keys[index]; m_server->store().known().isLive(id))
            m_job->text.add(exports::keyRow(*m_server, id, m_job->began));
        return;
    }
    if (m_job->subject == Subject::Ended)
        return m_job->text.add(exports::endedRow(*m_server, m_job->ended[index]));
    const QByteArray &lock = m_job->locks[index];
    const auto rows = m_job->subject == Subject::Findings ? exports::findingRows(*m_server, lock)
                                                          : exports::holdRows(*m_server, lock);
    for (const QJsonObject &row : rows)
        m_job->text.add(row);
}

void ExportControl::showProgress()
{
    const std::size_t count = m_job->size();
    const auto percent = static_cast<int>(m_job->next * 100 / count);
    if (count < minKeysForExportProgress || percent / 5 == m_job->shownPercent / 5)
        return;
    m_job->shownPercent = percent;
    m_messages.show({exportTopic,
                     Banner::Tone::Info,
                     tr("Exporting to %1: %2 %").arg(QFileInfo(m_job->path).fileName()).arg(percent),
                     tr("Cancel"),
                     [this] { cancel(); },
                     {}});
}

void ExportControl::finish()
{
    m_sliceTimer.stop();
    const std::unique_ptr<Job> job = std::exchange(m_job, nullptr);
    if (job->subject == Subject::Ended) {
        for (const QJsonObject &row : exports::gapRows(*m_server))
            job->text.add(row);
    }
    const qsizetype rows = job->text.rowCount();
    if (const auto saved = files::saveFile(job->path, job->text.take()); !saved) {
        m_messages.show({exportTopic, Banner::Tone::Critical, widgets::sentence(saved.error().message()), {}, {}, {}});
        return;
    }
    m_messages.show({exportTopic,
                     Banner::Tone::Info,
                     tr("%1 rows exported to %2.").arg(QLocale().toString(rows), QFileInfo(job->path).fileName()),
                     {},
                     {},
                     exportMessageDuration});
}

void ExportControl::cancel()
{
    m_sliceTimer.stop();
    if (std::exchange(m_job, nullptr))
        m_messages.remove(exportTopic);
}

} // namespace latchkey::ui::inspector

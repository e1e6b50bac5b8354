#pragma once

#include "core/foundation/base/error.h"
#include "core/foundation/base/glob.h"
#include "core/foundation/files/tabletext.h"
#include "core/inspect/inspection/inspectedserver.h"
#include "ui/kit/theme/appearance.h"
#include "ui/kit/widgets/messages.h"
#include "ui/views/keytable/keytableview.h"

#include <QPointer>
#include <QPushButton>
#include <QTimer>

#include <memory>
#include <optional>

class QAction;
class QFileDialog;

namespace latchkey::ui::inspector {

/// The button that exports the table, the findings, the history of locks or the ended keys as CSV or JSON, into a file.
///
/// The keys are those of the table, in its order and with its filter at the start of the export. The rows are written
/// in slices of a few milliseconds, so that the window stays usable. A message shows the progress of a large export and
/// can cancel it. The file is replaced completely or not at all. Values of keys are not exported. Owned by its parent.
/// Appearance, messages, table and server are not owned.
class ExportControl final : public QPushButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExportControl)

public:
    /// The subject of an export.
    enum class Subject : quint8 {
        Table,    ///< All keys of the table.
        Findings, ///< The findings for the locks of the table.
        History,  ///< The holds of the selected locks; without a selection, of all locks with a known history.
        Ended,    ///< The keys that have ended within the last hour, and the gaps in the observation.
    };

    ExportControl(theme::Appearance &appearance, widgets::Messages &messages, const keytable::KeyTableView &table,
                  QWidget *parent = nullptr);
    ~ExportControl() override;

    /// Sets the server. Cancels the export of another server.
    void setServer(inspection::InspectedServer *server);
    /// Asks for a file, and exports into it. `filter`: for the ended keys.
    void ask(Subject subject, const base::Glob &filter = {});
    /// Exports into the file: JSON if its name ends with `.json`, otherwise CSV. Messages show the end or the error.
    void exportTo(const QString &path, Subject subject, const base::Glob &filter = {});
    [[nodiscard]] bool isExporting() const { return m_job != nullptr; }

    /// Returns the entries of the menu, one for each subject.
    [[nodiscard]] const QList<QAction *> &entries() const { return m_entries; }

private:
    /// A running export.
    struct Job
    {
        QString path;
        Subject subject;
        files::TableText text;
        std::vector<keys::KeyId> keys;        ///< Subject::Table: the keys.
        std::vector<QByteArray> locks {};     ///< Other subjects: the locks.
        std::vector<keys::EndedKey> ended {}; ///< Subject::Ended: the keys.
        std::size_t next = 0;
        [[nodiscard]] std::size_t size() const { return keys.size() + locks.size() + ended.size(); }
        base::MonotonicTime began;
        int shownPercent = -1;
    };

    QAction *addEntry(const char *name, Subject subject);
    void updateTexts();
    [[nodiscard]] std::vector<keys::KeyId> shownKeys() const;
    [[nodiscard]] std::vector<keys::EndedKey> endedKeys(const base::Glob &filter) const;
    [[nodiscard]] std::vector<QByteArray> locksFor(Subject subject) const;
    void work();
    void addRows(std::size_t index);
    void showProgress();
    void finish();
    void cancel();
    void applyAppearance();

    theme::Appearance &m_appearance;
    widgets::Messages &m_messages;
    const keytable::KeyTableView &m_table;
    QPointer<inspection::InspectedServer> m_server;
    QPointer<QFileDialog> m_question; ///< Open question about the current server.
    QList<QAction *> m_entries;       ///< One for each subject.
    QTimer m_sliceTimer;
    std::unique_ptr<Job> m_job;
};

} // namespace latchkey::ui::inspector

#pragma once

#include "core/inspection/inspectedserver.h"
#include "ui/keytable/keytableview.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/emptystate.h"

#include <QPointer>
#include <QWidget>

class QAction;
class QButtonGroup;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace latchkey::ui::inspector {

/// The live table of a server's keys: filter, counts, countdowns, and what can be done with a key.
///
/// Shows one InspectedServer at a time. Copying is always possible; deleting needs an armed server, and takes effect
/// only if the key still is what was shown. Owned by the main window; appearance, clock and server are not owned.
class InspectorPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(InspectorPage)

public:
    InspectorPage(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);

    void setServer(inspection::InspectedServer *server);
    /// Puts the keyboard into the filter.
    void editFilter();
    /// Puts the keyboard into the table.
    void enterTable();

Q_SIGNALS:
    /// The user wants to change something on a server that is not armed.
    void armingWanted();
    void privateServerWanted();
    void playgroundWanted();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void setUpHeader();
    void setUpTable();
    void setUpActions();
    void arrange();
    void applyAppearance();

    void applyFilter();
    void sortAsked(int column, Qt::SortOrder order);
    void ticked();
    void refreshCounts();
    void showProgress(quint64 met, qint64 all);
    void refreshActions();
    void refreshEmptyState();
    void refreshProblem();

    void copyKeys();
    void copyCommands();
    void askToDelete();
    void deleteKey(const keyspace::KeySnapshot &snapshot);
    void report(const base::Key &key, const base::Result<keyspace::DeleteOutcome> &outcome);
    [[nodiscard]] std::vector<base::Key> chosenKeys(std::size_t most) const;

    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    QPointer<inspection::InspectedServer> m_server;
    QLineEdit *m_filter;
    QAction *m_filterIcon;
    QButtonGroup *m_expiry;
    QLabel *m_counts;
    QProgressBar *m_progress;
    widgets::Banner *m_banner;
    keytable::KeyTableView *m_table;
    widgets::EmptyState *m_empty;
    QLabel *m_choice;
    QAction *m_copyKey;
    QAction *m_copyCommand;
    QAction *m_delete;
    QPushButton *m_copyKeyButton;
    QPushButton *m_copyCommandButton;
    QPushButton *m_deleteButton;
    std::optional<base::Error> m_shownProblem;
};

} // namespace latchkey::ui::inspector

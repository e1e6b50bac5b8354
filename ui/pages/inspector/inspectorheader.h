#pragma once

#include "core/keyspace/rows/rowfilter.h"
#include "ui/kit/actions/actionregistry.h"
#include "ui/kit/theme/appearance.h"
#include "ui/pages/inspector/statustext.h"

#include <QWidget>

class QAction;
class QActionGroup;
class QButtonGroup;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace latchkey::ui::inspector {

class ChangeNotificationButton;
class CountChip;

/// The top of the Inspector: title, number of keys, filter, and progress of the first scan. Owned by the page. The
/// appearance is not owned. The header does not access server or store.
class InspectorHeader final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(InspectorHeader)

public:
    explicit InspectorHeader(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Returns the filter for the rows. Ended keys are not rows: RecentlyEndedBar lists them.
    [[nodiscard]] rows::RowFilter filter() const;
    /// Moves the keyboard focus to the filter.
    void editFilter();
    /// Adds the buttons of the header that have a shortcut to the registry. `page`: number of the page.
    void addActionsTo(actions::ActionRegistry &registry, int page) const;
    /// Resets the filter, so that every key is shown.
    void showAll();

    /// Returns the minimum size without the counts, because the counts are hidden before anything is cut.
    [[nodiscard]] QSize minimumSizeHint() const override;

    void setCounts(const QString &text);
    /// Adds a widget to the second line, before the notification button. The header becomes its parent.
    void addTool(QWidget *tool);
    /// Sets how the server reports changes. Absent without a server.
    void setChangeNotification(const std::optional<ChangeNotificationStatus> &status);
    /// Sets the number of keys that the chips for locks and findings would show. A chip does not move when the counts
    /// change. If there is no room for all counts, the counts of the expiries are hidden first.
    void setLockCounts(qsizetype locks, qsizetype findings);
    /// Sets the number of keys with and without expiry.
    void setExpiryCounts(qsizetype expiring, qsizetype persistent);
    /// Resets the room for long counts on the chips, because another server is shown.
    void forgetLongestCounts();
    /// Shows how many of all keys have been scanned. No progress is shown if `all` is 0.
    void setProgress(quint64 scanned, qint64 all);

    /// Sets the state of the Details button: whether the detail panel is open beside the table.
    void setDetailsShown(bool areShown);
    [[nodiscard]] bool areDetailsShown() const;
    /// Opens the detail panel at the user's request.
    void openDetails();
    /// The panels that the user has opened or closed. The others depend on the size of the window.
    struct Chosen
    {
        bool details = false;
        bool timeline = false;
    };
    [[nodiscard]] const Chosen &chosen() const { return m_chosen; }
    void setChosen(const Chosen &chosen) { m_chosen = chosen; }
    /// Sets the grouping that the grouping button shows.
    void setGrouping(rows::Grouping grouping);
    [[nodiscard]] rows::Grouping grouping() const;
    /// Sets the grouping that the button applies when it is checked the next time. Emits no signal.
    void setDefaultGrouping(rows::Grouping grouping);
    [[nodiscard]] rows::Grouping defaultGrouping() const { return m_defaultGrouping; }
    /// Sets the state of the Timeline button: whether the history of the locks is shown below the table.
    void setTimelineShown(bool isShown);
    [[nodiscard]] bool isTimelineShown() const;

Q_SIGNALS:
    void filterChanged();
    void detailsToggled(bool areShown);
    void timelineToggled(bool isShown);
    void groupingChanged(latchkey::rows::Grouping grouping);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void setUpFilter();
    void setUpPanels();
    void setUpGrouping();
    [[nodiscard]] QPushButton *addPanelButton(const char *name, const QKeySequence &shortcut, const QString &text,
                                              const QString &toolTip);
    void addChips();
    void fitCounts();
    [[nodiscard]] int shownCountsWidth() const;
    void applyAppearance();

    theme::Appearance &m_appearance;
    QLabel *m_counts;
    ChangeNotificationButton *m_changeNotification;
    QHBoxLayout *m_secondLine;
    QButtonGroup *m_chips;
    CountChip *m_locks = nullptr;
    CountChip *m_findings = nullptr;
    CountChip *m_expiring = nullptr;
    CountChip *m_persistent = nullptr;
    QList<CountChip *> m_counted;                   ///< In the order in which counts are hidden, the first one first.
    QList<const rows::KeyCondition *> m_conditions; ///< Conditions of the chips, indexed by button id.
    QLineEdit *m_filter;
    QAction *m_filterIcon;
    QProgressBar *m_progress;
    QPushButton *m_details;
    QPushButton *m_timeline;
    QPushButton *m_group;
    Chosen m_chosen;
    QActionGroup *m_groupings; ///< The entries of the button's menu.
    rows::Grouping m_defaultGrouping = rows::Grouping::FirstColon;
};

} // namespace latchkey::ui::inspector

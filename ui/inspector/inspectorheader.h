#pragma once

#include "core/rows/rowfilter.h"
#include "ui/inspector/statustext.h"
#include "ui/theme/appearance.h"

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

class TellingNote;

/// The top of the Inspector: its title, how many keys there are, which of them are to be shown, and how far the first
/// look at them is.
/// Owned by the page; the appearance is not owned. It knows neither server nor store.
class InspectorHeader final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(InspectorHeader)

public:
    explicit InspectorHeader(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Which rows the user wants to see. Keys that have gone are none: they stand in a strip of their own.
    [[nodiscard]] rows::RowFilter filter() const;
    /// Puts the keyboard into the filter.
    void editFilter();
    /// Lets every key through.
    void showAll();

    /// Without the counts: they are left out before anything is cut.
    [[nodiscard]] QSize minimumSizeHint() const override;

    void setCounts(const QString &text);
    /// Puts something of another's into the second line.
    void addTool(QWidget *tool);
    /// How the server tells of changes; absent: there is none that could.
    void setTelling(const std::optional<Telling> &telling);
    /// How many keys the chips for locks and for findings would show; a chip that would show none is not there, unless
    /// it is chosen. Where there is no room for all counts, those of the expiries go first.
    void setLockCounts(qsizetype locks, qsizetype findings);
    /// How many keys expire, and how many do not.
    void setExpiryCounts(qsizetype expiring, qsizetype persistent);
    /// Shows how many of how many keys have been met; of none: no progress.
    void setProgress(quint64 met, qint64 all);

    /// Whether what is known of the chosen key stands beside the table: what the button shows.
    void setDetailsShown(bool areShown);
    [[nodiscard]] bool areDetailsShown() const;
    /// Likewise whether the keys stand in groups.
    void setGrouping(rows::Grouping grouping);
    [[nodiscard]] rows::Grouping grouping() const;
    /// As the button would group them, whether it does or not.
    void setUsualGrouping(rows::Grouping grouping);
    [[nodiscard]] rows::Grouping usualGrouping() const { return m_usualGrouping; }
    /// Likewise the history of the locks, below the table.
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
    /// condition: which keys it shows; null: all.
    QPushButton *addChip(const rows::Condition *condition, const char *name, const QString &text);
    void fitCounts();
    [[nodiscard]] int countsWidth(bool isAll) const;
    void applyAppearance();

    theme::Appearance &m_appearance;
    QLabel *m_counts;
    TellingNote *m_telling;
    QHBoxLayout *m_secondLine;
    QButtonGroup *m_chips;
    /// A chip, what it is called, and what it would show.
    struct Counted
    {
        QPushButton *chip;
        QString name;
        qsizetype count = 0;
    };
    QList<Counted> m_counted; ///< What can be left out first.
    QPushButton *m_expiring;
    QPushButton *m_persistent;
    QPushButton *m_locks;
    QPushButton *m_findings;
    QList<const rows::Condition *> m_conditions; ///< Of the chips, by their ids.
    QLineEdit *m_filter;
    QAction *m_filterIcon;
    QProgressBar *m_progress;
    QPushButton *m_details;
    QPushButton *m_timeline;
    QPushButton *m_group;
    QActionGroup *m_groupings; ///< What the button's menu offers.
    rows::Grouping m_usualGrouping = rows::Grouping::FirstColon;
};

} // namespace latchkey::ui::inspector

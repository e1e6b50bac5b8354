#pragma once

#include "core/rows/rowfilter.h"
#include "ui/theme/appearance.h"

#include <QWidget>

class QAction;
class QButtonGroup;
class QLabel;
class QLineEdit;
class QProgressBar;

namespace latchkey::ui::inspector {

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

    void setCounts(const QString &text);
    /// Shows how many of how many keys have been met; of none: no progress.
    void setProgress(quint64 met, qint64 all);

Q_SIGNALS:
    void filterChanged();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void setUpFilter();
    /// condition: which keys it shows; null: all.
    void addChip(const rows::Condition *condition, const char *name, const QString &text);
    void applyAppearance();

    theme::Appearance &m_appearance;
    QLabel *m_counts;
    QButtonGroup *m_expiry;
    QList<const rows::Condition *> m_conditions; ///< Of the chips, by their ids.
    QLineEdit *m_filter;
    QAction *m_filterIcon;
    QProgressBar *m_progress;
};

} // namespace latchkey::ui::inspector

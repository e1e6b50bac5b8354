#pragma once

#include "core/keyspace/keys/fielddeadlines.h"
#include "ui/kit/theme/appearance.h"
#include "ui/views/keytable/showntime.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QTreeWidget;

namespace latchkey::ui::detail {

/// A list of the expiring fields of a hash, in the order of their expiry, each with a countdown. A note states the
/// number of further fields.
///
/// The list counts down automatically while it is visible. A field past its deadline is due until its end is confirmed.
/// Owned by the detail panel. Appearance and time are not owned. The list sends no requests to a server.
class FieldList final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FieldList)

public:
    FieldList(theme::Appearance &appearance, const keytable::ShownTime &time, QWidget *parent = nullptr);

    /// Shows the fields. `refusal`: why the expiries are unknown; empty if they are known.
    void show(const keys::FieldDeadlines &ends, const QString &refusal);
    using QWidget::show;

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void countDown();
    void applyAppearance();

    theme::Appearance &m_appearance;   // Not owned.
    const keytable::ShownTime &m_time; // Not owned.
    QTreeWidget *m_rows;
    QLabel *m_note;
    QTimer m_tick;
    keys::FieldDeadlines m_ends;
};

/// Returns the share of the fields that expire, and the unknown facts about the other fields.
[[nodiscard]] QString fieldNote(const keys::FieldDeadlines &ends);

} // namespace latchkey::ui::detail

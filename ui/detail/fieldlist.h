#pragma once

#include "core/keys/fieldends.h"
#include "ui/keytable/showntime.h"
#include "ui/theme/appearance.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QTreeWidget;

namespace latchkey::ui::detail {

/// The fields of a hash that end by themselves, the first to end on top, each with its countdown; and how many there
/// are beside those that are listed.
///
/// It is given what is known and counts down by itself while it can be seen; a field whose time is over is due until
/// it is known to be gone.
/// Owned by the detail panel; appearance and time are not owned. It asks nothing of a server.
class FieldList final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FieldList)

public:
    FieldList(theme::Appearance &appearance, const keytable::ShownTime &time, QWidget *parent = nullptr);

    /// refusal: why they are not known; empty where they are.
    void show(const keys::FieldEnds &ends, const QString &refusal);
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
    keys::FieldEnds m_ends;
};

/// How many of how many fields end, and what is not known of the others.
[[nodiscard]] QString fieldNote(const keys::FieldEnds &ends);

} // namespace latchkey::ui::detail

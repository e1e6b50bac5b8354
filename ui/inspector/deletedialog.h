#pragma once

#include "ui/inspector/removaltext.h"

#include <QDialog>

namespace latchkey::ui::inspector {

/// Asks before keys are deleted, or locks released, and shows exactly what would be: each key, its value and its end as
/// they were just read; and says what could not be put back.
/// Owned by the code that opens it; appearance and clock are not owned.
class DeleteDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DeleteDialog)

public:
    DeleteDialog(theme::Appearance &appearance, const base::Clock &clock, Snapshots snapshots, const RemovalText &text,
                 const QString &server, QWidget *parent);

    [[nodiscard]] const Snapshots &snapshots() const { return m_snapshots; }

private:
    [[nodiscard]] QLayout *makeButtons(theme::Appearance &appearance, const RemovalText &text);

    const Snapshots m_snapshots;
};

} // namespace latchkey::ui::inspector

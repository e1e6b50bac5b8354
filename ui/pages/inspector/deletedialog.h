#pragma once

#include "ui/pages/inspector/removaltext.h"

#include <QDialog>

namespace latchkey::ui::inspector {

/// A dialog that asks before keys are deleted or locks are released. It shows the value and the expiry of each key,
/// as just read, and marks the keys that could not be restored. Owned by the code that opens it. Appearance and clock
/// are not owned.
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

#pragma once

#include "core/keyspace/guardeddelete.h"
#include "ui/theme/appearance.h"

#include <QDialog>

class QLabel;

namespace latchkey::ui::inspector {

/// Asks before a key is deleted, and shows exactly what would be: the key, its value and its end as they were just
/// read. The time left goes on while it is open.
/// Owned by whoever opens it; appearance and clock are not owned.
class DeleteDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DeleteDialog)

public:
    DeleteDialog(theme::Appearance &appearance, const base::Clock &clock, keyspace::KeySnapshot snapshot,
                 const QString &server, QWidget *parent);

    [[nodiscard]] const keyspace::KeySnapshot &snapshot() const { return m_snapshot; }

private:
    [[nodiscard]] QLayout *makeButtons(theme::Appearance &appearance);
    void refresh();

    const base::Clock &m_clock;
    const keyspace::KeySnapshot m_snapshot;
    QLabel *m_timeLeft;
};

} // namespace latchkey::ui::inspector

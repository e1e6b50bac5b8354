#pragma once

#include "core/playground/playground/serverpool.h"

#include <QPushButton>

class QMenu;

namespace latchkey::ui::playground {

/// A button with a menu for the number of private servers, and for the actions on a single server. A single running
/// server has no ServerChip for these actions. Owned by the header of the page. The server pool is not owned.
class ServerCountButton final : public QPushButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerCountButton)

public:
    explicit ServerCountButton(latchkey::playground::ServerPool &serverPool, QWidget *parent = nullptr);

private:
    void addActionsOnSingleServer(QMenu &menu);
    /// Shows the number of servers in the current language.
    void refresh();

    latchkey::playground::ServerPool &m_serverPool;
};

} // namespace latchkey::ui::playground

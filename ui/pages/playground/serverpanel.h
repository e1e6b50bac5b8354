#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/keyspace/rows/rowlist.h"
#include "core/playground/playground/clientprocess.h"
#include "ui/kit/theme/appearance.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <vector>

namespace latchkey::ui::commandlog {
class CommandLogView;
}

namespace latchkey::ui::keytable {
class KeyTableView;
}

namespace latchkey::ui::widgets {
class EmptyState;
}

namespace latchkey::ui::playground {

/// A panel with the keys of the Playground's server, and the log of all commands of the clients. Owned by the page. The
/// appearance is not owned. The panel sends no requests.
class ServerPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerPanel)

public:
    ServerPanel(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);
    ~ServerPanel() override;

    /// Sets the server whose keys are shown. Null without a server.
    void setServer(inspection::InspectedServer *server);
    /// Updates everything that depends on the time.
    void refresh();
    /// Returns the keys in the visible part of the table.
    [[nodiscard]] std::vector<keys::KeyId> keysOnScreen() const;
    /// Adds a command of a client to the log.
    void log(const latchkey::playground::ClientProcess &client, const latchkey::playground::ClientReport &report);

private:
    void setUpLayout();
    void applyAppearance();

    theme::Appearance &m_appearance;
    QPointer<inspection::InspectedServer> m_server; // Not owned.
    std::unique_ptr<rows::RowList> m_rows;          ///< Null without a server.
    keytable::KeyTableView *m_table;
    widgets::EmptyState *m_noKeys;
    commandlog::CommandLogView *m_commandLog;
};

} // namespace latchkey::ui::playground

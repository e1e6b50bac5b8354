#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "ui/kit/theme/appearance.h"
#include "ui/shell/shell/connectiontexts.h"

#include <QPointer>
#include <QPushButton>
#include <QTimer>

#include <optional>

class QMenu;

namespace latchkey::ui::shell {

/// A button that shows the load on the server by the window: commands per second and, if the server reports it, the
/// share of its core. Its menu sets the limit and the speed of the first scan.
///
/// The load is measured once a second. The choices are applied to the server; the receiver of the signals saves them.
/// Owned by its parent. Appearance and server are not owned.
class CostButton final : public QPushButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CostButton)

public:
    explicit CostButton(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Sets the measured server. Null if there is none.
    void setServer(inspection::InspectedServer *server);
    /// Chooses the length of the text. `barWidth`: width of the surrounding bar in pixels. `isShort`: only the numbers.
    void setRoom(int barWidth, bool isShort);

Q_SIGNALS:
    /// Emitted once a second, after the text has changed.
    void measured();
    void commandsPerSecondChosen(int commands);
    void fastFirstScanChosen(bool isFast);

private:
    void setUpMenu();
    void measure();
    void showCost();
    [[nodiscard]] QString fastFirstScanText() const;

    theme::Appearance &m_appearance;
    QPointer<inspection::InspectedServer> m_server;
    QMenu *m_menu;
    QTimer m_secondTimer;
    WatchCost m_cost;
    quint64 m_lastCommands = 0;
    std::optional<double> m_lastSpent; ///< See watching::Watcher::serverTimeSpent().
    base::MonotonicTime m_lastMeasured;
};

} // namespace latchkey::ui::shell

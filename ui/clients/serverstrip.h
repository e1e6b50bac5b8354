#pragma once

#include "core/playground/crew.h"
#include "core/playground/fleet.h"
#include "ui/theme/appearance.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace latchkey::ui::clients {

/// A widget for one of several servers: its state of a key, and buttons to kill, start, stop and continue the server.
/// Owned by its strip. Fleet and appearance are not owned.
class ServerChip final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerChip)

public:
    ServerChip(int server, playground::Fleet &fleet, theme::Appearance &appearance, QWidget *parent = nullptr);

    void showState();
    void showSeen(const QString &text);

private:
    void applyAppearance();
    void killOrStart();
    void freezeOrThaw();

    const int m_server;
    playground::Fleet &m_fleet;
    theme::Appearance &m_appearance;
    QLabel *m_name;
    QLabel *m_seen;
    QPushButton *m_kill;
    QPushButton *m_freeze;
};

/// A row of server chips on the Playground page. It is hidden while there is a single running server. Owned by its
/// page. Fleet, crew and appearance are not owned.
class ServerStrip final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerStrip)

public:
    ServerStrip(playground::Fleet &fleet, const playground::Crew &crew, theme::Appearance &appearance,
                QWidget *parent = nullptr);

    /// Adapts the number of chips to the number of servers.
    void refresh();
    /// Shows the current state of a key on each server.
    void showSeen(const base::Key &key, base::MonotonicTime now);
    /// Whether the strip has anything to show.
    [[nodiscard]] bool isWanted() const;

private:
    playground::Fleet &m_fleet;
    const playground::Crew &m_crew;
    theme::Appearance &m_appearance;
    QLabel *m_title;
    QHBoxLayout *m_places;
    QList<ServerChip *> m_chips;
};

} // namespace latchkey::ui::clients

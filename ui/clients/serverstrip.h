#pragma once

#include "core/playground/crew.h"
#include "core/playground/fleet.h"
#include "ui/theme/appearance.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace latchkey::ui::clients {

/// One server of several: what it has under a key, and the buttons that kill it, start it again, stop it and let it go
/// on. Owned by its strip; fleet, crew and appearance are not owned.
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

/// The servers of the Playground side by side, where there are several of them; hidden where there is one that works.
/// Owned by its page; fleet, crew and appearance are not owned.
class ServerStrip final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerStrip)

public:
    ServerStrip(playground::Fleet &fleet, const playground::Crew &crew, theme::Appearance &appearance,
                QWidget *parent = nullptr);

    /// As many chips as there are servers.
    void refresh();
    /// What each has under that key now.
    void showSeen(const base::Key &key, base::MonotonicTime now);
    /// It has something to show.
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

#pragma once

#include "core/playground/playground/clientpool.h"
#include "core/playground/playground/serverpool.h"
#include "ui/kit/theme/appearance.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace latchkey::ui::playground {

/// A widget for one of several servers: its state of a key, and buttons to kill, start, stop and continue the server.
/// Owned by the ServerStrip. Server pool and appearance are not owned.
class ServerChip final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerChip)

public:
    ServerChip(int server, latchkey::playground::ServerPool &serverPool, theme::Appearance &appearance,
               QWidget *parent = nullptr);

    void showState();
    void showKeyState(const QString &text, const QString &toolTip);

private:
    void applyAppearance();
    void killOrStart();
    void suspendOrResume();

    const int m_server;
    latchkey::playground::ServerPool &m_serverPool;
    theme::Appearance &m_appearance;
    QLabel *m_name;
    QLabel *m_seen;
    QPushButton *m_kill;
    QPushButton *m_freeze;
};

/// A row of server chips on the Playground page. It is hidden while there is a single running server. Owned by its
/// page. Server pool, client pool and appearance are not owned.
class ServerStrip final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerStrip)

public:
    ServerStrip(latchkey::playground::ServerPool &serverPool, const latchkey::playground::ClientPool &clientPool,
                theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Adapts the number of chips to the number of servers.
    void refresh();
    /// Shows the current state of a key on each server.
    void showKeyState(const base::Key &key, base::MonotonicTime now);

private:
    latchkey::playground::ServerPool &m_serverPool;
    const latchkey::playground::ClientPool &m_clientPool;
    theme::Appearance &m_appearance;
    QLabel *m_title;
    QHBoxLayout *m_chipLayout;
    QList<ServerChip *> m_chips;
};

} // namespace latchkey::ui::playground

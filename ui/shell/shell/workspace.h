#pragma once

#include "core/inspect/inspection/serverregistry.h"
#include "core/inspect/recognition/userdialects.h"
#include "core/playground/playground/clientpool.h"
#include "core/playground/playground/demo.h"
#include "core/playground/playground/serverpool.h"
#include "core/redis/connections/savedconnections.h"
#include "core/redis/privateserver/privateserver.h"
#include "core/redis/ssh/askpassserver.h"
#include "ui/shell/shell/groupopener.h"
#include "ui/shell/shell/settings.h"

#include <QObject>

#include <functional>
#include <memory>

namespace latchkey::ui::shell {

/// The data of the window: inspected server, private server, and clients of the Playground.
///
/// The initial server is the given one, else the last one, else the local one. If a server that was not named by the
/// user does not reply, a private server is started instead, with a notice. Owned by main(); created before the window
/// and destroyed after it. Settings, clock and random source are not owned.
class Workspace final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Workspace)

public:
    struct Notice
    {
        QString text;
        QString actionText; ///< Empty without an action.
        std::function<void()> action;
        bool isError = false;
    };

    /// `clientProgram`: path of latchkey-cli, which runs the clients of the Playground.
    Workspace(Settings &settings, QString clientProgram, const base::Clock &clock, base::RandomSource &random,
              QObject *parent = nullptr);
    ~Workspace() override;

    /// Opens the last server, or the local one.
    void openUsual();
    /// Opens a server that the user has named, and keeps it even if it does not reply. A password in the keychain is
    /// fetched first. The previous server stays until the keychain is unlocked.
    void open(const net::Endpoint &endpoint);
    /// Opens the private server. Starts it if necessary, even if an earlier one has ended.
    void openPrivate();
    /// Opens the private server with running clients.
    void openDemo();

    /// Opens a saved redlock group beside the inspected server. Its servers are watched as any other.
    void openGroup(const QString &name) { m_groupOpener.open(name); }
    /// Returns the opener, with the names of the opened group and of its servers.
    [[nodiscard]] const GroupOpener &group() const { return m_groupOpener; }
    /// Returns the servers of the opened group, in the order of their names; empty without a group.
    [[nodiscard]] const std::vector<std::shared_ptr<inspection::InspectedServer>> &groupServers() const
    {
        return m_groupServers;
    }

    /// Returns the inspected server. Null before the first one.
    [[nodiscard]] inspection::InspectedServer *inspected() const { return m_inspected.get(); }

    /// Returns the private server of the Playground. Null until it has started. If a private server ends and another
    /// one is started, the Playground and its clients move there.
    [[nodiscard]] inspection::InspectedServer *playgroundServer() const { return m_playgroundServer.get(); }
    /// Starts the server of the Playground if necessary. If so, either playgroundServerChanged() or noticed() follows.
    void preparePlayground();
    [[nodiscard]] latchkey::playground::ClientPool &clientPool() { return m_clientPool; }
    /// Returns the servers of the Playground.
    [[nodiscard]] latchkey::playground::ServerPool &serverPool() { return m_serverPool; }
    /// Returns the path of latchkey-cli, for other child processes.
    [[nodiscard]] const QString &clientProgram() const { return m_clientProgram; }

    /// Returns the questions of ssh, which the window shows to the user.
    [[nodiscard]] ssh::AskpassServer &questions() { return m_questions; }
    [[nodiscard]] Settings &settings() { return m_settings; }
    /// Returns the saved connections. Servers that were opened from them stay watched when another one is opened.
    [[nodiscard]] latchkey::connections::SavedConnections &servers() { return m_servers; }
    /// Returns the watched server with the URL of this endpoint, without passwords. Null if there is none.
    [[nodiscard]] inspection::InspectedServer *watched(const net::Endpoint &endpoint) const;
    /// Returns the user's lock patterns, which apply to every server.
    [[nodiscard]] recognition::UserDialects &dialects() { return m_dialects; }
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }
    [[nodiscard]] base::RandomSource &random() const { return m_random; }

Q_SIGNALS:
    void inspectedChanged();
    /// Emitted when another group was opened, or the group was closed.
    void groupChanged();
    void playgroundServerChanged();
    /// Emitted with a notice for the user.
    void noticed(const latchkey::ui::shell::Workspace::Notice &notice);

private:
    void inspect(const net::Endpoint &endpoint, bool isPrivate);
    void watchGroup(const std::vector<net::Endpoint> &endpoints);
    void applyLimits(inspection::InspectedServer &server) const;
    /// Calls `proceed` with the passwords of the keychain, or without them. Does not call it if the user has opened
    /// another server meanwhile.
    void withSecrets(const net::Endpoint &endpoint, std::function<void(const net::Endpoint &)> proceed);
    void inspectUsual(const net::Endpoint &endpoint);
    /// Calls `ready` when the private server runs; at once if it already runs.
    void withPrivateServer(std::function<void()> ready);
    void privateServerIsReady();
    void privateServerFailed(const base::Error &error);
    void privateServerEnded();
    /// Moves the Playground to the current private server.
    void movePlayground();
    void startDemo();
    void fallBack(const base::Error &error);
    void applyDialects();
    void releaseUnsavedServers();
    void shareServers();

    Settings &m_settings;
    const QString m_clientProgram;
    ssh::AskpassServer m_questions;
    recognition::UserDialects m_dialects;
    latchkey::connections::SavedConnections m_servers;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    std::unique_ptr<latchkey::privateserver::PrivateServer> m_privateServer;
    std::vector<std::function<void()>> m_waiting; ///< Callbacks that wait for the private server.
    inspection::ServerRegistry m_registry;        ///< Declared before the servers that it has created.
    std::shared_ptr<inspection::InspectedServer> m_inspected;
    std::vector<std::shared_ptr<inspection::InspectedServer>> m_others; ///< Saved servers that were opened before.
    std::shared_ptr<inspection::InspectedServer> m_playgroundServer;
    GroupOpener m_groupOpener;
    std::vector<std::shared_ptr<inspection::InspectedServer>> m_groupServers;
    latchkey::playground::ClientPool m_clientPool;
    latchkey::playground::ServerPool m_serverPool;
    std::unique_ptr<latchkey::playground::Demo> m_demo;
    int m_requests = 0; ///< Number of servers requested by the user; a reply of the keychain to an earlier request is
                        ///< ignored.
};

} // namespace latchkey::ui::shell

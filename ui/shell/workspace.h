#pragma once

#include "core/inspection/serverregistry.h"
#include "core/playground/crew.h"
#include "core/playground/demo.h"
#include "core/playground/fleet.h"
#include "core/recognition/owndialects.h"
#include "core/server/privateserver.h"
#include "core/servers/serverbook.h"
#include "core/ssh/questions.h"
#include "ui/shell/settings.h"

#include <QObject>

#include <functional>
#include <memory>

namespace latchkey::ui::shell {

/// What the window works on: the server that is inspected, the private server, the playground's clients.
///
/// It opens on something real: the server that it is given, else the last one, else the local one; where that does not
/// answer and nobody asked for it by name, a private server is started in its stead, and the notice says so.
/// Owned by main(), before and after the window. Settings, clock and random source are not owned.
class Workspace final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Workspace)

public:
    struct Notice
    {
        QString text;
        QString actionText; ///< Empty: nothing can be done.
        std::function<void()> action;
        bool isError = false;
    };

    /// actorProgram: latchkey-cli.
    Workspace(Settings &settings, QString actorProgram, const base::Clock &clock, base::RandomSource &random,
              QObject *parent = nullptr);
    ~Workspace() override;

    /// Opens the last server, or the local one.
    void openUsual();
    /// Opens the server that the user has named; stays there even if it does not answer. Where the keychain has its
    /// password, that is fetched first, for which the keychain may have to be unlocked; meanwhile all is as before.
    void open(const resp::Endpoint &endpoint);
    /// Opens the private server, starting it first if need be: also a new one, where the last has ended.
    void openPrivate();
    /// The same with clients at work.
    void openDemo();

    /// The server that is inspected; null before the first.
    [[nodiscard]] inspection::InspectedServer *inspected() const { return m_inspected.get(); }

    /// The playground's server: private, and starting if it is not there yet; null until it is. Where a private server
    /// has ended and another is started, the playground moves there with its clients.
    [[nodiscard]] inspection::InspectedServer *playgroundServer() const { return m_playgroundServer.get(); }
    /// Starts the playground's server unless it is there; playgroundServerChanged() or noticed() follows.
    void preparePlayground();
    [[nodiscard]] playground::Crew &crew() { return m_crew; }
    /// The playground's server and those beside it.
    [[nodiscard]] playground::Fleet &fleet() { return m_fleet; }
    /// latchkey-cli, for what else runs as a process of its own.
    [[nodiscard]] const QString &actorProgram() const { return m_actorProgram; }

    /// What ssh has to ask on the way to a server, for the window to ask the user.
    [[nodiscard]] ssh::Questions &questions() { return m_questions; }
    [[nodiscard]] Settings &settings() { return m_settings; }
    /// The servers that are kept by name. Those that have been opened go on being watched when another is.
    [[nodiscard]] latchkey::servers::ServerBook &servers() { return m_servers; }
    /// What is watched at a place, as the user that is kept or named there; null: nothing.
    [[nodiscard]] inspection::InspectedServer *watched(const resp::Endpoint &endpoint) const;
    /// What the user has said of locks of their own; every server is looked at with it.
    [[nodiscard]] recognition::OwnDialects &dialects() { return m_dialects; }
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }
    [[nodiscard]] base::RandomSource &random() const { return m_random; }

Q_SIGNALS:
    void inspectedChanged();
    void playgroundServerChanged();
    /// Something that the user should know.
    void noticed(const latchkey::ui::shell::Workspace::Notice &notice);

private:
    void inspect(const resp::Endpoint &endpoint, bool isPrivate);
    /// Goes on with what the keychain has for it, or without; not if the user has gone elsewhere by then.
    void withSecrets(const resp::Endpoint &endpoint, std::function<void(const resp::Endpoint &)> goOn);
    void inspectUsual(const resp::Endpoint &endpoint);
    /// Calls ready once the private server is there; at once if it is.
    void withPrivateServer(std::function<void()> ready);
    void privateServerIsReady();
    void privateServerFailed(const base::Error &error);
    void privateServerEnded();
    /// Makes the private server that there is now the playground's.
    void movePlayground();
    void startDemo();
    void fallBack(const base::Error &error);
    void applyDialects();
    void letGoOfOthers();
    void shareServers();

    Settings &m_settings;
    const QString m_actorProgram;
    ssh::Questions m_questions;
    recognition::OwnDialects m_dialects;
    latchkey::servers::ServerBook m_servers;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    std::unique_ptr<latchkey::server::PrivateServer> m_privateServer;
    std::vector<std::function<void()>> m_waiting; ///< For the private server.
    inspection::ServerRegistry m_registry;        ///< Before what it has given out.
    std::shared_ptr<inspection::InspectedServer> m_inspected;
    std::vector<std::shared_ptr<inspection::InspectedServer>> m_others; ///< Kept by name, and opened before.
    std::shared_ptr<inspection::InspectedServer> m_playgroundServer;
    playground::Crew m_crew;
    playground::Fleet m_fleet;
    std::unique_ptr<playground::Demo> m_demo;
    int m_wishes = 0; ///< Of the user's for a server; what the keychain says for an earlier one is late.
};

} // namespace latchkey::ui::shell

#include "ui/shell/shell/workspace.h"

#include "core/redis/connections/keychain.h"
#include "core/redis/ssh/tunnels.h"
#include "ui/kit/widgets/sentence.h"

#include <QTimer>

#include <algorithm>

namespace latchkey::ui::shell {

using base::ErrorKind;
using inspection::InspectedServer;
using latchkey::privateserver::PrivateServer;
using net::Endpoint;
using net::Session;
using namespace std::chrono_literals;

namespace {

/// Delay of the message that the keychain is waiting for the user.
constexpr auto keychainMessageDelay = 500ms;

} // namespace

Workspace::Workspace(Settings &settings, QString clientProgram, const base::Clock &clock, base::RandomSource &random,
                     QObject *parent)
    : QObject(parent)
    , m_settings(settings)
    , m_clientProgram(std::move(clientProgram))
    , m_questions(m_clientProgram)
    , m_dialects(settings.dialectsFile())
    , m_servers(settings.serversFile())
    , m_clock(clock)
    , m_random(random)
    , m_registry(clock, random)
    , m_groupOpener(m_servers)
    , m_clientPool(m_clientProgram, clock)
    , m_serverPool(clock, random)
{
    ssh::Tunnels::instance().setAskpassServer(&m_questions);
    m_serverPool.setSize(m_settings.playgroundServers());
    connect(&m_serverPool, &latchkey::playground::ServerPool::sizeChanged, this, &Workspace::shareServers);
    connect(&m_serverPool, &latchkey::playground::ServerPool::failed, this,
            [this](const base::Error &error) { Q_EMIT noticed({widgets::sentence(error.message()), {}, {}, true}); });
    connect(&m_dialects, &recognition::UserDialects::changed, this, &Workspace::applyDialects);
    connect(&m_servers, &latchkey::connections::SavedConnections::changed, this, &Workspace::releaseUnsavedServers);
    connect(&m_groupOpener, &GroupOpener::opened, this, &Workspace::watchGroup);
    connect(&m_groupOpener, &GroupOpener::failed, this,
            [this](const base::Error &error) { Q_EMIT noticed({widgets::sentence(error.message()), {}, {}, true}); });
}

Workspace::~Workspace() = default;

void Workspace::applyDialects()
{
    for (const auto &server : {m_inspected, m_playgroundServer}) {
        if (server)
            server->locks().setDialects(m_dialects.dialects());
    }
    for (const auto *servers : {&m_others, &m_groupServers}) {
        for (const auto &server : *servers)
            server->locks().setDialects(m_dialects.dialects());
    }
}

void Workspace::shareServers()
{
    m_settings.setPlaygroundServers(m_serverPool.size());
    m_clientPool.share(m_serverPool.endpoints());
}

void Workspace::openUsual()
{
    const QString last = m_settings.lastServer();
    // If the saved URL is invalid, for example after a manual edit, the local server is used.
    const auto endpoint = last.isEmpty() ? Endpoint::local() : Endpoint::fromUrl(last).value_or(Endpoint::local());
    withSecrets(endpoint, [this](const Endpoint &known) { inspectUsual(known); });
}

void Workspace::inspectUsual(const Endpoint &endpoint)
{
    inspect(endpoint, false);
    connect(&m_inspected->session(), &Session::stateChanged, this, [this](Session::State state) {
        // Needed only until the first reply. After that, the session waits for the server.
        if (state == Session::State::Ready)
            m_inspected->session().disconnect(this);
        else if (state == Session::State::Waiting)
            fallBack(*m_inspected->session().lastError());
    });
}

void Workspace::fallBack(const base::Error &error)
{
    m_inspected->session().disconnect(this);
    const Session &session = m_inspected->session();
    if (error.kind != ErrorKind::Unreachable || session.needsUserAction() || session.refusedCertificate())
        return; // The server replies with a reason, which the window shows.
    const Endpoint wanted = m_inspected->endpoint();
    withPrivateServer([this, wanted, error] {
        inspect(m_privateServer->endpoint(), true);
        Q_EMIT noticed({tr("No server answers at %1. Latchkey has started a private one, which ends with the window.")
                            .arg(wanted.display()),
                        tr("Try again"), [this, wanted] { open(wanted); }});
    });
}

void Workspace::open(const Endpoint &endpoint)
{
    // Saved connections have no password. If the server is already watched, its password is known.
    const InspectedServer *there = latchkey::connections::Secrets::of(endpoint).isEmpty() ? watched(endpoint) : nullptr;
    const Endpoint known = there == nullptr ? endpoint : there->endpoint();
    withSecrets(known, [this](const Endpoint &filled) {
        inspect(filled, m_privateServer && m_privateServer->endpoint() == filled);
    });
}

void Workspace::withSecrets(const Endpoint &endpoint, std::function<void(const Endpoint &)> proceed)
{
    const int request = ++m_requests;
    const latchkey::connections::SavedConnection *saved = m_servers.findEndpoint(endpoint);
    if (saved == nullptr || !saved->hasSecrets || !latchkey::connections::lacksSecrets(endpoint))
        return proceed(endpoint);
    QTimer::singleShot(keychainMessageDelay, this, [this, request, name = saved->name, endpoint, proceed] {
        if (request == m_requests)
            Q_EMIT noticed({tr("Waiting for the keychain with the password of \"%1\". Unlock it if asked.").arg(name),
                            tr("Continue without"), [this, endpoint, proceed] {
                                ++m_requests;
                                proceed(endpoint);
                            }});
    });
    latchkey::connections::readKeychain(
        saved->name, *this,
        [this, request, endpoint, proceed](const base::Result<latchkey::connections::Secrets> &found) {
            if (request != m_requests)
                return;
            ++m_requests;
            proceed(found ? found->filledIn(endpoint) : endpoint);
            if (!found)
                Q_EMIT noticed({widgets::sentence(found.error().message()), {}, {}, true});
        });
}

void Workspace::openPrivate()
{
    withPrivateServer([this] { inspect(m_privateServer->endpoint(), true); });
}

void Workspace::openDemo()
{
    withPrivateServer([this] {
        inspect(m_privateServer->endpoint(), true);
        preparePlayground();
        if (!m_demo)
            startDemo();
    });
}

void Workspace::startDemo()
{
    m_demo = std::make_unique<latchkey::playground::Demo>(m_clientPool, m_clock, m_random);
    m_demo->start();
}

void Workspace::inspect(const Endpoint &endpoint, bool isPrivate)
{
    ++m_requests;
    // The previous server is released last, because the pages must release it first.
    const auto old = std::exchange(m_inspected, m_registry.open(endpoint, isPrivate));
    if (old)
        old->session().disconnect(this);
    std::erase(m_others, m_inspected);
    if (old && old != m_inspected && !old->isPrivate() && m_servers.findEndpoint(old->endpoint()) != nullptr) {
        old->setArmed(false); // A server that is no longer shown is disarmed.
        m_others.push_back(old);
    }
    applyLimits(*m_inspected);
    m_inspected->locks().setDialects(m_dialects.dialects());
    Q_EMIT inspectedChanged();
    connect(&m_inspected->session(), &Session::stateChanged, this,
            [this, server = m_inspected.get()](Session::State state) {
                if (state == Session::State::Ready && server == m_inspected.get() && !server->isPrivate())
                    m_settings.rememberServer(server->endpoint().toUrl());
            });
    m_inspected->start();
}

void Workspace::watchGroup(const std::vector<Endpoint> &endpoints)
{
    // The previous servers are released last, because the page must release them first.
    const auto old = std::exchange(m_groupServers, {});
    for (const Endpoint &endpoint : endpoints) {
        const bool isPrivate = m_privateServer && m_privateServer->endpoint() == endpoint;
        m_groupServers.push_back(m_registry.open(endpoint, isPrivate));
        applyLimits(*m_groupServers.back());
        m_groupServers.back()->locks().setDialects(m_dialects.dialects());
    }
    Q_EMIT groupChanged();
    for (const auto &server : m_groupServers)
        server->start();
}

/// Sets the limits of the load on the server. A production server is never scanned at full speed unless the user
/// chooses that for this server.
void Workspace::applyLimits(InspectedServer &server) const
{
    using budget::CommandLimit;
    const latchkey::connections::SavedConnection *saved = m_servers.findEndpoint(server.endpoint());
    const bool isProduction = saved != nullptr && saved->environment == latchkey::connections::Environment::Production;
    const bool isFast =
        !isProduction
        && m_settings.fastFirstScan().value_or(!budget::defaultFirstScanLimit(server.endpoint(), isProduction));
    server.watcher().setLimit(CommandLimit::ofShareAt(m_settings.commandsPerSecond()));
    server.watcher().setFirstScanLimit(isFast ? std::nullopt : std::optional(CommandLimit::ofFirstScan()));
}

InspectedServer *Workspace::watched(const Endpoint &endpoint) const
{
    const auto leadsThere = [wanted = endpoint.toUrl()](const std::shared_ptr<InspectedServer> &server) {
        return server && server->endpoint().toUrl() == wanted;
    };
    if (leadsThere(m_inspected))
        return m_inspected.get();
    for (const auto *servers : {&m_others, &m_groupServers}) {
        if (const auto found = std::ranges::find_if(*servers, leadsThere); found != servers->end())
            return found->get();
    }
    return nullptr;
}

/// Stops watching the other servers that are no longer saved.
void Workspace::releaseUnsavedServers()
{
    std::erase_if(m_others, [this](const std::shared_ptr<InspectedServer> &server) {
        return m_servers.findEndpoint(server->endpoint()) == nullptr;
    });
}

void Workspace::preparePlayground()
{
    if (m_playgroundServer && m_privateServer)
        return;
    withPrivateServer([this] {
        if (!m_playgroundServer)
            movePlayground();
    });
}

void Workspace::movePlayground()
{
    const Endpoint &server = m_privateServer->endpoint();
    const auto old = std::exchange(m_playgroundServer, m_registry.open(server, true)); // Alive until the pages have
                                                                                       // released it.
    m_playgroundServer->locks().setDialects(m_dialects.dialects());
    const bool hadDemo = m_demo != nullptr;
    if (hadDemo)
        m_demo->stop(); // The clients and keys of the demonstration belong to the old server.
    m_demo.reset();
    m_clientPool.moveTo(server);
    m_serverPool.setFirst(m_privateServer.get());
    Q_EMIT playgroundServerChanged();
    m_playgroundServer->start();
    if (hadDemo)
        startDemo();
}

void Workspace::withPrivateServer(std::function<void()> ready)
{
    if (m_privateServer && m_privateServer->isReady()) {
        ready();
        return;
    }
    if (m_privateServer && m_privateServer->isKilled())
        m_privateServer->start(); // The user killed the server in the Playground, and it is now needed again.
    m_waiting.push_back(std::move(ready));
    if (m_privateServer)
        return;
    m_privateServer = std::make_unique<PrivateServer>();
    connect(m_privateServer.get(), &PrivateServer::ready, this, &Workspace::privateServerIsReady);
    connect(m_privateServer.get(), &PrivateServer::failed, this, &Workspace::privateServerFailed);
    connect(m_privateServer.get(), &PrivateServer::ended, this, &Workspace::privateServerEnded);
    m_privateServer->start();
}

void Workspace::privateServerIsReady()
{
    if (m_playgroundServer && m_playgroundServer->endpoint() != m_privateServer->endpoint())
        movePlayground(); // The Playground's previous server has ended.
    for (const auto &ready : std::exchange(m_waiting, {}))
        ready();
}

void Workspace::privateServerFailed(const base::Error &error)
{
    m_waiting.clear();
    m_serverPool.setFirst(nullptr);
    m_privateServer.release()->deleteLater(); // Deleted later, because it is the sender. The next request tries again.
    Q_EMIT noticed({widgets::sentence(error.message()), {}, {}, true});
}

void Workspace::privateServerEnded()
{
    m_serverPool.setFirst(nullptr);
    m_privateServer.release()->deleteLater(); // Deleted later, because it is the sender. The next request starts a new
                                              // server.
    Q_EMIT noticed({tr("The private server has ended unexpectedly."), tr("Start another"),
                    [this] {
                        withPrivateServer([this] {
                            if (m_inspected && m_inspected->isPrivate())
                                inspect(m_privateServer->endpoint(), true);
                        });
                    },
                    true});
}

} // namespace latchkey::ui::shell

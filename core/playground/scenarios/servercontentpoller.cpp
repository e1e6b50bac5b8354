#include "core/playground/scenarios/servercontentpoller.h"

#include "core/playground/playground/sequencerecorder.h"
#include "core/playground/scenarios/serverrequests.h"

#include <algorithm>

namespace latchkey::scenarios {

using namespace std::chrono_literals;

namespace {

constexpr auto interval = 40ms;

/// Reads the keys on serving servers only. A killed server holds nothing.
exchange::Exchange<std::vector<ObservedKey>> readAll(std::vector<base::Key> keys, std::vector<int> servers)
{
    std::vector<ObservedKey> all;
    for (const int server : servers) {
        for (const base::Key &key : keys) {
            ObservedKey observedKey = co_await readKey(key, server);
            all.push_back(std::move(observedKey));
        }
    }
    co_return all;
}

} // namespace

ServerContentPoller::ServerContentPoller(ScenarioRun &run, const base::Clock &clock)
    : m_run(run)
    , m_clock(clock)
{
    m_timer.setInterval(interval);
    connect(&m_timer, &QTimer::timeout, this, &ServerContentPoller::poll);
}

void ServerContentPoller::start()
{
    m_timer.start();
}

void ServerContentPoller::stop()
{
    m_timer.stop();
    m_isPending = false;
}

void ServerContentPoller::poll()
{
    if (m_isPending || !m_run.isAttached())
        return;
    const std::vector<base::Key> keys = m_run.recorder().keys();
    if (keys.empty())
        return;
    std::vector<int> servers;
    for (int server = 0; server < m_run.scenario().servers; ++server) {
        if (m_run.servers().isServing(server))
            servers.push_back(server);
    }
    m_isPending = true;
    m_run.servers().driver().run<std::vector<ObservedKey>>(
        readAll(keys, servers), [this, asked = &m_run.servers()](const base::Result<std::vector<ObservedKey>> &answer) {
            if (!m_run.isAttached() || &m_run.servers() != asked)
                return;
            m_isPending = false;
            if (answer)
                record(*answer);
        });
}

void ServerContentPoller::record(const std::vector<ObservedKey> &keys)
{
    const auto tokens = m_run.clients().tokens();
    for (const ObservedKey &observedKey : keys) {
        const auto holder = std::ranges::find_if(tokens, [&](const auto &each) {
            return !each.second.isEmpty() && each.second.bytes() == observedKey.value;
        });
        std::optional<base::MonotonicTime> ends =
            observedKey.left ? m_clock.now() + *observedKey.left : base::MonotonicTime::max();
        if (m_run.scenario().extendsTtls && observedKey.left && ExtendedTtls::isExtended(*observedKey.left))
            ends.reset();
        m_run.recorder().recordKey(observedKey.server, observedKey.key, observedKey.exists,
                                   holder == tokens.end() ? QString() : holder->first, ends);
    }
}

} // namespace latchkey::scenarios

#include "core/redis/ssh/tunnels.h"

#include <QCoreApplication>

#include <algorithm>

namespace latchkey::ssh {

using base::Result;
using namespace std::chrono_literals;

namespace {

/// Interval of checks for idle tunnels. A tunnel ends if it is idle at two consecutive checks.
constexpr auto sweepInterval = 30s;

class Keeper final : public QObject
{
public:
    Keeper(std::shared_ptr<Tunnel> tunnel, QObject &device)
        : QObject(&device)
        , m_tunnel(std::move(tunnel))
    {}

private:
    const std::shared_ptr<Tunnel> m_tunnel;
};

} // namespace

Tunnels &Tunnels::instance()
{
    static Tunnels tunnels;
    return tunnels;
}

Tunnels::Tunnels()
{
    m_sweepTimer.setInterval(sweepInterval);
    connect(&m_sweepTimer, &QTimer::timeout, this, &Tunnels::sweep);
    // Notifiers and timers must be destroyed before the application.
    qAddPostRoutine([] { instance().close(); });
}

Result<std::shared_ptr<Tunnel>> Tunnels::tunnelTo(const SshHost &sshHost, const Target &target,
                                                  std::chrono::milliseconds connectTimeout)
{
    std::erase_if(m_entries, [](const Entry &entry) {
        const auto tunnel = entry.tunnel.lock();
        if (tunnel)
            tunnel->check();
        return !tunnel || tunnel->state() == Tunnel::State::Ended;
    });
    const auto known = std::ranges::find_if(
        m_entries, [&](const Entry &entry) { return entry.sshHost == sshHost && entry.target == target; });
    if (known != m_entries.end())
        return known->tunnel.lock();
    const auto tunnel = std::make_shared<Tunnel>(sshHost, target);
    if (auto started = tunnel->start(m_questions ? m_questions->environment() : QList<process::Launch::Variable>(),
                                     connectTimeout);
        !started)
        return base::failure(std::move(started.error()));
    connect(tunnel.get(), &Tunnel::opened, this, [this, opened = tunnel.get()] { keep(*opened); });
    m_entries.push_back({sshHost, target, tunnel, nullptr});
    m_sweepTimer.start();
    return tunnel;
}

void Tunnels::keep(const Tunnel &opened)
{
    for (Entry &entry : m_entries) {
        if (const auto tunnel = entry.tunnel.lock(); tunnel.get() == &opened)
            entry.kept = tunnel;
    }
}

int Tunnels::count() const
{
    return static_cast<int>(std::ranges::count_if(m_entries, [](const Entry &entry) {
        const auto tunnel = entry.tunnel.lock();
        return tunnel && tunnel->state() != Tunnel::State::Ended;
    }));
}

void Tunnels::clear()
{
    m_sweepTimer.stop();
    m_entries.clear();
}

void Tunnels::close()
{
    for (const Entry &entry : m_entries) {
        if (const auto tunnel = entry.tunnel.lock())
            tunnel->close();
    }
    clear();
}

void Tunnels::sweep()
{
    for (Entry &entry : m_entries) {
        const bool isIdle = entry.kept && entry.kept.use_count() == 1;
        if (std::exchange(entry.wasIdle, isIdle) && isIdle)
            entry.kept.reset();
    }
    std::erase_if(m_entries, [](const Entry &entry) { return entry.tunnel.expired(); });
    if (m_entries.empty())
        m_sweepTimer.stop();
}

void keepFor(QObject &device, std::shared_ptr<Tunnel> tunnel)
{
    new Keeper(std::move(tunnel), device); // Owned by the device.
}

} // namespace latchkey::ssh

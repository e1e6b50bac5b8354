#include "app/cli/scansample.h"

namespace latchkey::cli {

using base::MonotonicTime;

namespace {

constexpr std::size_t maxEntries = 64;

} // namespace

void ScanSample::add(const QByteArray &key, const resp::Reply &left, MonotonicTime answered)
{
    if (!left.isInteger() || left.toInteger() < -1 || m_seen++ % m_stride != 0)
        return;
    const qint64 lifetime = left.toInteger();
    m_entries.push_back({key, lifetime < 0 ? MonotonicTime::max() : answered + std::chrono::milliseconds(lifetime)});
    if (m_entries.size() < maxEntries)
        return;
    std::vector<Entry> kept;
    for (std::size_t i = 0; i < m_entries.size(); i += 2)
        kept.push_back(std::move(m_entries[i]));
    m_entries = std::move(kept);
    m_stride *= 2;
}

void ScanSample::clear()
{
    *this = {};
}

resp::Commands ScanSample::requests(MonotonicTime now) const
{
    // The server may remove a key slightly before its expiry by the clock of this machine.
    constexpr auto margin = std::chrono::milliseconds(100);
    resp::Commands commands;
    for (const Entry &entry : m_entries) {
        if (entry.endsAt == MonotonicTime::max() || entry.endsAt - margin > now)
            commands.push_back({QByteArrayLiteral("PTTL"), entry.key});
    }
    return commands;
}

ScanSample::Check ScanSample::check(const std::vector<resp::Reply> &replies)
{
    Check check;
    for (const resp::Reply &reply : replies) {
        if (!reply.isInteger())
            continue;
        ++check.checked;
        if (reply.toInteger() == -2)
            ++check.gone;
    }
    return check;
}

} // namespace latchkey::cli

#include "core/playground/playground/clienteventlog.h"

#include <algorithm>
#include <set>

namespace latchkey::playground {

using Event = ClientReport::Event;

void ClientEventLog::ordered(const QString &client, const ClientOrder &order, base::MonotonicTime at)
{
    add({Entry::Kind::Ordered, client, at, order});
}

void ClientEventLog::received(const QString &client, const ClientReport &report)
{
    switch (report.event) {
    case Event::Ready:
    case Event::Reconnected:
    case Event::ExpiryChanged:
    case Event::AtBreakpoint:
    case Event::Wire:
    case Event::Renewed: // Renewals are automatic, in a story as well.
        return;
    case Event::Lost:
        add({Entry::Kind::Reported, client, report.writtenAt, {}, report});
        return;
    case Event::Acquired:
    case Event::Busy:
    case Event::Released:
    case Event::Extended:
    case Event::NotOwner:
    case Event::Gone:
    case Event::Unknown:
    case Event::Error:
    case Event::Done:
        add({Entry::Kind::Answered, client, report.writtenAt, {}, report});
        return;
    }
    Q_UNREACHABLE();
}

void ClientEventLog::removed(const QString &client, base::MonotonicTime at)
{
    add({Entry::Kind::Removed, client, at});
}

void ClientEventLog::clear(const QStringList &holders)
{
    std::deque<Entry> kept;
    std::set<QString> missing(holders.begin(), holders.end());
    // Keeps the entries from each holder's last acquire on. Drops the entries of clients that hold nothing.
    for (auto entry = m_entries.rbegin(); entry != m_entries.rend(); ++entry) {
        if (!missing.contains(entry->client))
            continue;
        kept.push_front(*entry);
        if (entry->order && std::holds_alternative<AcquireOrder>(*entry->order))
            missing.erase(entry->client);
    }
    m_entries = std::move(kept);
    m_dropped = 0;
}

void ClientEventLog::add(Entry entry)
{
    if (!m_entries.empty()) // Clients report whole milliseconds.
        entry.at = std::max(entry.at, m_entries.back().at);
    m_entries.push_back(std::move(entry));
    if (m_entries.size() <= maxEntries)
        return;
    m_entries.pop_front();
    ++m_dropped;
}

} // namespace latchkey::playground

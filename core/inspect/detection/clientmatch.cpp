#include "core/inspect/detection/clientmatch.h"

#include "core/inspect/recognition/text.h"

#include <QHostAddress>
#include <QVarLengthArray>

#include <algorithm>

namespace latchkey::detection {

using recognition::Holder;
using recognition::isDigits;
using recognition::isUuid;
using Criterion = ClientMatch::Criterion;

namespace {

/// Limits of a name that can contain a host and a process ID; longer names are ignored.
constexpr qsizetype maxParts = 8;
constexpr qsizetype maxNameLength = 256;

using Parts = QVarLengthArray<QByteArrayView, maxParts>;

Parts partsOf(QByteArrayView text, QByteArrayView separators)
{
    Parts parts;
    text.truncate(std::min(text.size(), maxNameLength));
    for (qsizetype from = 0; from < text.size();) {
        qsizetype end = from;
        while (end < text.size() && !separators.contains(text[end]))
            ++end;
        if (end > from)
            parts.append(text.sliced(from, end - from));
        from = end + 1;
    }
    return parts;
}

/// Returns whether the text is an address in the form of CLIENT LIST: `10.0.0.7:52314`, `[::1]:52314`.
bool isAddress(const QByteArray &text)
{
    const qsizetype colon = text.lastIndexOf(':');
    if (colon <= 0 || !isDigits(QByteArrayView(text).sliced(colon + 1)))
        return false;
    const QByteArray host = text.first(colon);
    const int port = text.sliced(colon + 1).toInt();
    if (port <= 0 || port > 65535)
        return false;
    if (host.startsWith('[') && host.endsWith(']'))
        return QHostAddress(QString::fromLatin1(host.sliced(1, host.size() - 2))).protocol()
            == QAbstractSocket::IPv6Protocol;
    return host.count('.') == 3 && QHostAddress(QString::fromLatin1(host)).protocol() == QAbstractSocket::IPv4Protocol;
}

/// Returns the addresses in the holder's data, such as `worker@10.0.0.7:52314` or `{"client":"10.0.0.7:52314"}`.
QByteArrayList addressesIn(const Holder &holder)
{
    constexpr QByteArrayView separators("@|/#,; \t\"'=(){}");
    QByteArrayList addresses;
    for (const QByteArray &text : {holder.bytes, holder.client}) {
        for (const QByteArrayView part : partsOf(text, separators)) {
            if (isAddress(part.toByteArray()))
                addresses += part.toByteArray();
        }
    }
    return addresses;
}

/// Returns whether the text could be a client name that a person chose: not a number and not a random token.
bool isName(const QByteArray &text)
{
    constexpr qsizetype minTokenLength = 16;
    constexpr QByteArrayView between("-._:@/#|");
    if (text.size() < 2 || text.size() > maxNameLength || isDigits(text))
        return false;
    if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; })) // The server permits these characters
                                                                                // only.
        return false;
    if (text.size() >= 36 && isUuid(QByteArrayView(text).first(36)))
        return false;
    return text.size() < minTokenLength || std::ranges::any_of(text, [&](char c) { return between.contains(c); });
}

/// The separators between the parts of a name, as in `job:hostA:4711`.
constexpr QByteArrayView nameSeparators(":@/#|_ ,");

} // namespace

ConnectedClientIndex::ConnectedClientIndex(ClientList list)
    : m_list(std::move(list))
{
    // BullMQ: `bull:<base64 of the queue>:w:<name of the worker>`
    constexpr QByteArrayView workerName(":w:");
    for (std::size_t i = 0; i < m_list.clients.size(); ++i) {
        const ConnectedClient &client = m_list.clients[i];
        if (!client.address.startsWith('/')) // All clients of a Unix socket have one address.
            m_byAddress.emplace_back(client.address, i);
        if (client.name.isEmpty())
            continue;
        const QByteArrayView name(client.name);
        m_byName.emplace_back(name, i);
        if (const qsizetype worker = name.lastIndexOf(workerName); worker > 0)
            m_byName.emplace_back(name.sliced(worker + workerName.size()), i);
        const Parts parts = partsOf(name, nameSeparators);
        for (const QByteArrayView part : parts.size() <= maxParts ? parts : Parts()) {
            if (isDigits(part))
                m_byPid.emplace_back(part, i);
        }
    }
    for (Positions *positions : {&m_byAddress, &m_byName, &m_byPid})
        std::ranges::sort(*positions);
}

std::vector<std::size_t> ConnectedClientIndex::positionsOf(const Positions &positions, QByteArrayView value)
{
    std::vector<std::size_t> found;
    if (value.isEmpty())
        return found;
    for (const auto &[key, position] : std::ranges::equal_range(positions, value, {}, &Positions::value_type::first))
        found.push_back(position);
    return found;
}

std::vector<std::size_t> ConnectedClientIndex::positionsOf(qint64 connection) const
{
    const auto client = std::ranges::find(m_list.clients, connection, &ConnectedClient::id);
    if (client == m_list.clients.end())
        return {};
    return {static_cast<std::size_t>(client - m_list.clients.begin())};
}

/// Returns the clients whose names contain both as parts.
std::vector<std::size_t> ConnectedClientIndex::positionsOf(const QByteArray &host, qint64 pid) const
{
    std::vector<std::size_t> positions = positionsOf(m_byPid, QByteArray::number(pid));
    const auto last = std::ranges::unique(positions).begin(); // A name may contain the number twice.
    positions.erase(last, positions.end());
    std::erase_if(positions, [&](std::size_t position) {
        const Parts parts = partsOf(m_list.clients[position].name, nameSeparators);
        return std::ranges::find(parts, QByteArrayView(host)) == parts.end();
    });
    return positions;
}

std::optional<ClientMatch> ConnectedClientIndex::matchOf(Criterion criterion, const QByteArray &value,
                                                         const std::vector<std::size_t> &positions) const
{
    if (positions.empty())
        return std::nullopt;
    ClientMatch match {criterion, value, {}};
    for (const std::size_t position : positions)
        match.clients.push_back(m_list.clients[position]);
    std::ranges::stable_sort(match.clients, std::greater {}, &ConnectedClient::age);
    return match;
}

std::optional<ClientMatch> ConnectedClientIndex::match(const Holder &holder) const
{
    for (const QByteArray &address : addressesIn(holder)) {
        if (auto match = matchOf(Criterion::Address, address, positionsOf(m_byAddress, address)))
            return match;
    }
    // Only a number that is marked as a client ID is used. Any other number is more likely a process ID, a time or a
    // count.
    if (holder.connection) {
        if (auto match =
                matchOf(Criterion::Id, QByteArray::number(*holder.connection), positionsOf(*holder.connection)))
            return match;
    }
    for (const QByteArray &name : {holder.bytes, holder.client}) {
        if (isDigits(name))
            continue;
        if (auto match = matchOf(Criterion::Name, name, positionsOf(m_byName, name)))
            return match;
    }
    if (!holder.pid || holder.host.isEmpty())
        return std::nullopt;
    return matchOf(Criterion::HostAndPid, holder.host + ' ' + QByteArray::number(*holder.pid),
                   positionsOf(holder.host, *holder.pid));
}

std::optional<ClientMatch> ConnectedClientIndex::findByAddress(const QByteArray &address) const
{
    return matchOf(Criterion::Trace, address, positionsOf(m_byAddress, address));
}

bool identifiesClient(const Holder &holder)
{
    const bool hasProcess = holder.pid && !holder.host.isEmpty();
    return hasProcess || holder.connection || isName(holder.bytes) || isName(holder.client)
        || !addressesIn(holder).isEmpty();
}

} // namespace latchkey::detection

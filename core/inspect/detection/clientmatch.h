#pragma once

#include "core/inspect/detection/clientlist.h"
#include "core/inspect/recognition/decoded.h"

#include <utility>

namespace latchkey::detection {

/// The connected clients that are inferred to be a lock's holder, and the reason. A value type.
struct ClientMatch
{
    enum class Criterion : quint8 {
        Address,    ///< The holder's address and port are those of the client.
        Id,         ///< The holder gives its client ID, and this is the client with that ID.
        Name,       ///< The client's name equals the name that the holder gives.
        HostAndPid, ///< The client's name contains the holder's host and process ID.
        Trace,      ///< A trace has shown that the lock was acquired from this address.
    };

    Criterion criterion = Criterion::Name;
    QByteArray value;                     ///< The address, ID or name that matches.
    std::vector<ConnectedClient> clients; ///< All matching clients, the longest connected first.

    friend bool operator==(const ClientMatch &, const ClientMatch &) = default;
};

/// An index of connected clients that finds the client of a lock's holder from the holder's own data.
///
/// The result is only an inference, because a client can choose any name. Without matching data, no client is returned:
/// idle times are not used for guesses.
class ConnectedClientIndex final
{
public:
    ConnectedClientIndex() = default;
    explicit ConnectedClientIndex(ClientList list);
    // Not copyable: the index refers to the bytes of the list.
    ConnectedClientIndex(const ConnectedClientIndex &) = delete;
    ConnectedClientIndex &operator=(const ConnectedClientIndex &) = delete;
    ConnectedClientIndex(ConnectedClientIndex &&) = default;
    ConnectedClientIndex &operator=(ConnectedClientIndex &&) = default;
    ~ConnectedClientIndex() = default;

    /// Returns the clients that match the data of the holder. Absent: no client matches.
    [[nodiscard]] std::optional<ClientMatch> match(const recognition::Holder &holder) const;
    /// Returns the client at an address that a trace has identified as the holder's.
    [[nodiscard]] std::optional<ClientMatch> findByAddress(const QByteArray &address) const;
    [[nodiscard]] bool isComplete() const { return m_list.isComplete; }
    [[nodiscard]] std::size_t size() const { return m_list.clients.size(); }

private:
    /// Sorted search keys, each with the position of its client in the list. Built in one pass, because a list may have
    /// ten thousand clients.
    using Positions = std::vector<std::pair<QByteArrayView, std::size_t>>;

    [[nodiscard]] std::optional<ClientMatch> matchOf(ClientMatch::Criterion criterion, const QByteArray &value,
                                                     const std::vector<std::size_t> &positions) const;
    [[nodiscard]] static std::vector<std::size_t> positionsOf(const Positions &positions, QByteArrayView value);
    [[nodiscard]] std::vector<std::size_t> positionsOf(qint64 connection) const;
    [[nodiscard]] std::vector<std::size_t> positionsOf(const QByteArray &host, qint64 pid) const;

    ClientList m_list;
    Positions m_byAddress;
    Positions m_byName;
    Positions m_byPid; ///< One entry for each number in a name.
};

/// Returns whether a holder contains data that could identify a client. A random token does not.
[[nodiscard]] bool identifiesClient(const recognition::Holder &holder);

} // namespace latchkey::detection

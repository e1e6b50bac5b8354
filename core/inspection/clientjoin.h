#pragma once

#include "core/inspection/clientlist.h"
#include "core/recognition/decoded.h"

#include <utility>

namespace latchkey::inspection {

/// Why a connected client is thought to be a lock's holder, and which it is. A value type.
struct ClientJoin
{
    enum class By : quint8 {
        Address,    ///< The holder's address and port are the client's.
        Id,         ///< The holder says that its client's number is this one.
        Name,       ///< The client's name is what the holder calls itself.
        HostAndPid, ///< The client's name has the holder's machine and process in it.
        Trace,      ///< A trace has shown that the lock was acquired from this address.
    };

    By by = By::Name;
    QByteArray what;             ///< The address, the number or the name: what makes it this client.
    std::vector<Client> clients; ///< Of which it is true, the one that has been connected longest first.

    friend bool operator==(const ClientJoin &, const ClientJoin &) = default;
};

/// Finds the clients to which a holder can be joined by what it says of itself.
///
/// It is an inference and nothing more: anybody may call itself anything. Where nothing points to a client, none is
/// named; a guess by who was idle for how long is none.
class ClientIndex final
{
public:
    ClientIndex() = default;
    explicit ClientIndex(ClientList list);
    // What it is sorted by is the list's own bytes.
    ClientIndex(const ClientIndex &) = delete;
    ClientIndex &operator=(const ClientIndex &) = delete;
    ClientIndex(ClientIndex &&) = default;
    ClientIndex &operator=(ClientIndex &&) = default;
    ~ClientIndex() = default;

    [[nodiscard]] std::optional<ClientJoin> join(const recognition::Holder &holder) const;
    /// The client of that address, which a trace has shown to be the holder's.
    [[nodiscard]] std::optional<ClientJoin> joinTraced(const QByteArray &address) const;
    [[nodiscard]] bool isComplete() const { return m_list.isComplete; }
    [[nodiscard]] std::size_t size() const { return m_list.clients.size(); }

private:
    /// What a client can be found by, sorted, and where the client stands. Made in one go: a list may have ten
    /// thousand.
    using Places = std::vector<std::pair<QByteArrayView, std::size_t>>;

    [[nodiscard]] std::optional<ClientJoin> joined(ClientJoin::By by, const QByteArray &what,
                                                   const std::vector<std::size_t> &places) const;
    [[nodiscard]] static std::vector<std::size_t> placesOf(const Places &places, QByteArrayView what);
    [[nodiscard]] std::vector<std::size_t> placesOf(qint64 connection) const;
    [[nodiscard]] std::vector<std::size_t> placesOf(const QByteArray &host, qint64 pid) const;

    ClientList m_list;
    Places m_byAddress;
    Places m_byName;
    Places m_byPid; ///< By each number in a name.
};

/// Whether a holder says something of itself that a client could be found by: a random token does not.
[[nodiscard]] bool saysWhichClient(const recognition::Holder &holder);

} // namespace latchkey::inspection

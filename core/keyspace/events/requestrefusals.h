#pragma once

#include "core/keyspace/events/coverage.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <array>

namespace latchkey::events {

inline constexpr std::array keyRequests {KeyRequest::Names, KeyRequest::Expiry, KeyRequest::Type, KeyRequest::Value};

/// The refused kinds of read requests, as derived from the replies to each command that reads keys.
///
/// A kind may have several commands, because each type of value is read by its own command. Owned by the CoverageMeter,
/// which passes every reply; it sends no commands. A refusal that every command gets, such as BUSY, is not recorded
/// here.
class RequestRefusals final
{
public:
    /// Index of a command that reads keys.
    using CommandIndex = std::size_t;

    /// Returns the index of a command; absent: it does not read keys.
    [[nodiscard]] static std::optional<CommandIndex> indexOf(const resp::Command &command);
    /// Returns the kind of a good reply to this command.
    [[nodiscard]] static resp::Reply::Kind replyKindOf(CommandIndex index);

    /// The refusal of a kind of request, by any of its commands.
    struct Refusal
    {
        base::Error why;
        std::optional<base::MonotonicTime> good; ///< Last good reply before the refusal.
        bool isOfSomeKeys = false;
    };

    void grant(CommandIndex index, base::MonotonicTime at);
    /// Records the refusal `error` that was read from `reply`.
    void refuse(CommandIndex index, const base::Error &error, const resp::Reply &reply, base::MonotonicTime at);
    /// Sets why the last scan was not completed; absent: the scan was completed.
    void setScanFailure(const std::optional<base::Error> &why) { m_scanFailure = why; }
    /// Forgets the refusals for a new connection: the user or the server may be another one.
    void reset();

    /// Returns the refusal of a kind of request; absent: the server answers it.
    [[nodiscard]] std::optional<Refusal> refusalOf(KeyRequest request) const;

private:
    static constexpr std::size_t commandCount = 14;

    /// The last replies to one command.
    struct ReplyRecord
    {
        std::optional<base::MonotonicTime> good; ///< Last good reply.
        std::optional<base::Error> refusal;
        base::MonotonicTime refusedAt;
        bool isOfTheKey = false; ///< Whether the refusal may concern only the key of the command.
        bool isAnswered = false; ///< Whether there was a good reply over this connection.

        [[nodiscard]] bool isOfSomeKeys() const { return isOfTheKey && good.has_value(); }
    };

    [[nodiscard]] bool isOtherTypeRead(CommandIndex index) const;

    std::array<ReplyRecord, commandCount> m_records;
    std::optional<base::Error> m_scanFailure;
};

} // namespace latchkey::events

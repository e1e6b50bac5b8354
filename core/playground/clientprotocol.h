#pragma once

#include "core/locks/catalogue.h"

#include <QJsonObject>

#include <optional>
#include <variant>

// What a playground client is told and what it tells: one JSON object per line, on its standard input and output.

namespace latchkey::playground {

/// `{"do": "acquire", "recipe": "token", "key": "k", "lease_ms": 5000, "unit": "ms", "token": "…", "value": "…",
/// "wait_ms": 0}`; only do, recipe and key are needed. Bytes that are not UTF-8 come under `key_base64` and so on.
struct AcquireOrder
{
    QString recipe;
    locks::LockOptions options;
    std::chrono::milliseconds wait {};
};

/// `{"do": "release"}`: the lock that the client holds, or believes to hold.
struct ReleaseOrder
{};

/// `{"do": "extend", "lease_ms": 5000}`
struct ExtendOrder
{
    base::Lease lease;
};

/// `{"do": "quit"}`: ends without releasing anything, as the end of the input does.
struct QuitOrder
{};

using ClientOrder = std::variant<AcquireOrder, ReleaseOrder, ExtendOrder, QuitOrder>;

[[nodiscard]] QJsonObject toJson(const ClientOrder &order);
/// Error (Usage): what is missing or cannot be read.
[[nodiscard]] base::Result<ClientOrder> orderFromJson(const QByteArray &line);

/// What a client reports: one line each. Renewed, EndMoved and Lost come of themselves, also between an order and its
/// answer; the rest answer an order, after Ready.
struct ClientReport
{
    enum class Event : quint8 {
        Ready, ///< Connected, and waiting for orders.
        Acquired,
        Busy, ///< Somebody else holds the lock.
        Released,
        Extended,
        NotOwner, ///< The lock is another's: the client has lost it.
        Gone,     ///< There is no lock: the client has lost it.
        Renewed,  ///< The client has extended its lease by itself, as its recipe asks.
        EndMoved, ///< The client has seen that somebody has given its lock another end.
        Lost,     ///< The client has found out by itself that it has lost the lock; message says how.
        Unknown,  ///< The answer was lost; the client cannot know.
        Error,    ///< Nothing was changed; message says why.
        Wire,     ///< A command and its reply: command, reply.
    };

    Event event = Event::Error;
    base::Key key;                                  ///< Of what concerns a lock.
    base::OwnerToken token;                         ///< Of Acquired, where the recipe has tokens.
    std::optional<qint64> fencing;                  ///< Of Acquired.
    std::optional<std::chrono::milliseconds> lease; ///< Of Acquired, Extended, Renewed and EndMoved.
    /// Likewise: until when the hold may be relied on; absent: it has no lease.
    std::optional<base::MonotonicTime> validUntil;
    base::Text message; ///< Of Unknown, Error and Lost.
    QString command;    ///< Of Wire.
    base::Text reply;   ///< Of Wire.
    /// By the machine's clock since boot, which its processes share.
    base::MonotonicTime writtenAt;
};

/// `{"event": "acquired", "key": "k", "token": "…", "lease_ms": 5000, "valid_for_ms": 4940, "written_at_boot_ms":
/// 81234}` and so on; valid_for_ms counts from written_at_boot_ms. What is not the same in
/// every language is in it twice: `"message"`, in English, and `"message_text"`, for a reader that words it anew.
[[nodiscard]] QJsonObject toJson(const ClientReport &report);
/// Times come back as whole milliseconds, and never later than they were. Error (Protocol): the line is no report.
[[nodiscard]] base::Result<ClientReport> reportFromJson(const QByteArray &line);

} // namespace latchkey::playground

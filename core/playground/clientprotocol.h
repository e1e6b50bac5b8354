#pragma once

#include "core/locks/catalogue.h"
#include "core/playground/deeds.h"

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

/// `{"do": "write"}`: to the resource behind the lock, which is the listener's to keep. Only a client that believes it
/// holds a lock does so; its fencing number goes with it, if it has one.
struct WriteOrder
{};

/// `{"do": "go", "before": ["DEL"]}`: sends what it is held before, and from now on is held before these commands; see
/// Gate. Carried out at once, whatever order is under way, and not answered.
struct GoOrder
{
    QList<QByteArray> before;
    /// `"singly": true`: the commands of a pipeline are sent one by one, each when it is let go. The client sends
    /// nothing else: no PING, no renewal, and no look at its lock.
    bool isSingly = false;
    /// `"letting": 1`: so many of what it would be held before are let go beforehand.
    int letting = 0;
    /// `"server": 2`: of a pipeline to several servers, the next command of that one goes next. Absent: in their order.
    std::optional<int> server {};
};

/// `{"do": "clock", "ahead_ms": 3600000}`: from now on its clock is ahead of the machine's by so much, or behind.
/// Carried out at once, and not answered. What it measures is not touched: that is a matter of the other clock.
struct ClockOrder
{
    std::chrono::milliseconds ahead {};
};

/// `{"do": "lose-reply", "is_wanted": true}`: the reply to the next command that it sends never reaches it, once.
/// Carried out at once as well, and not answered.
struct LoseReplyOrder
{
    bool isWanted = true; ///< Else what was wanted is not any more.
};

using ClientOrder = std::variant<AcquireOrder, ReleaseOrder, ExtendOrder, QuitOrder, PutOrder, GetOrder, RecomputeOrder,
                                 SendOrder, WriteOrder, GoOrder, ClockOrder, LoseReplyOrder>;

/// Whether it is carried out at once, whatever is under way, and not answered.
[[nodiscard]] bool isAside(const ClientOrder &order);

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
        Done,     ///< An order that is about no lock has been carried out: upshot.
        Held,     ///< It is about to send what it was to be held before: command.
        Wire,     ///< A command and its reply: command, reply.
    };

    Event event = Event::Error;
    base::Key key;                                  ///< Of what concerns a lock.
    base::OwnerToken token;                         ///< Of Acquired, where the recipe has tokens.
    std::optional<qint64> fencing;                  ///< Of Acquired, and of Done after a write.
    std::optional<std::chrono::milliseconds> lease; ///< Of Acquired, Extended, Renewed and EndMoved.
    /// Likewise: until when the hold may be relied on; absent: it has no lease.
    std::optional<base::MonotonicTime> validUntil;
    base::Text message; ///< Of Unknown, Error and Lost.
    QString command;    ///< Of Wire and Held.
    base::Text reply;   ///< Of Wire.
    /// Of Wire: when the command was sent, and to which of the client's servers.
    std::optional<base::MonotonicTime> sentAt;
    int server = 0;
    bool isReplyError = false; ///< Of Wire: the reply is an error, or none came.
    bool isReplyLost = false;  ///< Of Wire: none came.
    Upshot upshot;             ///< Of Done.
    /// By the machine's clock since boot, which its processes share.
    base::MonotonicTime writtenAt;
};

/// `not-owner`
[[nodiscard]] QString eventId(ClientReport::Event event);

/// `{"event": "acquired", "key": "k", "token": "…", "lease_ms": 5000, "valid_for_ms": 4940, "written_at_boot_ms":
/// 81234}` and so on; valid_for_ms and sent_ms_ago count from written_at_boot_ms. What is not the same in
/// every language is in it twice: `"message"`, in English, and `"message_text"`, for a reader that words it anew.
[[nodiscard]] QJsonObject toJson(const ClientReport &report);
/// Times come back as whole milliseconds, and never later than they were. Error (Protocol): the line is no report.
[[nodiscard]] base::Result<ClientReport> reportFromJson(const QByteArray &line);

} // namespace latchkey::playground

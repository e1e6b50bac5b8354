#pragma once

#include "core/playground/playground/operations.h"
#include "core/recipes/locks/catalogue.h"

#include <QJsonObject>

#include <optional>
#include <variant>

// The protocol of a playground client: one JSON object per line, on its standard input and output.

namespace latchkey::playground {

/// An order to acquire a lock: `{"do": "acquire", "recipe": "token", "key": "k", "lease_ms": 5000, "unit": "ms",
/// "token": "…", "value": "…", "wait_ms": 0}`; only do, recipe and key are required. Bytes that are not UTF-8 are under
/// `key_base64` and so on.
struct AcquireOrder
{
    QString recipe;
    locks::LockOptions options;
    std::chrono::milliseconds wait {};
};

/// An order to release the lock that the client holds, or believes that it holds: `{"do": "release"}`.
struct ReleaseOrder
{};

/// An order to extend the lease: `{"do": "extend", "lease_ms": 5000}`.
struct ExtendOrder
{
    base::Lease lease;
};

/// An order to end without releasing anything, like the end of the input: `{"do": "quit"}`.
struct QuitOrder
{};

/// An order to write to the resource behind the lock: `{"do": "write"}`. The reader of the reports implements the
/// resource. Only a client that believes that it holds a lock writes. The client sends its fencing token, if there is
/// one.
struct WriteOrder
{};

/// An order to resume at a breakpoint, and to set the next breakpoints: `{"do": "go", "before": ["DEL"]}`; see
/// BreakpointDriver. Executed at once, even during another order, and not answered.
struct ResumeOrder
{
    QList<QByteArray> before;
    /// `"singly": true`: the commands of a pipeline are sent one by one, each when released. Meanwhile, the client
    /// sends no PING, no renewal and no check of its lock.
    bool sendsOneByOne = false;
    /// `"letting": 1`: number of matching commands to send before the first pause.
    int matchesToSkip = 0;
    /// `"server": 2`: server of the next command, if a pipeline goes to several servers. Absent: in pipeline order.
    std::optional<int> server {};
};

/// An order to set the lead of the client's wall clock over the machine's: `{"do": "clock", "ahead_ms": 3600000}`;
/// negative: behind. Executed at once, and not answered. The monotonic clock is not changed.
struct ClockOrder
{
    std::chrono::milliseconds ahead {};
};

/// An order to lose the reply to the client's next command, once: `{"do": "lose-reply", "is_wanted": true}`. Executed
/// at once, and not answered.
struct LoseReplyOrder
{
    bool isWanted = true; ///< False: cancels a previous request.
};

/// An order to wait for the connection with a server that was restarted or replaced: `{"do": "reconnect", "server":
/// 0}`. Executed at once, even during another order; the report Reconnected follows. Later orders wait for it.
struct ReconnectOrder
{
    int server = 0;
};

using ClientOrder = std::variant<AcquireOrder, ReleaseOrder, ExtendOrder, QuitOrder, PutOrder, GetOrder, RecomputeOrder,
                                 SendOrder, WriteOrder, ResumeOrder, ClockOrder, LoseReplyOrder, ReconnectOrder>;

/// Returns whether the order is executed at once, even during another order, and does not answer it.
[[nodiscard]] bool isImmediate(const ClientOrder &order);

[[nodiscard]] QJsonObject toJson(const ClientOrder &order);
/// Reads an order. Error (Usage): a member is missing or invalid.
[[nodiscard]] base::Result<ClientOrder> orderFromJson(const QByteArray &line);

/// A report of a client, one line each. The first report is Ready, or an Error or Unknown if the connection fails.
/// Renewed, ExpiryChanged, Lost, AtBreakpoint, Reconnected and Wire do not answer an order and may come between an
/// order and its answer. All other reports answer an order.
struct ClientReport
{
    enum class Event : quint8 {
        Ready, ///< Connected, and ready for orders.
        Acquired,
        Busy, ///< Another client holds the lock.
        Released,
        Extended,
        NotOwner,      ///< Another client owns the lock; this client has lost it.
        Gone,          ///< The lock does not exist; the client has lost it.
        Renewed,       ///< The client renewed its lease automatically.
        ExpiryChanged, ///< The client detected that another client changed the lock's expiry.
        Lost,          ///< The client detected that it lost the lock; message has the cause.
        Unknown,       ///< The reply was lost; the result is unknown.
        Error,         ///< Nothing was changed; message has the cause.
        Done,          ///< An order that is not about the lock was executed: operationResult.
        AtBreakpoint,  ///< The client is paused at a breakpoint: command.
        Reconnected,   ///< The client has a connection with the server again: server.
        Wire,          ///< A command and its reply: command, reply.
    };

    Event event = Event::Error;
    base::Key key;                                  ///< Key of the lock.
    base::OwnerToken token;                         ///< With Acquired, if the recipe has tokens.
    std::optional<qint64> fencing;                  ///< With Acquired, and with Done after a write.
    std::optional<std::chrono::milliseconds> lease; ///< With Acquired, Extended, Renewed and ExpiryChanged.
    /// Time until which the hold is reliable, with the same events; absent: no lease.
    std::optional<base::MonotonicTime> validUntil;
    base::Text message; ///< With Unknown, Error and Lost; with Busy, see locks::Acquisition::reason.
    QString command;    ///< With Wire and AtBreakpoint.
    base::Text reply;   ///< With Wire.
    /// Time at which the command was sent, and index of the client's server; with Wire, the index also with
    /// Reconnected.
    std::optional<base::MonotonicTime> sentAt;
    int server = 0;
    bool isReplyError = false;       ///< With Wire: the reply is an error or missing.
    bool isReplyLost = false;        ///< With Wire: the reply is missing.
    OperationResult operationResult; ///< With Done.
    /// Time of the report on the monotonic clock since boot, which all processes of the machine share.
    base::MonotonicTime writtenAt;
};

/// Returns the name of an event: `not-owner`.
[[nodiscard]] QString eventId(ClientReport::Event event);

/// Formats a report: `{"event": "acquired", "key": "k", "token": "…", "lease_ms": 5000, "valid_for_ms": 4940,
/// "written_at_boot_ms": 81234}` and so on. valid_for_ms and sent_ms_ago are relative to written_at_boot_ms. A
/// translatable text is included twice: `"message"` in English, and `"message_text"` for translation by the reader.
[[nodiscard]] QJsonObject toJson(const ClientReport &report);
/// Reads a report. Times are rounded down to whole milliseconds. Error: Usage (not a JSON object) or Protocol (not a
/// report).
[[nodiscard]] base::Result<ClientReport> reportFromJson(const QByteArray &line);

} // namespace latchkey::playground

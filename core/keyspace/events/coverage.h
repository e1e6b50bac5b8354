#pragma once

#include "core/foundation/base/clock.h"
#include "core/foundation/base/error.h"

#include <QFlags>
#include <QJsonObject>

#include <functional>
#include <optional>
#include <vector>

namespace latchkey::events {

/// A kind of read request.
enum class KeyRequest : quint8 {
    Names = 1,    ///< SCAN.
    Expiry = 2,   ///< PTTL.
    Type = 4,     ///< TYPE.
    Value = 8,    ///< GETRANGE, STRLEN, HSCAN and the like.
    Changes = 16, ///< Keyspace notifications or client tracking.
};
Q_DECLARE_FLAGS(KeyRequests, KeyRequest)
Q_DECLARE_OPERATORS_FOR_FLAGS(KeyRequests)

/// Returns the request's name for programs and in sentences: `SCAN`, `PTTL`, `TYPE`, `values`, `events`.
[[nodiscard]] QString requestName(KeyRequest request);

/// The coverage of an answer about a server's keys: the scanned part of the keyspace, the refused requests, the
/// intervals without observation, and the waiting time of unread changes.
///
/// An answer such as "none", "0" or "holds" is true only if its coverage is complete. There is no default coverage, so
/// an answer with a coverage as a member cannot be created without one. A CoverageMeter makes it from the replies of
/// the server; a recording's watcher makes it from recorded data. A value.
class Coverage final
{
public:
    /// A request that the server refuses.
    struct Denial
    {
        KeyRequest request = KeyRequest::Names;
        base::Error why;
        bool isOfSomeKeys = false; ///< Refused only for some keys.

        /// Returns a sentence with the reason.
        [[nodiscard]] base::Text sentence() const;
        /// Returns whether no value of one type can be read, because the server refuses the command for every key.
        [[nodiscard]] bool isForWholeType() const;
        /// Returns a sentence with the consequence for an observation of locks. Only if isForWholeType().
        [[nodiscard]] base::Text wholeTypeSentence() const;
        friend bool operator==(const Denial &, const Denial &) = default;
    };
    /// An interval without observations.
    struct Gap
    {
        base::MonotonicTime from;              ///< Time of the last good reply.
        std::optional<base::MonotonicTime> to; ///< Time of the next good reply; absent: none yet.
        base::Error why;
        /// The refused request; absent: no request was answered. KeyRequest::Changes: the server no longer reported
        /// changes, although it answered requests.
        std::optional<KeyRequest> request;
        bool isOfSomeKeys = false; ///< The request was refused for some keys only.

        /// Returns a sentence with the reason and the time since the last good reply. For an interval that still lasts.
        [[nodiscard]] base::Text sentence(base::MonotonicTime now) const;
        /// Returns a sentence for an interval that has ended.
        [[nodiscard]] base::Text pastSentence(base::MonotonicTime end) const;
        friend bool operator==(const Gap &, const Gap &) = default;
    };
    /// A deletion of many keys during a scan, such as a flush. The scan may have found an arbitrary part of them,
    /// because the others were gone when the scan reached them.
    struct Deletion
    {
        qint64 keysBefore = 0; ///< Number of keys of the database at the beginning of the scan.
        qint64 keysAfter = 0;  ///< Number of keys of the database at the end.
        qint64 checked = 0;    ///< Number of found keys that were read again at the end.
        qint64 gone = 0;       ///< Number of those that no longer existed, although they had not expired.

        friend bool operator==(const Deletion &, const Deletion &) = default;
    };
    /// The coverage of a cluster, by its primaries.
    struct ClusterParts
    {
        struct Node
        {
            QString name; ///< The endpoint for display.
            qint64 scannedKeys = 0;
            std::optional<base::Error> missing; ///< Why the node's keys are missing; absent: they are not missing.

            friend bool operator==(const Node &, const Node &) = default;
        };

        std::vector<Node> nodes;
        bool haveSlotsMoved = false;            ///< Whether slots moved during the scan, so that the scan may have
                                                ///< missed a key.
        int unservedSlots = 0;                  ///< Number of slots that no node serves.
        std::optional<base::Error> whyNotFound; ///< Why the other nodes are unknown; absent: they are known.

        friend bool operator==(const ClusterParts &, const ClusterParts &) = default;
    };
    /// The data of a coverage.
    struct Parts
    {
        bool isScanComplete = false;
        qint64 scannedKeys = 0;             ///< Number of keys that were scanned.
        std::optional<qint64> databaseSize; ///< Number of keys of the database; absent: unknown.
        std::vector<Denial> denied;
        std::vector<Gap> gaps;            ///< Ordered by start.
        qint64 unread = 0;                ///< Possible locks that wait to be read for over a second, or ended unread.
        std::chrono::nanoseconds lag {};  ///< Waiting time of the oldest change that is known and not read.
        base::MonotonicTime now;          ///< The time of the answer.
        std::optional<Deletion> deletion; ///< Absent: no deletion of many keys was noticed.
        qint64 flushes = 0;               ///< Number of FLUSHALL, FLUSHDB and SWAPDB during the scan, in any database.
        qint64 renames = 0;               ///< Number of RENAME and RENAMENX during the scan, in any database.
        std::optional<ClusterParts> cluster; ///< Absent: the server is not a cluster, or only one of its nodes was
                                             ///< scanned.
        KeyRequests needed {KeyRequest::Names, KeyRequest::Expiry, KeyRequest::Type, KeyRequest::Value,
                            KeyRequest::Changes};

        friend bool operator==(const Parts &, const Parts &) = default;
    };

    explicit Coverage(Parts parts)
        : m_parts(std::move(parts))
    {}
    /// Returns the coverage of an answer that needs only these requests.
    [[nodiscard]] Coverage narrowedTo(KeyRequests needed) const;

    /// Returns whether nothing is missing. All keys were scanned, no needed request is refused, and no value waits to
    /// be read. Neither the observation nor the change events were interrupted, and the lag is at most a second. A
    /// server that never reported changes is polled instead, and nothing is missing.
    [[nodiscard]] bool isComplete() const;
    /// Returns the current gap; null while the server answers all needed requests.
    [[nodiscard]] const Gap *gap() const;
    [[nodiscard]] bool isObserving() const { return gap() == nullptr; }
    /// Returns the total time without observations.
    [[nodiscard]] std::chrono::nanoseconds unobservedDuration() const;
    /// Returns the total time in which the server no longer reported changes, but answered requests. A key that
    /// appeared and ended in such an interval may not have been observed.
    [[nodiscard]] std::chrono::nanoseconds unreportedDuration() const;
    /// Returns whether the server stopped reporting changes at some time after `from`, although it answered requests.
    [[nodiscard]] bool hasUnreportedSince(base::MonotonicTime from) const;

    [[nodiscard]] bool isScanComplete() const { return m_parts.isScanComplete; }
    [[nodiscard]] qint64 scannedKeys() const { return m_parts.scannedKeys; }
    [[nodiscard]] const std::optional<qint64> &databaseSize() const { return m_parts.databaseSize; }
    [[nodiscard]] const std::vector<Denial> &denied() const { return m_parts.denied; }
    [[nodiscard]] qint64 unread() const { return m_parts.unread; }
    [[nodiscard]] std::chrono::nanoseconds lag() const { return m_parts.lag; }
    [[nodiscard]] const Parts &parts() const { return m_parts; }

    /// Returns a sentence about the values that wait to be read; absent: none.
    [[nodiscard]] std::optional<base::Text> unreadSentence() const;
    /// Returns a sentence about each missing part; empty if the coverage is complete.
    [[nodiscard]] std::vector<base::Text> sentences() const;

private:
    [[nodiscard]] bool isNeeded(const std::optional<KeyRequest> &request) const;
    void addRefusalSentences(std::vector<base::Text> &all) const;
    [[nodiscard]] bool isUnobserved(const Gap &interval) const;
    void addGapSentences(std::vector<base::Text> &all) const;
    [[nodiscard]] std::chrono::nanoseconds durationOf(const std::function<bool(const Gap &)> &isCounted) const;

    Parts m_parts;
};

/// Returns the coverage of a node, for an answer about the whole cluster. A redirect is not a refusal then, because
/// another node answers for the key.
[[nodiscard]] Coverage withoutRedirects(const Coverage &coverage);

/// Returns the coverage of an answer that is based on several servers, from the coverage of each.
[[nodiscard]] Coverage::Parts sumOf(const std::vector<Coverage::Parts> &each);

/// Returns `{complete, looked_at, of, denied: [{question, some_keys, why, began_ago_ms, lasted_ms}], unread, blind_ms,
/// unreported_ms, lag_ms, missing}`, where `missing` contains sentences(). The times of a refusal are absent if they
/// are not known. For a cluster, also `cluster: {nodes: [{node, looked_at, why}], slots_moved, unserved_slots, why}`;
/// after a deletion of many keys, also `deletion: {keys_before, keys_after, checked, gone}`; after a flush during the
/// scan, also `flushes`, their number; after a RENAME, also `renames`.
[[nodiscard]] QJsonObject toJson(const Coverage &coverage);

} // namespace latchkey::events

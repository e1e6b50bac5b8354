#pragma once

#include "core/inspect/detection/holderclients.h"
#include "core/inspect/history/history.h"
#include "core/inspect/recognition/dialect.h"
#include "core/keyspace/keys/unreadablekeys.h"

#include <QCoreApplication>
#include <QSet>

namespace latchkey::ui::detail {

/// The translation context of the answer.
struct AnswerText
{
    Q_DECLARE_TR_FUNCTIONS(AnswerText)
};

/// The results of a trace of one key so far. A value type.
struct TraceSummary
{
    std::chrono::nanoseconds span {}; ///< Time for which the key has been traced.
    QSet<QByteArray> clients;         ///< Addresses of the clients that have sent a command for the key.

    friend bool operator==(const TraceSummary &, const TraceSummary &) = default;
};

/// The input of answerText(). Refers to the hold and the TTL history of its creator, and is valid for one call.
struct AnswerInput
{
    recognition::Recognition recognition; ///< Without candidates if the key is not recognised as a lock.
    recognition::Family family = recognition::Family::Lock;
    std::vector<detection::HolderClients::HolderClient> clients; ///< The clients that match a holder.
    bool isClientListDenied = false;
    bool exists = false;                           ///< Whether the key exists, as far as is known.
    std::optional<keys::UnreadableKey> unreadable; ///< Last state of a key that the server no longer permits reading.
    bool isEndReported = false;                    ///< Whether the last hold has ended since the key was last read.
    bool isValueKnown = false;                     ///< Whether the value was read.
    bool isValueDenied = false;                    ///< Whether the server refuses to return values.
    bool isEndDenied = false;            ///< Whether the server refuses to return expiries, and none is known for this
                                         ///< key.
    const history::Hold *hold = nullptr; ///< The last hold; null if none is known.
    std::optional<base::MonotonicTime> seenSince;   ///< Time since which no change of the key was missed; absent if
                                                    ///< changes may be missing.
    std::optional<base::MonotonicTime> unusedSince; ///< Time from which the key was not written until it was found.
    const recognition::TtlHistory *ttlHistory = nullptr; ///< Null: no renewal is known.
    base::Deadline deadline;                             ///< The TTL of the key.
    base::Deadline end;                                  ///< The end of the key: by its TTL, or with its last field.
    base::MonotonicTime now;                             ///< The moment of the answer.
    base::WallTime wallNow;                              ///< The same moment.
    bool isFrozen = false;                               ///< Whether the server has not replied since this moment.
    std::optional<TraceSummary> trace;                   ///< Absent if the key was not traced.
};

/// Returns the answer about a key for the top of its details, in one or two sentences. The answer has the holder, the
/// duration, the renewals and the end of the hold, and whether other clients want the lock. Unknown parts are stated as
/// unknown. For any other key, the answer states that the key is no known lock, and its expiry.
[[nodiscard]] QString answerText(const AnswerInput &input);

} // namespace latchkey::ui::detail

#pragma once

#include "core/inspect/detection/holderclients.h"
#include "core/inspect/history/history.h"
#include "core/inspect/recognition/dialect.h"

#include <QCoreApplication>
#include <QSet>

namespace latchkey::ui::detail {

/// The translation context of the answer.
struct AnswerText
{
    Q_DECLARE_TR_FUNCTIONS(AnswerText)
};

/// The results of a trace of one key until now. A value type.
struct TraceSummary
{
    std::chrono::nanoseconds span {}; ///< Time for which the key has been traced.
    QSet<QByteArray> clients;         ///< Addresses of the clients that have sent a command for the key.

    friend bool operator==(const TraceSummary &, const TraceSummary &) = default;
};

/// The facts that the answer about a key tells. Hold and rhythm belong to its creator, so it lives for one call.
struct AnswerFacts
{
    recognition::Recognition recognition; ///< Without candidates: not known as a lock.
    recognition::Family family = recognition::Family::Lock;
    std::vector<detection::HolderClients::HolderClient> clients; ///< The clients that match a holder.
    bool isClientListDenied = false;
    bool isThere = false;                ///< The key exists, as far as is known.
    bool isValueKnown = false;           ///< The value was read.
    bool isValueDenied = false;          ///< The server refuses to show values.
    bool isEndDenied = false;            ///< The server refuses to show expiries, and none is known of this key.
    const history::Hold *hold = nullptr; ///< The last hold; null: none is known.
    std::optional<base::MonotonicTime> seenSince; ///< Since then no change of the key was missed; absent: some may be.
    std::optional<base::MonotonicTime> unusedSince; ///< The key was not written from then until it was met.
    const recognition::Rhythm *rhythm = nullptr;    ///< Null: no renewal is known.
    base::Deadline deadline;                        ///< The TTL of the key.
    base::Deadline end;                             ///< The end of the key: by its TTL, or with its last field.
    base::MonotonicTime now;                        ///< The moment that the answer is about.
    base::WallTime wallNow;                         ///< The same moment.
    bool isFrozen = false;                          ///< The server has not been seen since this moment.
    std::optional<TraceSummary> trace;              ///< Absent: the key was not traced.
};

/// Returns the answer about a key for the top of its details, in one or two sentences: the holder of the lock, how long
/// it has held it, its renewals, its end, and whether other clients want it. Unknown parts are said to be unknown. For
/// another key, returns that it is not known as a lock, and when it ends.
[[nodiscard]] QString answerText(const AnswerFacts &facts);

} // namespace latchkey::ui::detail

#pragma once

#include "core/keyspace/events/coverage.h"

#include <QSet>

namespace latchkey::expectations {

/// The times in which the server refuses to answer for some of the followed keys, while it answers for others: the user
/// has lost the permission to read them. Changes of such a key are not seen.
///
/// The watcher's coverage reports a refusal of some keys without its time. Owned by the ExpectationRun, which passes
/// the replies; it sends no requests.
class KeyRefusals final
{
public:
    /// Notes a refusal; no effect if the key is refused already. `known`: the watcher's coverage, for the reason.
    /// `seenAt`: time of the last reply about the key.
    void begin(const QByteArray &key, base::MonotonicTime seenAt, const events::Coverage &known);
    [[nodiscard]] bool isRefused(const QByteArray &key) const { return m_keys.contains(key); }
    /// Notes a reply about the key.
    void end(const QByteArray &key, base::MonotonicTime answered);

    /// Adds the times. `areKeysKnown`: all keys of the coverage are followed; its refusal of some keys is then removed
    /// when the server answers for all of them.
    [[nodiscard]] events::Coverage addedTo(const events::Coverage &coverage, bool areKeysKnown) const;

private:
    QSet<QByteArray> m_keys;                       ///< Keys that are refused now.
    std::vector<events::Coverage::Gap> m_refusals; ///< The last one may be open.
};

} // namespace latchkey::expectations

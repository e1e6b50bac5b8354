#pragma once

#include "core/playground/playground/clientprotocol.h"

#include <deque>

namespace latchkey::playground {

/// A log of the clients' orders and answers, in order. It complements a Sequence, which has only commands and marks, so
/// that the events can be converted into a story.
///
/// A value; a SequenceRecorder keeps it with its sequence.
class ClientEventLog final
{
public:
    /// Maximum number of entries. Beyond it, the oldest entries are removed and counted by dropped().
    static constexpr std::size_t maxEntries = 1000;

    struct Entry
    {
        enum class Kind : quint8 {
            Ordered,  ///< An order: order.
            Answered, ///< An answer: report.
            Reported, ///< An unsolicited report: report.
            Removed,  ///< The process was ended and the client was removed.
        };

        Kind kind = Kind::Ordered;
        QString client;
        base::MonotonicTime at;
        std::optional<ClientOrder> order {};
        ClientReport report {};
    };

    void ordered(const QString &client, const ClientOrder &order, base::MonotonicTime at);
    void received(const QString &client, const ClientReport &report);
    void removed(const QString &client, base::MonotonicTime at);
    /// Clears the log, except for the entries that explain what these clients hold.
    void clear(const QStringList &holders);

    [[nodiscard]] const std::deque<Entry> &entries() const { return m_entries; }
    [[nodiscard]] quint64 dropped() const { return m_dropped; }

private:
    void add(Entry entry);

    std::deque<Entry> m_entries;
    quint64 m_dropped = 0;
};

} // namespace latchkey::playground

#pragma once

#include "core/playground/clientprotocol.h"

#include <deque>

namespace latchkey::playground {

/// What clients were told and what they answered, in order: what a Sequence, which knows commands and signs alone, does
/// not have, and whoever wants to tell the same course anew needs.
///
/// A value; a SequenceRecorder keeps it beside its sequence.
class CourseLog final
{
public:
    /// When there are more entries than this the oldest go, and dropped() counts them.
    static constexpr std::size_t mostEntries = 1000;

    struct Entry
    {
        enum class Kind : quint8 {
            Told,     ///< order
            Answered, ///< report
            Reported, ///< Of itself: report.
            Removed,  ///< Its process has been ended, and nobody sees it any more.
        };

        Kind kind = Kind::Told;
        QString client;
        base::MonotonicTime at;
        std::optional<ClientOrder> order {};
        ClientReport report {};
    };

    void told(const QString &client, const ClientOrder &order, base::MonotonicTime at);
    void heard(const QString &client, const ClientReport &report);
    void removed(const QString &client, base::MonotonicTime at);
    /// All is forgotten but how these clients came to what they hold.
    void clear(const QStringList &holders);

    [[nodiscard]] const std::deque<Entry> &entries() const { return m_entries; }
    [[nodiscard]] quint64 dropped() const { return m_dropped; }

private:
    void add(Entry entry);

    std::deque<Entry> m_entries;
    quint64 m_dropped = 0;
};

} // namespace latchkey::playground

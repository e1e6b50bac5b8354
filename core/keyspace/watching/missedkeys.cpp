#include "core/keyspace/watching/missedkeys.h"

#include "core/keyspace/watching/scanner.h"

#include <algorithm>

namespace latchkey::watching {

using keys::KeyId;

namespace {

/// Number of ids examined in one portion.
constexpr quint32 examinationPortion = 200'000;
/// Keys that are reported as gone in one portion.
constexpr std::size_t inferencePortion = 10'000;

} // namespace

MissedKeys::MissedKeys(const keys::KnownKeys &known, const Scanner &scanner,
                       const events::ObservationDispatcher &dispatcher)
    : m_known(known)
    , m_scanner(scanner)
    , m_dispatcher(dispatcher)
{}

void MissedKeys::begin(base::MonotonicTime scanEnded)
{
    m_missed.clear();
    m_next = 0;
    m_scanEnded = scanEnded;
}

void MissedKeys::clear()
{
    m_missed.clear();
    m_next.reset();
}

bool MissedKeys::collect()
{
    if (!m_next)
        return false;
    const keys::KeyTable &table = m_known.table;
    const quint32 end = std::min(table.idLimit(), *m_next + examinationPortion);
    for (; *m_next < end; ++*m_next) {
        const KeyId id {*m_next};
        if (m_known.isLive(id) && !table.isPending(id) && !m_scanner.wasScanned(id))
            m_missed.push_back(id);
    }
    if (*m_next < table.idLimit())
        return false;
    m_next.reset();
    return true;
}

bool MissedKeys::infer()
{
    events::Observations observations;
    while (!m_missed.empty() && observations.size() < inferencePortion) {
        const KeyId id = m_missed.back();
        m_missed.pop_back();
        // The id may belong to another key now, which was seen since.
        if (m_known.isLive(id) && !m_scanner.wasScanned(id))
            observations.push_back({m_known.table.key(id).toByteArray(), events::Gone {}, m_scanner.started(),
                                    m_scanEnded, events::Source::Scan, true});
    }
    m_dispatcher.deliver(observations);
    return !m_missed.empty();
}

} // namespace latchkey::watching

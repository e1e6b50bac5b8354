#include "core/inspect/detection/companionkeys.h"

namespace latchkey::detection {

using events::Gone;
using events::Observation;
using events::Source;

bool CompanionKeys::add(const QByteArray &name, const QByteArray &owner)
{
    QSet<QByteArray> &owners = m_owners[name];
    if (owners.contains(owner))
        return false; // The key is being read, or was read before.
    const bool isFirst = owners.isEmpty();
    owners.insert(owner);
    m_companions[owner].append(name);
    const auto known = m_known.table.find(name);
    if (known && m_known.value(*known) != nullptr) {
        m_affected.insert(owner);
        return false;
    }
    return isFirst;
}

void CompanionKeys::unregister(const QByteArray &owner)
{
    for (const QByteArray &name : m_companions.take(owner)) {
        const auto found = m_owners.find(name);
        if (found == m_owners.end())
            continue;
        found->remove(owner);
        if (found->isEmpty()) {
            m_owners.erase(found);
            m_absent.remove(name);
        }
    }
}

void CompanionKeys::clear()
{
    m_owners.clear();
    m_companions.clear();
    m_absent.clear();
    m_affected.clear();
}

void CompanionKeys::changed(QByteArrayView name, bool exists)
{
    const auto found = m_owners.constFind(QByteArray::fromRawData(name.data(), name.size()));
    if (found == m_owners.cend())
        return;
    if (exists)
        m_absent.remove(found.key());
    else
        m_absent.insert(found.key());
    m_affected.unite(*found);
}

void CompanionKeys::observed(const events::Observations &observations)
{
    if (m_owners.isEmpty())
        return;
    for (const Observation &observation : observations) {
        // A scan or poll observes only known keys; their changes arrive through changed().
        const bool isAnswer = observation.source == Source::Read || observation.source == Source::NotifiedRead;
        if (isAnswer && std::holds_alternative<Gone>(observation.content))
            changed(observation.key, false);
    }
}

void CompanionKeys::emptied(events::NodeIndex, base::MonotonicTime, base::MonotonicTime)
{
    clear();
}

} // namespace latchkey::detection

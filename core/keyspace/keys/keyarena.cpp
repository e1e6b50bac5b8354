#include "core/keyspace/keys/keyarena.h"

#include <cstring>

namespace latchkey::keys {

KeyArena::Slot KeyArena::store(QByteArrayView key)
{
    Q_ASSERT(key.size() <= maxKeyLength);
    const std::size_t units = unitsFor(key.size());
    Slot slot = none;
    if (units < m_free.size() && m_free[units] != none) {
        slot = m_free[units];
        std::memcpy(&m_free[units], at(slot), sizeof(Slot));
    } else {
        if (m_usedUnits + units > unitsPerChunk) {
            m_chunks.push_back(std::make_unique_for_overwrite<char[]>(chunkSize));
            m_usedUnits = 0;
        }
        slot = static_cast<Slot>((m_chunks.size() - 1) * unitsPerChunk + m_usedUnits);
        m_usedUnits += units;
    }
    if (!key.isEmpty())
        std::memcpy(at(slot), key.data(), static_cast<std::size_t>(key.size()));
    return slot;
}

void KeyArena::release(Slot slot, qsizetype length)
{
    const std::size_t units = unitsFor(length);
    if (units >= m_free.size())
        m_free.resize(units + 1, none);
    std::memcpy(at(slot), &m_free[units], sizeof(Slot));
    m_free[units] = slot;
}

} // namespace latchkey::keys

#pragma once

#include <QByteArrayView>

#include <memory>
#include <vector>

namespace latchkey::keys {

/// Storage for the bytes of a million keys without a million allocations.
///
/// Keys lie in chunks of a mebibyte, each in a slot rounded up to eight bytes. A released slot is reused for the next
/// key of about its length, so that a changing keyspace does not grow. Owned by the KeyTable. It does not know which
/// slots are in use.
class KeyArena final
{
public:
    /// Position of a key: the number of eight-byte units from the start of the first chunk.
    using Slot = quint32;

    static constexpr qsizetype maxKeyLength = 65'535;

    /// Stores a key of at most maxKeyLength bytes.
    [[nodiscard]] Slot store(QByteArrayView key);
    void release(Slot slot, qsizetype length);
    [[nodiscard]] QByteArrayView view(Slot slot, qsizetype length) const { return {at(slot), length}; }

    [[nodiscard]] std::size_t bytesAllocated() const { return m_chunks.size() * chunkSize; }

private:
    static constexpr std::size_t unit = 8;
    static constexpr std::size_t chunkSize = 1024 * 1024;
    static constexpr std::size_t unitsPerChunk = chunkSize / unit;
    static constexpr Slot none = 0xFFFFFFFF;

    [[nodiscard]] static std::size_t unitsFor(qsizetype length)
    {
        return std::max<std::size_t>(1, (static_cast<std::size_t>(length) + unit - 1) / unit);
    }
    [[nodiscard]] char *at(Slot slot) const
    {
        return m_chunks[slot / unitsPerChunk].get() + (slot % unitsPerChunk) * unit;
    }

    std::vector<std::unique_ptr<char[]>> m_chunks;
    std::size_t m_usedUnits = unitsPerChunk; ///< In the last chunk; initially full.
    std::vector<Slot> m_free;                ///< First free slot by size in units; each free slot holds the next one.
};

} // namespace latchkey::keys

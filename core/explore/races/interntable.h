#pragma once

#include <QHash>

#include <vector>

namespace latchkey::races {

/// A pool of distinct values, each stored once and identified by a small number.
///
/// The race finder compares and stores millions of states. With pooled parts, a state consists of a few integers. Owned
/// by the code that explores. Values are never removed, so a number stays valid. A reference is valid only until the
/// next add().
template<typename T>
class InternTable final
{
public:
    using Id = quint32;

    /// Adds the value, if it is new, and returns its number. Equal values have equal numbers.
    Id add(T value)
    {
        if (const auto known = m_ids.constFind(value); known != m_ids.cend())
            return *known;
        const Id id = static_cast<Id>(m_values.size());
        m_ids.insert(value, id);
        m_values.push_back(std::move(value));
        return id;
    }

    [[nodiscard]] const T &operator[](Id id) const { return m_values[id]; }
    [[nodiscard]] std::size_t size() const { return m_values.size(); }

private:
    std::vector<T> m_values;
    QHash<T, Id> m_ids;
};

} // namespace latchkey::races

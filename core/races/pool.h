#pragma once

#include <QHash>

#include <vector>

namespace latchkey::races {

/// Values that are met again and again, each kept once and named by a small number from then on.
///
/// The race finder compares and stores millions of states; with pooled parts a state is a handful of integers.
/// Owned by the code that explores. Nothing is ever taken out, so a number stays good; a reference only until the next
/// add().
template<typename T>
class Pool final
{
public:
    using Id = quint32;

    /// The value's number; two equal values have the same.
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

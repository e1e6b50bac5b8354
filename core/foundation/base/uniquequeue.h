#pragma once

#include <QSet>

#include <deque>

namespace latchkey::base {

/// A first-in, first-out queue without duplicates; waiting items can be removed.
///
/// Every operation takes constant time on average, whatever the size. Repeatedly taking the first item of a QSet does
/// not: it searches from the start of a table that is mostly empty after a while. Not thread-safe.
template<typename T>
class UniqueQueue final
{
public:
    /// Adds an item. Returns false if it already waits; then it keeps its place.
    bool push(const T &item)
    {
        if (m_waiting.contains(item))
            return false;
        m_waiting.insert(item);
        m_order.push_back(item);
        return true;
    }
    /// Removes and returns the item that has waited longest. The queue must not be empty.
    [[nodiscard]] T take()
    {
        for (;;) {
            T first = std::move(m_order.front());
            m_order.pop_front();
            if (m_waiting.remove(first))
                return first;
        }
    }
    /// Removes an item; no effect if it does not wait.
    void remove(const T &item)
    {
        if (m_waiting.remove(item) && m_waiting.isEmpty())
            m_order.clear();
    }
    void clear()
    {
        m_waiting.clear();
        m_order.clear();
    }
    [[nodiscard]] bool isEmpty() const { return m_waiting.isEmpty(); }
    [[nodiscard]] qsizetype size() const { return m_waiting.size(); }

private:
    QSet<T> m_waiting;
    std::deque<T> m_order; ///< Removed items stay in it until their turn.
};

} // namespace latchkey::base

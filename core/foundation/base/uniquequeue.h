#pragma once

#include <QSet>

#include <deque>

namespace latchkey::base {

/// A first-in, first-out queue without duplicates; waiting items can be removed.
///
/// Every operation takes constant time on average, whatever the size. A QSet would be slower: each search for its first
/// item starts at the beginning of a table that is mostly empty after some time. Not thread-safe.
template<typename T>
class UniqueQueue final
{
public:
    /// Adds an item. Returns false if the item already waits; it then keeps its position.
    bool push(const T &item)
    {
        if (m_waiting.contains(item))
            return false;
        m_waiting.insert(item);
        m_order.push_back(item);
        return true;
    }
    /// Removes and returns the oldest item. The queue must not be empty.
    [[nodiscard]] T take()
    {
        for (;;) {
            T first = std::move(m_order.front());
            m_order.pop_front();
            if (m_waiting.remove(first))
                return first;
        }
    }
    /// Removes an item. Has no effect if the item does not wait.
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
    std::deque<T> m_order; ///< Removed items stay in this queue until their turn.
};

} // namespace latchkey::base

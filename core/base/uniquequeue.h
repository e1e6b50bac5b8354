#pragma once

#include <QSet>

#include <deque>

namespace latchkey::base {

/// A queue in which nothing waits twice. First in, first out; what waits can be taken out again.
///
/// Every operation takes constant time on average, however much waits. Taking the first of a QSet again and again does
/// not: it looks for it from the start of a table that is mostly empty by then.
/// Not thread-safe.
template<typename T>
class UniqueQueue final
{
public:
    /// False where it waits already, and then keeps its place.
    bool push(const T &item)
    {
        if (m_waiting.contains(item))
            return false;
        m_waiting.insert(item);
        m_order.push_back(item);
        return true;
    }
    /// The one that has waited longest. Only where the queue is not empty.
    [[nodiscard]] T take()
    {
        for (;;) {
            T first = std::move(m_order.front());
            m_order.pop_front();
            if (m_waiting.remove(first))
                return first;
        }
    }
    /// Of no meaning where it does not wait.
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
    std::deque<T> m_order; ///< Those that were removed are still in it, until they would be taken.
};

} // namespace latchkey::base

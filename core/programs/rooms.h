#pragma once

#include "core/programs/point.h"

#include <QHash>

namespace latchkey::programs {

/// The places that a program says it is inside of, by `ECHO latchkey:inside:NAME`, until it says
/// `ECHO latchkey:outside:NAME`.
///
/// A bit for each name, given as they come; more than a dozen have never been seen, and beyond 32 two share one. Owned
/// by the Behaviour.
class Rooms final
{
public:
    /// Which of them it is inside of that stood at the point, once that has happened to it.
    [[nodiscard]] quint32 after(const Point &before, const Event &event);
    [[nodiscard]] bool isEmpty() const { return m_bits.isEmpty(); }

private:
    QHash<QByteArray, int> m_bits;
};

} // namespace latchkey::programs

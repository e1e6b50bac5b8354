#pragma once

#include "core/programs/point.h"

#include <QHash>

namespace latchkey::programs {

/// The rooms that a program reports to be inside of, from `ECHO latchkey:inside:NAME` to `ECHO latchkey:outside:NAME`.
///
/// Each name has one bit, in order of appearance. Beyond 32 names, two names share a bit; no program has used more than
/// twelve so far. Owned by the Behaviour.
class Rooms final
{
public:
    /// Rooms of a process after the event at the point `before`.
    [[nodiscard]] quint32 after(const Point &before, const Event &event);
    [[nodiscard]] bool isEmpty() const { return m_bits.isEmpty(); }

private:
    QHash<QByteArray, int> m_bits;
};

} // namespace latchkey::programs

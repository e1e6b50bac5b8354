#pragma once

#include "core/explore/programs/treenode.h"

#include <QHash>

namespace latchkey::programs {

/// The critical sections of a program, each reported by the program: entered with `ECHO latchkey:inside:NAME`, left
/// with `ECHO latchkey:outside:NAME`.
///
/// Each name has one bit, in order of appearance. Beyond 32 names, several names share a bit. Owned by the
/// ObservationTree.
class CriticalSections final
{
public:
    /// Critical sections of a process after the event at the node `before`.
    [[nodiscard]] quint32 after(const TreeNode &before, const Event &event);
    [[nodiscard]] bool isEmpty() const { return m_bits.isEmpty(); }

private:
    QHash<QByteArray, int> m_bits;
};

} // namespace latchkey::programs

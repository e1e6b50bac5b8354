#pragma once

#include "core/explore/programs/program.h"
#include "core/explore/programs/treenode.h"

#include <QHash>

namespace latchkey::programs {

/// The critical sections of a program. The program reports an entry by `ECHO latchkey:inside:NAME` and an exit by `ECHO
/// latchkey:outside:NAME`. The user's command patterns report one more section.
///
/// Each name has one bit, in order of appearance. Beyond 32 names, several names share a bit. Owned by the
/// ObservationTree.
class CriticalSections final
{
public:
    /// `program`: for the patterns; not owned.
    explicit CriticalSections(const Program &program)
        : m_program(program)
    {}

    /// Returns the critical sections of a process after the event at the node `before`.
    [[nodiscard]] quint32 after(const TreeNode &before, const Event &event);
    [[nodiscard]] bool isEmpty() const { return m_bits.isEmpty(); }

private:
    [[nodiscard]] quint32 afterReport(const TreeNode &before, const Event &event, const resp::Command &command);
    [[nodiscard]] quint32 bitOf(const QByteArray &name);

    const Program &m_program;
    QHash<QByteArray, int> m_bits;
};

} // namespace latchkey::programs

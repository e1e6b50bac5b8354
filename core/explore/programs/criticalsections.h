#pragma once

#include "core/explore/programs/program.h"
#include "core/explore/programs/treenode.h"

#include <QHash>

#include <memory>

namespace latchkey::programs {

/// The names of a program's critical sections, with tokenName() in place of tokens. Each has one bit, in order of
/// appearance; beyond 32 names, several share a bit. Shared by all observed clients, because a bit must stand for the
/// same section in each.
class CriticalSectionIndex final
{
public:
    /// Returns the bit of the section, and adds the name if it is new.
    [[nodiscard]] quint32 bitOf(const QByteArray &name);

private:
    QHash<QByteArray, int> m_bits;
};

/// The critical sections of a program. The program reports an entry by `ECHO latchkey:inside:NAME` and an exit by `ECHO
/// latchkey:outside:NAME`, also within a transaction. The user's command patterns report one more section. Owned by the
/// ObservationTree.
class CriticalSections final
{
public:
    /// `program`: for the patterns; not owned.
    CriticalSections(const Program &program, std::shared_ptr<CriticalSectionIndex> names)
        : m_program(program)
        , m_names(std::move(names))
    {}

    /// Returns the critical sections of a process after the event at the node `before`.
    [[nodiscard]] QList<QByteArray> after(const TreeNode &before, const ProcessEvent &event);
    /// Returns the bits of the critical sections of one client. A section that is named by the client's own token is
    /// another one for each client. `prefixes`: TreeNode::tokens of the client.
    [[nodiscard]] quint32 bitsOf(const QList<QByteArray> &sections, races::ClientIndex client,
                                 const QList<QByteArray> &prefixes) const;
    /// Returns whether no process has entered a critical section.
    [[nodiscard]] bool isEmpty() const { return !m_isAnyEntered; }

private:
    void followReport(QList<QByteArray> &sections, const resp::Command &command, bool hasReply);
    void enter(QList<QByteArray> &sections, const QByteArray &name);

    const Program &m_program;
    const std::shared_ptr<CriticalSectionIndex> m_names;
    bool m_isAnyEntered = false;
};

} // namespace latchkey::programs

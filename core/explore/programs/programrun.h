#pragma once

#include "core/explore/programs/observationtree.h"

namespace latchkey::programs {

/// A client that is a program: a position in the observed behaviour.
///
/// The process's own values appear as `token-of-A` in offers() and are translated back in replies. Owned by the
/// Attempt, the ScheduleValidation or the SoloRun.
class ProgramRun final : public races::ExternalRun
{
public:
    ProgramRun(std::shared_ptr<ObservationTree> tree, races::ClientIndex client);

    [[nodiscard]] races::ClientStatus clientStatus() const override;
    [[nodiscard]] std::vector<races::Offer> offers() const override;
    [[nodiscard]] std::chrono::milliseconds waited(int conversation) const override;
    void answer(int conversation, const resp::Reply &reply) override;
    void lose(int conversation, const resp::Reply &reply) override;
    /// Returns the position. A client that retries forever returns to an earlier position.
    [[nodiscard]] std::optional<QByteArray> localState() const override { return QByteArray::number(m_at); }
    [[nodiscard]] QByteArray localStateWithoutTime() const override
    {
        return QByteArray::number(m_tree->withoutTime(m_at));
    }
    [[nodiscard]] quint64 listening() const override { return node().listening; }
    void receive(int conversation, const resp::Reply &message) override;
    [[nodiscard]] bool isIdle() const override { return !node().isOver && offers().empty(); }
    /// Returns whether the process has entered a critical section with its last command and is still in it.
    [[nodiscard]] bool isEnding() const override { return node().endsInsideSection && !m_hasEnded; }
    void end() override { m_hasEnded = true; }
    [[nodiscard]] bool isAtCommandLimit() const override { return node().isAtCommandLimit; }
    [[nodiscard]] std::optional<std::chrono::milliseconds> timer() const override;
    void advanceClock(std::chrono::milliseconds time) override;
    void beginAt(std::chrono::milliseconds time) override;

    [[nodiscard]] TreeNodeId at() const { return m_at; }
    /// Translates an event of the client to an event of its process. `reply`: for the kinds Reply and Message.
    [[nodiscard]] ProcessEvent eventFor(int conversation, ProcessEvent::Kind kind, const resp::Reply &reply) const;
    [[nodiscard]] static ProcessEvent timeAdvance(std::chrono::milliseconds time);

private:
    [[nodiscard]] bool isOver() const { return node().isOver && !isEnding(); }
    [[nodiscard]] const TreeNode &node() const { return (*m_tree)[m_at]; }

    const std::shared_ptr<ObservationTree> m_tree;
    const races::ClientIndex m_client;
    TreeNodeId m_at = ObservationTree::start;
    bool m_hasEnded = false; ///< Whether end() was called; only if the process has entered with its last command.
};

} // namespace latchkey::programs

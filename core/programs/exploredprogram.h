#pragma once

#include "core/programs/lonerun.h"
#include "core/races/subject.h"

namespace latchkey::programs {

/// A program as the race finder explores it: what makes its clients different from those of a recipe.
class ExploredProgram final : public races::Foreign
{
public:
    /// clients: without the next one.
    ExploredProgram(Program program, int clients);

    [[nodiscard]] races::FaultLimits limits() const override { return program().limits; }
    [[nodiscard]] base::Result<void> open() override;
    [[nodiscard]] bool isClockControlled() const override { return m_behaviours.front()->isClockControlled(); }
    [[nodiscard]] QString clockLibrary() const override { return program().clockLibrary; }
    [[nodiscard]] bool sendsTimes() const override { return m_behaviours.size() > 1; }
    [[nodiscard]] bool startsOver() override;
    [[nodiscard]] bool wasStopped() const override { return m_wasStopped; }
    [[nodiscard]] bool hasOtherClocks() const override;
    [[nodiscard]] bool hasWaited() const override;
    [[nodiscard]] std::span<const races::Rule *const> rules() const override;
    [[nodiscard]] base::Result<bool> prepare(races::Testbed &testbed, QDeadlineTimer deadline) override;
    [[nodiscard]] bool applies(const QString &promise) const override;
    [[nodiscard]] std::optional<base::Error> trouble() const override;
    [[nodiscard]] bool wasCut() const override;
    [[nodiscard]] std::optional<int> endlessRetries() const override;
    [[nodiscard]] std::vector<races::FailedEnd> failedEnds() const override;
    [[nodiscard]] qint64 starts() const override;
    [[nodiscard]] races::Touch touch(const resp::Commands &commands, const resp::Reply &reply,
                                     const races::Snapshot &before, const races::Snapshot &after) const override;
    [[nodiscard]] bool isBookkeeping(const QByteArray &key) const override;
    [[nodiscard]] base::Result<void> rehearse(races::Transitions &transitions,
                                              const races::Schedule &schedule) override;

    /// How much of the time has gone into starting processes.
    [[nodiscard]] std::chrono::nanoseconds timeOfStarts() const;
    [[nodiscard]] races::RunFactory client(races::ClientIndex client) const;
    [[nodiscard]] const Program &program() const { return m_program; }

private:
    [[nodiscard]] base::Result<void> begin(races::Testbed &testbed);
    [[nodiscard]] base::Result<void> goOnAlone(races::Testbed &testbed);
    [[nodiscard]] base::Result<void> endAlone();

    [[nodiscard]] const std::shared_ptr<Behaviour> &behaviourOf(races::ClientIndex client) const;

    Program m_program; ///< Constant once this is made.
    const int m_clients;
    /// One for all clients; where they send times, one for each, the next client included.
    std::vector<std::shared_ptr<Behaviour>> m_behaviours;
    bool m_wasStopped = false;
    qint64 m_startsBefore = 0; ///< Of behaviours that count no more.
    std::unique_ptr<LoneRun> m_alone;
    bool m_isOpen = false;
    bool m_isPrepared = false;
    bool m_usesResource = false; ///< A client by itself has read it or written to it.
    bool m_hasRooms = false;     ///< Likewise, has told that it was inside.
};

/// The program with so many clients, 1 to mostClients - 1.
[[nodiscard]] races::Subject subjectFor(const Program &program, int clients);

} // namespace latchkey::programs

#pragma once

#include "core/programs/programrun.h"
#include "core/races/foreign.h"
#include "core/races/testbed.h"

#include <set>
#include <tuple>

namespace latchkey::programs {

/// A client by itself, without any fault, before all others: what it does shows what can be asked of the program.
///
/// Nobody brings it what it waits for, so it goes on until it is over, comes back to where it has been, or waits for
/// ever. Owned by the ExploredProgram.
class LoneRun final
{
public:
    using TouchOf = std::function<races::Touch(const resp::Commands &, const resp::Reply &,
                                               const races::Snapshot &before, const races::Snapshot &after)>;

    /// start: what its server holds.
    LoneRun(std::shared_ptr<Behaviour> behaviour, races::SnapshotId start, TouchOf touchOf);

    /// One step further; whether there is one no more. Error: the server cannot be asked.
    [[nodiscard]] base::Result<bool> goOn(races::Testbed &testbed);

    [[nodiscard]] PointId at() const { return m_run.at(); }
    /// It is not over.
    [[nodiscard]] bool wantsMore() const { return !m_run.offers().empty(); }
    /// It has read the resource, or written to it.
    [[nodiscard]] bool usesResource() const { return m_usesResource; }

private:
    [[nodiscard]] bool hear(races::Testbed &testbed);
    [[nodiscard]] bool answer(races::Testbed &testbed, const races::Offer &offer, const races::Effect &effect);
    [[nodiscard]] bool pass(races::Testbed &testbed);
    [[nodiscard]] bool waits(const races::Offer &offer, const resp::Reply &reply) const;
    [[nodiscard]] std::optional<std::chrono::milliseconds> timer() const;
    [[nodiscard]] bool isNew(int served);
    void hangUp(races::Testbed &testbed);

    const std::shared_ptr<Behaviour> m_behaviour;
    const TouchOf m_touchOf;
    ProgramRun m_run;
    races::SnapshotId m_held; ///< By its server.
    int m_served = -1;        ///< Its conversation that was answered last.
    std::set<std::tuple<races::SnapshotId, PointId, int>> m_seen;
    bool m_usesResource = false;
};

} // namespace latchkey::programs

#pragma once

#include "core/explore/programs/programrun.h"
#include "core/explore/races/transitions.h"

#include <map>

namespace latchkey::programs {

/// A check of a schedule with new processes: each client is a new process, which is compared with the observed
/// behaviour. Owned by the caller, which passes the moves one by one.
class ScheduleValidation final
{
public:
    using TreeOf = std::function<std::shared_ptr<ObservationTree>(races::ClientIndex)>;

    /// Creates a validation. `transitions`: not owned.
    ScheduleValidation(races::Transitions &transitions, TreeOf treeOf);
    Q_DISABLE_COPY_MOVE(ScheduleValidation)

    /// Carries out the move. Error (Protocol): a process behaves differently than observed; otherwise as those of
    /// Process.
    [[nodiscard]] base::Result<void> apply(const races::Move &move);

private:
    struct ValidatedClient
    {
        std::unique_ptr<Process> process;
        std::unique_ptr<ProgramRun> run;
    };

    [[nodiscard]] base::Result<void> execute(const races::Move &move);
    [[nodiscard]] base::Result<ValidatedClient *> validatedClient(races::ClientIndex client);
    [[nodiscard]] base::Result<void> answer(const races::Move &move);
    [[nodiscard]] base::Result<void> advanceClock(const races::Move &move);

    races::Transitions &m_transitions; // Not owned.
    const TreeOf m_treeOf;
    races::State m_state;
    std::map<races::ClientIndex, ValidatedClient> m_clients;
};

} // namespace latchkey::programs

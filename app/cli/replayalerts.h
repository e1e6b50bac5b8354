#pragma once

#include "app/cli/alertprinter.h"
#include "app/cli/exitcode.h"
#include "core/inspect/recording/replay.h"

#include <functional>

namespace latchkey::cli {

/// The alerts of `replay --alert`. Advances a replay, and evaluates the rules at the recorded times: an alert that time
/// alone raises, such as that of older-than, is raised between two observations. Owned by the command; the replay is
/// not owned.
class ReplayAlerts final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ReplayAlerts)

public:
    /// `clock`: that of the replay. `printed`: called after each line.
    ReplayAlerts(recording::Replay &replay, const base::Clock &clock, std::vector<alerts::AlertRule> rules,
                 const base::Globs &globs, bool json, std::function<void()> printed);
    ~ReplayAlerts() override;

    /// Advances the replay; see recording::Replay::advance().
    bool advance(std::chrono::nanoseconds until, QDeadlineTimer deadline);
    /// Returns the time of the next evaluation, since the start of the recording; nanoseconds::max(): none is due.
    [[nodiscard]] std::chrono::nanoseconds nextDue() const;
    /// Returns the exit code, which also reports missing locks. `seen`: exit code of the events.
    [[nodiscard]] ExitCode exitCode(ExitCode seen) const;

private:
    recording::Replay &m_replay; // Not owned.
    const AlertPrinter m_printer;
    alerts::AlertWatch m_watch;
};

} // namespace latchkey::cli

#include "app/cli/replayalerts.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"

#include <algorithm>

namespace latchkey::cli {

using alerts::Alert;
using alerts::AlertEnd;
using alerts::AlertWatch;
using recording::ReplayClock;
using std::chrono::nanoseconds;

ReplayAlerts::ReplayAlerts(recording::Replay &replay, const base::Clock &clock, std::vector<alerts::AlertRule> rules,
                           const base::Globs &globs, bool json, std::function<void()> printed)
    : m_replay(replay)
    , m_printer(clock, json)
    , m_watch(replay.server(), clock, std::move(rules), globs, AlertWatch::Timing::Caller)
{
    connect(&m_watch, &AlertWatch::raised, this, [this, printed](const Alert &alert) {
        m_printer.print({alert, nullptr, QString()});
        printed();
    });
    connect(&m_watch, &AlertWatch::over, this, [this, printed](const Alert &alert, const AlertEnd &end) {
        m_printer.print({alert, &end, QString()});
        printed();
    });
}

ReplayAlerts::~ReplayAlerts() = default;

nanoseconds ReplayAlerts::nextDue() const
{
    const base::MonotonicTime due = m_watch.nextDue();
    return due == base::MonotonicTime::max() ? nanoseconds::max() : due - ReplayClock::zero;
}

bool ReplayAlerts::advance(nanoseconds until, QDeadlineTimer deadline)
{
    for (;;) {
        const nanoseconds step = std::min({until, m_replay.next().value_or(until), nextDue()});
        if (!m_replay.advance(step, deadline, false))
            return false;
        m_watch.evaluateDue();
        if (m_replay.isAtEnd() || step == until)
            return true;
        if (deadline.hasExpired())
            return false;
    }
}

ExitCode ReplayAlerts::exitCode(ExitCode seen) const
{
    if (!m_watch.isIncomplete())
        return seen;
    printError(help::CommandLine::tr("replay: there are more locks than can be followed; alerts may be missing"));
    return ExitCode::Error;
}

} // namespace latchkey::cli

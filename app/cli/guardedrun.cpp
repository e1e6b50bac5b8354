#include "app/cli/guardedrun.h"
#include "app/help/commandline.h"

#include <QCoreApplication>

#include <unistd.h>

namespace latchkey::cli {

using help::CommandLine;
using locks::Loss;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

constexpr auto groupPollInterval = 20ms;

QString lossMessage(const Loss &loss, const locks::Recipe &recipe)
{
    const bool isImminent = loss.kind == Loss::Kind::Unrenewed || loss.kind == Loss::Kind::Shortened;
    const QString reason = locks::lossText(loss, recipe).toString();
    return isImminent ? CommandLine::tr("the lock is about to be lost: %1").arg(reason)
                      : CommandLine::tr("the lock was lost: %1").arg(reason);
}

} // namespace

GuardedRun::GuardedRun(const LockOperation &operation, const locks::Acquisition &hold, process::Child &program,
                       base::UnixSignals &unixSignals, milliseconds grace)
    : m_operation(operation)
    , m_program(program)
    , m_unixSignals(unixSignals)
    , m_grace(grace)
{
    connect(&unixSignals, &base::UnixSignals::received, this, &GuardedRun::received);
    connect(&program, &process::Child::ended, this, &GuardedRun::programEnded);
    connect(&program, &process::Child::stopped, this, &GuardedRun::programStopped);
    m_killTimer.setSingleShot(true);
    connect(&m_killTimer, &QTimer::timeout, this, [this] {
        m_program.signal(SIGKILL);
        if (m_exitCode)
            finish();
    });
    m_groupPoll.setInterval(groupPollInterval);
    connect(&m_groupPoll, &QTimer::timeout, this, &GuardedRun::waitForGroup);
    if (hold.lease)
        holdOn(hold);
}

GuardedRun::~GuardedRun() = default;

void GuardedRun::holdOn(const locks::Acquisition &hold)
{
    const bool canExtend = m_operation.recipe->canExtend;
    const milliseconds interval = canExtend ? hold.lease->duration() / 3 : locks::pollInterval(*hold.lease);
    m_renewal = std::make_unique<LeaseRenewal>(m_operation.servers, *m_operation.driver, *hold.lease, interval);
    locks::LeaseWatchdog &watchdog = m_renewal->watchdog();
    connect(&watchdog, &locks::LeaseWatchdog::lost, this, &GuardedRun::lose);
    connect(&watchdog, &locks::LeaseWatchdog::renewed, this, &GuardedRun::reportKept);
    if (canExtend)
        watchdog.keep(*m_operation.lock, hold.token, *hold.lease, hold.validUntil);
    else
        watchdog.watch({m_operation.key, m_operation.recipe->value, hold.token, *hold.lease, hold.validUntil},
                       interval);
}

int GuardedRun::wait()
{
    QCoreApplication::exec();
    return m_exitCode.value();
}

void GuardedRun::received(int number)
{
    switch (number) {
    case SIGCHLD:
        m_program.check();
        break;
    case SIGTSTP:
        // This process stops after the program. A program that ignores the signal continues, and keeps its lock.
        m_isToStop = true;
        m_program.signal(number);
        break;
    case SIGCONT:
        continueProgram();
        break;
    default:
        m_program.signal(number);
    }
}

void GuardedRun::programEnded(int exitCode)
{
    m_exitCode = exitCode;
    if (m_loss)
        waitForGroup();
    else
        finish();
}

void GuardedRun::programStopped(int number)
{
    if (m_loss)
        return m_program.signal(SIGCONT); // A stopped program must continue in order to end.
    const bool wantsTerminal = number == SIGTTIN || number == SIGTTOU;
    if (wantsTerminal && m_terminal.isForeground()) {
        m_terminal.lendTo(m_program.id());
        m_program.signal(SIGCONT);
    } else if (wantsTerminal) {
        m_wantsTerminal = true;
        stopWithProgram(number, ::getpid());
    } else if (number == SIGTSTP && m_terminal.isLent()) {
        // Ctrl+Z was meant for the whole job, but only the program was in the foreground.
        m_wantsTerminal = true;
        m_terminal.takeBack();
        stopWithProgram(number, 0);
    } else if (m_isToStop) {
        stopWithProgram(SIGTSTP, ::getpid());
    }
    // Any other stop concerns only the program. It keeps its lock, and this process keeps renewing it.
}

/// Applies the default action of a stop signal to this process, or to its group (0). Returns after it has been
/// continued.
void GuardedRun::stopWithProgram(int number, pid_t target)
{
    struct sigaction before {};
    struct sigaction byDefault {};
    byDefault.sa_handler = SIG_DFL;
    ::sigaction(number, &byDefault, &before);
    ::kill(target, number);
    ::sigaction(number, &before, nullptr);

    bool wasContinued = false;
    while (const auto next = m_unixSignals.take()) {
        wasContinued = wasContinued || *next == SIGCONT;
        received(*next);
    }
    if (wasContinued)
        return;
    // The kernel does not stop a process group without a shell that could continue it. Then the program would not be
    // continued either.
    if (number != SIGTSTP)
        m_program.signal(SIGHUP);
    m_program.signal(SIGCONT);
}

void GuardedRun::continueProgram()
{
    m_isToStop = false;
    if (base::SystemClock::instance().now() >= validUntil())
        return lose(Loss()); // The program must not continue without the lock.
    if (m_wantsTerminal && m_terminal.isForeground()) {
        m_terminal.lendTo(m_program.id());
        m_wantsTerminal = false;
    }
    m_program.signal(SIGCONT);
}

void GuardedRun::lose(const Loss &loss)
{
    m_program.check(); // The program may have ended while this process was stopped.
    if (m_loss || m_exitCode)
        return;
    m_loss = loss;
    QString how = lossMessage(loss, *m_operation.recipe);
    if (m_renewal && !m_renewal->failover().isEmpty())
        how = CommandLine::tr("%1; %2").arg(how, m_renewal->failover());
    printError(CommandLine::tr("%1: %2; ending the program").arg(m_operation.name, how));
    process::Child::adoptOrphans();
    m_program.signal(SIGTERM);
    m_program.signal(SIGCONT); // A stopped program would not receive SIGTERM.
    m_killTimer.start(m_grace);
}

/// Reports once per failover that the new primary has the lock.
void GuardedRun::reportKept()
{
    if (m_renewal->failover() == m_reportedFailover)
        return;
    m_reportedFailover = m_renewal->failover();
    note(CommandLine::tr("%1: the lock was kept: %2").arg(m_operation.name, m_reportedFailover));
}

/// Waits until the grace time ends for the children of the ended program, which the lock protects too.
void GuardedRun::waitForGroup()
{
    if (m_program.isGroupGone() || !m_killTimer.isActive())
        finish();
    else if (!m_groupPoll.isActive())
        m_groupPoll.start();
}

void GuardedRun::finish()
{
    m_killTimer.stop();
    m_groupPoll.stop();
    m_terminal.takeBack();
    QCoreApplication::exit();
}

} // namespace latchkey::cli

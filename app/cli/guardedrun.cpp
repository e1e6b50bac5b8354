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

QString howLost(const Loss &loss, const locks::Recipe &recipe)
{
    const QString why = loss.reason ? QStringLiteral(" (%1)").arg(loss.reason->message()) : QString();
    switch (loss.kind) {
    case Loss::Kind::NotOwner:
        return CommandLine::tr("the lock was lost: it is another's by now");
    case Loss::Kind::Gone:
        return CommandLine::tr("the lock was lost: there is no such lock any more");
    case Loss::Kind::Unrenewed:
        return CommandLine::tr("the lock is about to be lost: its lease could not be renewed%1").arg(why);
    case Loss::Kind::Shortened:
        return CommandLine::tr("the lock is about to be lost: somebody has given it an earlier end");
    case Loss::Kind::RanOut:
        break;
    }
    if (!recipe.canExtend)
        return CommandLine::tr("the lock was lost: its lease has ended, and the recipe %1 cannot extend it")
            .arg(recipe.id);
    if (loss.reason)
        return CommandLine::tr("the lock was lost: its lease has ended and could not be renewed%1").arg(why);
    return CommandLine::tr("the lock was lost: its lease ended while this process was stopped or too slow to renew it");
}

} // namespace

GuardedRun::GuardedRun(const LockOperation &operation, const locks::Acquisition &hold, children::Child &program,
                       base::UnixSignals &unixSignals, milliseconds grace)
    : m_operation(operation)
    , m_program(program)
    , m_unixSignals(unixSignals)
    , m_grace(grace)
{
    connect(&unixSignals, &base::UnixSignals::received, this, &GuardedRun::received);
    connect(&program, &children::Child::ended, this, &GuardedRun::programEnded);
    connect(&program, &children::Child::stopped, this, &GuardedRun::programStopped);
    m_kill.setSingleShot(true);
    connect(&m_kill, &QTimer::timeout, this, [this] {
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
    const milliseconds interval = canExtend ? hold.lease->duration() / 3 : locks::lookInterval(*hold.lease);
    m_renewal = std::make_unique<LeaseRenewal>(m_operation.servers, *hold.lease, interval);
    locks::HoldKeeper &keeper = m_renewal->keeper();
    connect(&keeper, &locks::HoldKeeper::lost, this, &GuardedRun::lose);
    if (canExtend)
        keeper.keep(*m_operation.lock, hold.token, *hold.lease, hold.validUntil);
    else
        keeper.watch({m_operation.key, m_operation.recipe->value, hold.token, *hold.lease, hold.validUntil}, interval);
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
        // When the program has stopped, so do we; one that does not want to goes on, and so does its lock.
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
        return m_program.signal(SIGCONT); // It is to end.
    const bool wantsTerminal = number == SIGTTIN || number == SIGTTOU;
    if (wantsTerminal && m_terminal.isOurs()) {
        m_terminal.lendTo(m_program.id());
        m_program.signal(SIGCONT);
    } else if (wantsTerminal) {
        m_wantsTerminal = true;
        stopAlong(number, ::getpid());
    } else if (number == SIGTSTP && m_terminal.isLent()) {
        // What was typed was meant for the whole job, as it would be had the terminal stayed with us.
        m_wantsTerminal = true;
        m_terminal.takeBack();
        stopAlong(number, 0);
    } else if (m_isToStop) {
        stopAlong(SIGTSTP, ::getpid());
    }
    // Anything else was done to the program alone. It keeps its lock, and we keep renewing it.
}

/// Does to this process, or to its group (0), what the signal does by default; comes back when it has been continued.
void GuardedRun::stopAlong(int number, pid_t whom)
{
    struct sigaction before {};
    struct sigaction byDefault {};
    byDefault.sa_handler = SIG_DFL;
    ::sigaction(number, &byDefault, &before);
    ::kill(whom, number);
    ::sigaction(number, &before, nullptr);

    bool wasContinued = false;
    while (const auto next = m_unixSignals.take()) {
        wasContinued = wasContinued || *next == SIGCONT;
        received(*next);
    }
    if (wasContinued)
        return;
    // The kernel does not stop who has no shell to continue it. Then nobody would continue the program either.
    if (number != SIGTSTP)
        m_program.signal(SIGHUP);
    m_program.signal(SIGCONT);
}

void GuardedRun::continueProgram()
{
    m_isToStop = false;
    if (base::SystemClock::instance().now() >= validUntil())
        return lose(Loss()); // It must not do another step.
    if (m_wantsTerminal && m_terminal.isOurs()) {
        m_terminal.lendTo(m_program.id());
        m_wantsTerminal = false;
    }
    m_program.signal(SIGCONT);
}

void GuardedRun::lose(const Loss &loss)
{
    m_program.check(); // It may have ended by itself, which nobody has looked at while this process was stopped.
    if (m_loss || m_exitCode)
        return;
    m_loss = loss;
    complain(CommandLine::tr("%1: %2; ending the program").arg(m_operation.name, howLost(loss, *m_operation.recipe)));
    children::Child::adoptOrphans();
    m_program.signal(SIGTERM);
    m_program.signal(SIGCONT); // A stopped one would not hear of it.
    m_kill.start(m_grace);
}

/// The program has ended; its children, who were to be protected as well, have until the end of the grace.
void GuardedRun::waitForGroup()
{
    if (m_program.isGroupGone() || !m_kill.isActive())
        finish();
    else if (!m_groupPoll.isActive())
        m_groupPoll.start();
}

void GuardedRun::finish()
{
    m_kill.stop();
    m_groupPoll.stop();
    m_terminal.takeBack();
    QCoreApplication::exit();
}

} // namespace latchkey::cli

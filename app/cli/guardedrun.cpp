#include "app/cli/guardedrun.h"

#include <QCoreApplication>

#include <algorithm>
#include <unistd.h>

namespace latchkey::cli {

using base::MonotonicTime;
using exchange::Exchange;
using exchange::Instant;
using exchange::Pause;
using locks::Loss;
using resp::Session;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

constexpr auto groupPollInterval = 20ms;

Exchange<void> waitUntil(MonotonicTime end)
{
    for (;;) {
        const Instant instant = co_await exchange::now();
        if (instant.monotonic >= end)
            co_return;
        co_await Pause {std::chrono::ceil<milliseconds>(end - instant.monotonic)};
    }
}

MonotonicTime now()
{
    return base::SystemClock::instance().now();
}

QString whyLost(const Loss &loss, const locks::Recipe &recipe)
{
    switch (loss.kind) {
    case Loss::Kind::NotOwner:
        return QStringLiteral("it is another's by now");
    case Loss::Kind::Gone:
        return QStringLiteral("there is no such lock any more");
    case Loss::Kind::RanOut:
        break;
    }
    if (!recipe.canExtend)
        return QStringLiteral("its lease has ended, and the recipe %1 cannot extend it").arg(recipe.id);
    if (loss.reason)
        return QStringLiteral("its lease has ended and could not be renewed (%1)").arg(loss.reason->message);
    return QStringLiteral("its lease ended while this process was stopped or too slow to renew it");
}

} // namespace

GuardedRun::GuardedRun(const LockOperation &operation, locks::Acquisition hold, ProcessGroup program,
                       base::UnixSignals &unixSignals, milliseconds grace)
    : m_operation(operation)
    , m_unixSignals(unixSignals)
    , m_hold(std::move(hold))
    , m_program(program)
    , m_grace(grace)
{
    connect(&unixSignals, &base::UnixSignals::received, this, &GuardedRun::received);
    m_kill.setSingleShot(true);
    connect(&m_kill, &QTimer::timeout, this, [this] {
        m_program.signal(SIGKILL);
        if (m_exitCode)
            finish();
    });
    m_groupPoll.setInterval(groupPollInterval);
    connect(&m_groupPoll, &QTimer::timeout, this, &GuardedRun::waitForGroup);
    if (!m_hold.lease)
        return;
    if (operation.recipe->canExtend)
        beginRenewing();
    else
        watchLease();
}

GuardedRun::~GuardedRun() = default;

int GuardedRun::wait()
{
    QCoreApplication::exec();
    return m_exitCode.value();
}

void GuardedRun::beginRenewing()
{
    std::vector<Session *> sessions;
    for (const resp::Endpoint &server : m_operation.servers) {
        addSession(server);
        sessions.push_back(m_sessions.back().get());
    }
    m_driver = std::make_unique<exchange::LoopDriver>(std::move(sessions), base::SystemClock::instance(),
                                                      base::SystemRandom::instance());
    // Half way to the first renewal: most programs have ended by then, and this has cost them nothing.
    m_driver->run<void>(waitUntil(now() + m_hold.lease->duration() / 6), [this](const base::Result<void> &) {
        for (const auto &session : m_sessions)
            session->start();
    });
    renew();
}

void GuardedRun::addSession(const resp::Endpoint &server)
{
    auto session = std::make_unique<Session>(server, base::SystemClock::instance(), base::SystemRandom::instance());
    const milliseconds lease = m_hold.lease->duration();
    Session::Timing timing;
    timing.dialTimeout = std::clamp<milliseconds>(lease / 3, 10ms, timing.dialTimeout);
    session->setTiming(timing);
    // A session is patient with a server that is away; a lease is not.
    connect(session.get(), &Session::stateChanged, session.get(),
            [lease, waiting = session.get()](Session::State state) {
                if (state == Session::State::Waiting)
                    QTimer::singleShot(std::clamp<milliseconds>(lease / 30, 5ms, 1s), waiting, &Session::retryNow);
            });
    m_sessions.push_back(std::move(session));
}

void GuardedRun::renew()
{
    m_driver->run<locks::Renewal>(locks::renewOnce(*m_operation.lock, m_hold.token, *m_hold.lease, m_hold.validUntil),
                                  [this](const base::Result<locks::Renewal> &result) {
                                      if (!result)
                                          return lose({Loss::Kind::RanOut, result.error()});
                                      const locks::Renewal &renewal = *result;
                                      if (!renewal)
                                          return lose(renewal.error());
                                      m_hold.validUntil = *renewal;
                                      renew();
                                  });
}

void GuardedRun::watchLease()
{
    m_driver = std::make_unique<exchange::LoopDriver>(std::vector<Session *>(), base::SystemClock::instance(),
                                                      base::SystemRandom::instance());
    m_driver->run<void>(waitUntil(m_hold.validUntil), [this](const base::Result<void> &) { lose(Loss()); });
}

void GuardedRun::received(int number)
{
    switch (number) {
    case SIGCHLD:
        programChanged();
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

void GuardedRun::programChanged()
{
    while (const auto change = m_program.nextChange()) {
        if (change->kind == ProcessGroup::Change::Kind::Stopped) {
            programStopped(change->number);
            continue;
        }
        m_exitCode = change->number;
        if (m_loss)
            waitForGroup();
        else
            finish();
    }
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
    if (m_hold.lease && now() >= m_hold.validUntil)
        return lose(Loss()); // It must not do another step.
    if (m_wantsTerminal && m_terminal.isOurs()) {
        m_terminal.lendTo(m_program.id());
        m_wantsTerminal = false;
    }
    m_program.signal(SIGCONT);
}

void GuardedRun::lose(const Loss &loss)
{
    if (m_loss)
        return;
    m_loss = loss;
    complain(QStringLiteral("%1: the lock was lost: %2; ending the program")
                 .arg(m_operation.name, whyLost(loss, *m_operation.recipe)));
    ProcessGroup::adoptOrphans();
    m_program.signal(SIGTERM);
    m_program.signal(SIGCONT); // A stopped one would not hear of it.
    m_kill.start(m_grace);
}

/// The program has ended; its children, who were to be protected as well, have until the end of the grace.
void GuardedRun::waitForGroup()
{
    if (m_program.isGone() || !m_kill.isActive())
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

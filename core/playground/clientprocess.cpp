#include "core/playground/clientprocess.h"

#include "core/base/json.h"
#include "core/base/logging.h"
#include "core/server/tiedprocess.h"

#include <QProcessEnvironment>

#include <csignal>

namespace latchkey::playground {

using Event = ClientReport::Event;

ClientProcess::ClientProcess(QString program, QString name, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_program(std::move(program))
    , m_name(std::move(name))
    , m_clock(clock)
{
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &ClientProcess::read);
    connect(&m_process, &QProcess::finished, this, &ClientProcess::ended);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            ended();
    });
}

ClientProcess::~ClientProcess()
{
    m_process.disconnect(this);
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.kill(); // Also wakes and ends one that is paused.
    m_process.waitForFinished();
}

void ClientProcess::start(const resp::Endpoint &server)
{
    // By way of the environment: a command line is for everybody to read.
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LATCHKEY_URL"), server.toUrlWithPassword());
    environment.remove(QStringLiteral("LATCHKEY_TOKEN"));
    m_process.setProcessEnvironment(environment);
    server::tieToThisProcess(m_process);
    m_process.start(m_program, {QStringLiteral("actor")});
}

void ClientProcess::order(const ClientOrder &order)
{
    m_process.write(base::toLine(toJson(order)) + '\n');
    setState(State::Working);
}

void ClientProcess::acquire(const QString &recipe, const locks::LockOptions &options, std::chrono::milliseconds wait)
{
    Q_ASSERT(m_state == State::Idle);
    m_attempt = AcquireOrder {recipe, options, wait};
    order(*m_attempt);
}

void ClientProcess::release()
{
    Q_ASSERT(m_state == State::Holding);
    order(ReleaseOrder {});
}

void ClientProcess::extend(base::Lease lease)
{
    Q_ASSERT(m_state == State::Holding);
    order(ExtendOrder {lease});
}

void ClientProcess::crash()
{
    m_process.kill();
}

void ClientProcess::pause()
{
    if (m_state == State::Dead || m_isPaused || m_process.processId() <= 0)
        return;
    ::kill(static_cast<pid_t>(m_process.processId()), SIGSTOP);
    m_isPaused = true;
    Q_EMIT changed();
}

void ClientProcess::resume()
{
    if (m_state == State::Dead || !m_isPaused)
        return;
    ::kill(static_cast<pid_t>(m_process.processId()), SIGCONT);
    m_isPaused = false;
    Q_EMIT changed();
}

void ClientProcess::read()
{
    while (m_process.canReadLine()) {
        const QByteArray line = m_process.readLine().trimmed();
        const auto report = reportFromJson(line);
        if (report)
            handle(*report);
        else
            qCWarning(base::lcOperation).noquote() << m_name << "said what is no report:" << report.error().message;
    }
}

void ClientProcess::handle(const ClientReport &report)
{
    switch (report.event) {
    case Event::Wire:
        Q_EMIT reported(report);
        return;
    case Event::Ready:
    case Event::Busy:
        m_lastReport = report;
        setState(State::Idle);
        break;
    case Event::Acquired:
    case Event::Extended:
        believe(report);
        m_lastReport = report;
        setState(State::Holding);
        break;
    case Event::Renewed:
        // Nothing that was asked for, and so no answer to an order that may be under way.
        believe(report);
        Q_EMIT changed();
        break;
    case Event::Lost:
        m_hold.reset();
        m_lastReport = report;
        setState(m_state == State::Holding ? State::Idle : m_state);
        break;
    case Event::Released:
    case Event::NotOwner:
    case Event::Gone:
        m_hold.reset();
        m_lastReport = report;
        setState(State::Idle);
        break;
    case Event::Unknown:
    case Event::Error:
        // Nothing that it knows has changed: it believes what it believed.
        m_lastReport = report;
        setState(m_hold ? State::Holding : State::Idle);
        break;
    }
    Q_EMIT reported(report);
}

void ClientProcess::believe(const ClientReport &report)
{
    Hold hold = m_hold.value_or(Hold {m_attempt ? m_attempt->recipe : QString(),
                                      report.key,
                                      report.token,
                                      report.fencing,
                                      {},
                                      base::MonotonicTime::max(),
                                      m_clock.now()});
    hold.lease = report.lease;
    hold.validUntil = report.validFor ? m_clock.now() + *report.validFor : base::MonotonicTime::max();
    m_hold = hold;
}

void ClientProcess::setState(State state)
{
    m_state = state;
    Q_EMIT changed();
}

void ClientProcess::ended()
{
    // What it held is nobody's belief any more; that the server still has it is what a crash teaches.
    m_isPaused = false;
    setState(State::Dead);
}

} // namespace latchkey::playground

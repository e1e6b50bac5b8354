#include "core/playground/playground/clientprocess.h"

#include "core/foundation/base/logging.h"
#include "core/foundation/files/json.h"

#include <csignal>

namespace latchkey::playground {

using Event = ClientReport::Event;

ClientProcess::ClientProcess(QString program, QString name, QObject *parent)
    : QObject(parent)
    , m_program(std::move(program))
    , m_name(std::move(name))
{}

ClientProcess::~ClientProcess() = default;

void ClientProcess::start(const net::Endpoint &server)
{
    launch({QStringLiteral("actor")}, server.toUrlWithPassword().toUtf8());
}

void ClientProcess::start(const std::vector<net::Endpoint> &servers)
{
    QStringList arguments {QStringLiteral("actor")};
    for (const net::Endpoint &server : servers)
        arguments += {QStringLiteral("--url"), server.toUrlWithPassword()};
    launch(arguments, {});
}

void ClientProcess::launch(const QStringList &arguments, const QByteArray &url)
{
    m_process = std::make_unique<process::Child>();
    connect(m_process.get(), &process::Child::outputReceived, this, &ClientProcess::read);
    connect(m_process.get(), &process::Child::ended, this, &ClientProcess::ended);
    m_unread.clear();
    m_hold.reset();
    m_lastReport.reset();
    m_isPaused = false;
    m_isLosingReply = false;

    process::Launch launch;
    launch.words = process::Launch::wordsFrom(m_program, arguments);
    // The URL is passed in the environment, because other users can read a command line.
    launch.environment = {{"LATCHKEY_URL", url}, {"LATCHKEY_PASSWORD", std::nullopt}, {"LATCHKEY_TOKEN", std::nullopt}};
    launch.input = process::Launch::Channel::Piped;
    launch.output = process::Launch::Channel::Piped;
    launch.hasOwnGroup = true; // Ctrl-C must not reach the client.
    const auto started = m_process->start(launch);
    if (!started)
        qCWarning(base::lcOperation).noquote()
            << "cannot run" << m_program << QString::fromStdString(started.error().message());
    setState(started ? State::Starting : State::Dead);
}

void ClientProcess::acquire(const QString &recipe, const locks::LockOptions &options, std::chrono::milliseconds wait)
{
    Q_ASSERT(m_state == State::Idle);
    m_attempt = AcquireOrder {recipe, options, wait};
    sendOrder(*m_attempt);
}

void ClientProcess::release()
{
    Q_ASSERT(m_state == State::Holding);
    sendOrder(ReleaseOrder {});
}

void ClientProcess::extend(base::Lease lease)
{
    Q_ASSERT(m_state == State::Holding);
    sendOrder(ExtendOrder {lease});
}

void ClientProcess::sendOrder(const ClientOrder &order)
{
    m_process->write(files::toLine(toJson(order)) + '\n');
    Q_EMIT ordered(order);
    if (!isImmediate(order))
        setState(State::Working);
}

void ClientProcess::loseNextReply(bool isLosing)
{
    sendOrder(LoseReplyOrder {isLosing});
    m_isLosingReply = isLosing;
    Q_EMIT changed();
}

void ClientProcess::crash()
{
    m_process->signal(SIGKILL);
}

void ClientProcess::pause()
{
    if (m_state == State::Dead || m_isPaused)
        return;
    m_process->signal(SIGSTOP);
    m_isPaused = true;
    Q_EMIT changed();
}

void ClientProcess::resume()
{
    if (m_state == State::Dead || !m_isPaused)
        return;
    m_process->signal(SIGCONT);
    m_isPaused = false;
    Q_EMIT changed();
}

void ClientProcess::read()
{
    m_unread += m_process->takeOutput();
    for (qsizetype end = m_unread.indexOf('\n'); end >= 0; end = m_unread.indexOf('\n')) {
        const QByteArray line = m_unread.first(end).trimmed();
        m_unread.remove(0, end + 1);
        const auto report = reportFromJson(line);
        if (report)
            handle(*report);
        else
            qCWarning(base::lcOperation).noquote() << m_name << "said what is no report:" << report.error().message();
    }
}

void ClientProcess::handle(const ClientReport &report)
{
    switch (report.event) {
    case Event::Wire:
        if (report.isReplyLost && std::exchange(m_isLosingReply, false))
            Q_EMIT changed();
        Q_EMIT reported(report);
        return;
    case Event::AtBreakpoint:
    case Event::Reconnected:
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
    case Event::ExpiryChanged:
        // The report is unsolicited, so it does not answer a pending order.
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
    case Event::Done:
        // The client's belief has not changed.
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
                                      report.writtenAt});
    hold.lease = report.lease;
    hold.validUntil = report.validUntil.value_or(base::MonotonicTime::max());
    m_hold = hold;
}

void ClientProcess::setState(State state)
{
    m_state = state;
    Q_EMIT changed();
}

void ClientProcess::ended()
{
    // hold() keeps the last belief. The lock stays on the server, which is the effect that a crash demonstrates.
    m_isPaused = false;
    m_isLosingReply = false;
    setState(State::Dead);
}

} // namespace latchkey::playground

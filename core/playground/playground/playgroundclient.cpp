#include "core/playground/playground/playgroundclient.h"

#include "core/recipes/caches/catalogue.h"
#include "core/recipes/locks/foreigntype.h"

namespace latchkey::playground {

using Event = ClientReport::Event;

namespace {

/// Returns whether no reply was received. Any other error comes from the server.
bool isSilence(base::ErrorKind kind)
{
    using base::ErrorKind;
    return kind == ErrorKind::Unreachable || kind == ErrorKind::ConnectionLost || kind == ErrorKind::TimedOut;
}

} // namespace

PlaygroundClient::PlaygroundClient(const std::vector<net::Endpoint> &servers, const base::Clock &clock,
                                   base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_ownClock(clock)
    , m_sessions(servers, clock, random)
    , m_driver(m_sessions.all(), m_ownClock, random)
    , m_breakpoints(m_driver)
    , m_watchdog(m_driver)
    , m_loss(m_sessions.all())
{
    connect(&m_breakpoints, &BreakpointDriver::paused, this, [this](const QString &step) {
        ClientReport report = about(Event::AtBreakpoint);
        report.command = step;
        sendReport(std::move(report));
    });
    m_driver.setListener([this](const exchange::TranscriptEntry &entry) { reportWireEntry(entry); });
    connect(&m_watchdog, &locks::LeaseWatchdog::renewed, this, [this](base::MonotonicTime validUntil) {
        m_validUntil = validUntil;
        reportHold(Event::Renewed);
    });
    connect(&m_watchdog, &locks::LeaseWatchdog::expiryChanged, this, [this](base::MonotonicTime validUntil) {
        m_validUntil = validUntil;
        reportHold(Event::ExpiryChanged);
    });
    connect(&m_watchdog, &locks::LeaseWatchdog::lost, this, &PlaygroundClient::lose);
    connect(&m_sessions, &ClientSessions::ready, this, [this] { begin(about(Event::Ready)); });
    connect(&m_sessions, &ClientSessions::reconnected, this, [this](int server) {
        ClientReport report = about(Event::Reconnected);
        report.server = server;
        sendReport(std::move(report));
        execute();
    });
    connect(&m_sessions, &ClientSessions::failed, this, [this] { begin(failureReport(*m_sessions.lastError())); });
}

PlaygroundClient::~PlaygroundClient() = default;

void PlaygroundClient::start()
{
    m_sessions.start();
}

void PlaygroundClient::begin(ClientReport report)
{
    m_mayBegin = true;
    sendReport(std::move(report));
    execute();
}

void PlaygroundClient::order(const QByteArray &line)
{
    if (auto order = orderFromJson(line); order && isImmediate(*order)) {
        std::visit([this](auto &known) { handle(known); }, *order);
        return;
    }
    m_orders.push_back(line);
    execute();
}

void PlaygroundClient::endOrders()
{
    m_isLastOrder = true;
    execute();
}

/// Executes one order. The next order waits for its answer.
void PlaygroundClient::execute()
{
    while (m_mayBegin && !m_isWorking && !m_isFinished && !m_sessions.isReconnecting()) {
        if (m_orders.empty()) {
            if (m_isLastOrder)
                handle(QuitOrder());
            return;
        }
        const QByteArray line = std::move(m_orders.front());
        m_orders.pop_front();
        auto order = orderFromJson(line);
        if (!order)
            sendReport(failureReport(order.error()));
        else
            std::visit([this](auto &known) { handle(known); }, *order);
    }
}

void PlaygroundClient::finishOrder()
{
    m_isWorking = false;
    execute();
}

void PlaygroundClient::handle(AcquireOrder &order)
{
    if (m_lock)
        return refuse(base::Text(QT_TRANSLATE_NOOP("core", "it holds a lock already")));
    const auto recipe = locks::findRecipe(order.recipe);
    if (!recipe)
        return sendReport(failureReport(recipe.error()));
    m_key = order.options.key;
    // With several servers, a recipe for one server uses the first.
    order.options.servers = (*recipe)->hasManyServers ? m_sessions.count() : 1;
    auto lock = locks::makeLock(**recipe, std::move(order.options));
    if (!lock)
        return sendReport(failureReport(lock.error()));
    m_lock = std::move(*lock);
    m_recipe = *recipe;
    m_isWorking = true;
    m_breakpoints.run<locks::Acquisition>(
        locks::acquireUnlessForeign(*m_recipe, *m_lock, m_key, order.wait),
        [this](const base::Result<locks::Acquisition> &acquisition) { acquired(acquisition); });
}

void PlaygroundClient::acquired(const base::Result<locks::Acquisition> &acquisition)
{
    if (acquisition && acquisition->isAcquired()) {
        m_token = acquisition->token;
        m_lease = acquisition->lease;
        m_validUntil = acquisition->validUntil;
        m_fencing = acquisition->fencing;
        keep();
        reportHold(Event::Acquired, acquisition->fencing);
    } else {
        m_lock.reset();
        ClientReport report = acquisition ? about(Event::Busy) : failureReport(acquisition.error());
        if (acquisition)
            report.message = acquisition->reason;
        sendReport(std::move(report));
    }
    finishOrder();
}

void PlaygroundClient::handle(const ReleaseOrder & /*order*/)
{
    if (!m_lock)
        return refuse(base::Text(QT_TRANSLATE_NOOP("core", "it holds no lock")));
    m_isWorking = true;
    m_watchdog.stop();
    m_breakpoints.run<locks::ReleaseOutcome>(
        m_lock->release(m_token), [this](const base::Result<locks::ReleaseOutcome> &outcome) { released(outcome); });
}

void PlaygroundClient::released(const base::Result<locks::ReleaseOutcome> &outcome)
{
    if (outcome) {
        m_lock.reset();
        sendReport(about(*outcome == locks::ReleaseOutcome::Released   ? Event::Released
                         : *outcome == locks::ReleaseOutcome::NotOwner ? Event::NotOwner
                                                                       : Event::Gone));
    } else {
        keep();
        sendReport(failureReport(outcome.error()));
    }
    finishOrder();
}

void PlaygroundClient::handle(const ExtendOrder &order)
{
    if (!m_lock)
        return refuse(base::Text(QT_TRANSLATE_NOOP("core", "it holds no lock")));
    m_isWorking = true;
    m_watchdog.stop();
    m_breakpoints.run<locks::Extension>(
        m_lock->extend(m_token, order.lease),
        [this, lease = order.lease](const base::Result<locks::Extension> &extension) { extended(lease, extension); });
}

void PlaygroundClient::extended(base::Lease lease, const base::Result<locks::Extension> &extension)
{
    if (!extension) {
        keep();
        sendReport(failureReport(extension.error()));
    } else if (extension->outcome == locks::ExtendOutcome::Extended) {
        m_lease = lease;
        m_validUntil = extension->validUntil;
        keep();
        reportHold(Event::Extended);
    } else {
        m_lock.reset();
        sendReport(about(extension->outcome == locks::ExtendOutcome::NotOwner ? Event::NotOwner : Event::Gone));
    }
    finishOrder();
}

template<typename Order, typename Exchanging>
void PlaygroundClient::withCache(Order &order, Exchanging exchanging)
{
    const auto recipe = caches::findRecipe(order.recipe);
    if (!recipe)
        return sendReport(failureReport(recipe.error()));
    auto cache = caches::makeCache(**recipe, order.options);
    if (!cache)
        return sendReport(failureReport(cache.error()));
    m_cache = std::move(*cache);
    perform(exchanging(*m_cache));
}

void PlaygroundClient::handle(PutOrder &order)
{
    withCache(order, [&](caches::Cache &cache) { return put(cache, std::move(order.content)); });
}

void PlaygroundClient::handle(GetOrder &order)
{
    withCache(order, [](caches::Cache &cache) { return get(cache); });
}

void PlaygroundClient::handle(const RecomputeOrder &order)
{
    auto cache = caches::makeGuarded(order.options);
    if (!cache)
        return sendReport(failureReport(cache.error()));
    caches::GuardedCache &guarded = **cache;
    m_cache = std::move(*cache);
    perform(recompute(guarded, order.value, order.work));
}

void PlaygroundClient::handle(const SendOrder &order)
{
    if (order.server < 0 || order.server >= m_sessions.count())
        return refuse(base::Text(QT_TRANSLATE_NOOP("core", "it has no server %1"), order.server));
    perform(send(order.command, order.server));
}

void PlaygroundClient::perform(exchange::Exchange<OperationResult> operation)
{
    m_isWorking = true;
    m_breakpoints.run<OperationResult>(
        std::move(operation), [this](const base::Result<OperationResult> &operationResult) {
            ClientReport report = operationResult ? about(Event::Done) : failureReport(operationResult.error());
            if (operationResult)
                report.operationResult = *operationResult;
            sendReport(std::move(report));
            finishOrder();
        });
}

void PlaygroundClient::handle(const QuitOrder & /*order*/)
{
    m_isFinished = true;
    Q_EMIT finished();
}

void PlaygroundClient::handle(const WriteOrder & /*order*/)
{
    if (!m_lock)
        return refuse(base::Text(QT_TRANSLATE_NOOP("core", "it holds no lock")));
    ClientReport report = about(Event::Done);
    report.operationResult.outcome = QStringLiteral("writes");
    if (m_fencing)
        report.fencing = m_fencing->value;
    sendReport(std::move(report));
}

void PlaygroundClient::handle(const ResumeOrder &order)
{
    m_isStepped = order.sendsOneByOne;
    for (net::Session *session : m_sessions.all()) // A PING is not allowed inside a held transaction.
        session->setPinging(!order.sendsOneByOne);
    m_breakpoints.resume(order);
}

void PlaygroundClient::handle(const ClockOrder &order)
{
    m_ownClock.setAhead(order.ahead);
}

void PlaygroundClient::handle(const LoseReplyOrder &order)
{
    m_loss.want(order.isWanted);
}

void PlaygroundClient::handle(ReconnectOrder order)
{
    if (order.server < 0 || order.server >= m_sessions.count())
        return refuse(base::Text(QT_TRANSLATE_NOOP("core", "it has no server %1"), order.server));
    m_sessions.reconnect(order.server);
}

void PlaygroundClient::keep()
{
    if (m_isStepped)
        return;
    if (m_recipe->renews)
        m_watchdog.keep(*m_lock, m_token, *m_lease, m_validUntil);
    else if (m_lease && !m_recipe->canExtend && !m_recipe->hasPromise(catalogue::Promise::ContenderNeutral))
        m_watchdog.watch({m_key, m_recipe->value, m_token, *m_lease, m_validUntil}, locks::pollInterval(*m_lease));
}

void PlaygroundClient::lose(const locks::Loss &loss)
{
    // A client that does not renew its lock keeps its belief when the lease ends. The reader of its reports can see the
    // end, too.
    const bool isOver = loss.kind == locks::Loss::Kind::LeaseExpired || loss.kind == locks::Loss::Kind::Shortened;
    if (isOver && !m_recipe->renews)
        return;
    m_lock.reset();
    ClientReport report = about(Event::Lost);
    report.message = locks::lossText(loss, *m_recipe);
    sendReport(std::move(report));
}

ClientReport PlaygroundClient::about(Event event) const
{
    ClientReport report;
    report.event = event;
    report.key = m_key;
    return report;
}

ClientReport PlaygroundClient::failureReport(const base::Error &error) const
{
    ClientReport report = about(base::leavesOutcomeUnknown(error.kind) ? Event::Unknown : Event::Error);
    if (!m_lock && !m_isWorking)
        report.key = {};
    report.message = error.text;
    return report;
}

void PlaygroundClient::refuse(const base::Text &reason)
{
    sendReport(failureReport({base::ErrorKind::Usage, reason}));
}

void PlaygroundClient::sendReport(ClientReport report)
{
    report.writtenAt = m_clock.now();
    Q_EMIT reported(report);
}

void PlaygroundClient::reportHold(Event event, const std::optional<locks::FencingToken> &fencing)
{
    ClientReport report = about(event);
    if (m_recipe->hasToken)
        report.token = m_token;
    if (fencing)
        report.fencing = fencing->value;
    if (m_lease) {
        report.lease = m_lease->duration();
        report.validUntil = m_validUntil;
    }
    sendReport(std::move(report));
}

void PlaygroundClient::reportWireEntry(const exchange::TranscriptEntry &entry)
{
    ClientReport report;
    report.event = Event::Wire;
    if (entry.answer)
        report.sentAt = entry.sent; // The time of sending is not reported for an unanswered command.
    report.server = entry.request.server();
    report.isReplyError = !entry.answer || entry.answer->isError();
    report.isReplyLost = !entry.answer && isSilence(entry.answer.error().kind);
    report.command = exchange::withScriptName(entry.request.command()).toText();
    report.reply = entry.answer ? base::Text(entry.answer->toText())
                 : m_loss.hasLost(report.server)
                     ? base::Text(QT_TRANSLATE_NOOP("core", "the reply got lost on its way"))
                     : entry.answer.error().text;
    sendReport(std::move(report));
}

} // namespace latchkey::playground

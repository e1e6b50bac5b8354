#include "core/inspect/inspection/inspectedserver.h"

#include "core/inspect/detection/lockanalysis.h"
#include "core/inspect/inspection/servernode.h"
#include "core/redis/net/sentinelanswer.h"

#include <algorithm>

namespace latchkey::inspection {

using base::ErrorKind;
using watching::KeySnapshot;
using OwnChangeKind = history::OwnChange::Kind;
using namespace std::chrono_literals;

namespace {

constexpr auto commitBudget = 1ms;
constexpr auto recognitionBudget = 1ms;

} // namespace

InspectedServer::InspectedServer(const net::Endpoint &endpoint, bool isPrivate, const base::Clock &clock,
                                 base::RandomSource &random, QObject *parent)
    : InspectedServer(
          [&](const keys::KnownKeys &known, events::ObservationDispatcher &dispatcher) {
              return std::make_unique<ServerNode>(endpoint, known, dispatcher, clock, random);
          },
          isPrivate, clock, random, parent)
{}

InspectedServer::InspectedServer(const MakeNode &makeNode, bool isPrivate, const base::Clock &clock,
                                 base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_isPrivate(isPrivate)
    , m_clock(clock)
    , m_random(random)
    , m_store(clock)
    // A recording decides when to show observations.
    , m_updater(m_store,
             [this] {
                 if (!isRecording())
                     m_workTimer.start(0ms);
             })
    , m_node(makeNode(m_store.known(), m_dispatcher))
    , m_locks(m_store, m_node->watcher(), m_dispatcher, clock)
    , m_holds(m_locks, m_store, m_keyEventTracker, m_node->watcher(), m_node->events(), clock)
    , m_clients(m_locks, m_node->watcher(), clock)
    , m_memory(m_locks, m_holds, m_clients, m_store.known(), m_keyEventTracker, m_node->watcher(), clock)
    , m_evaluator(m_locks, m_holds, m_memory, m_clients, m_node->watcher(), clock)
    , m_armingTimer(clock)
{
    m_node->session().setTrafficObserver(m_commandLog.trafficObserver(KeyCommandLog::Purpose::Watching));
    // Order of the listeners: the recorder of holds, which looks for keys that the store does not have yet; the store,
    // in which the others look up keys; the watcher, which the node has added; the tracker.
    m_dispatcher.addFirst(m_updater);
    m_holds.listenTo(m_dispatcher);
    m_dispatcher.add(m_keyEventTracker);
    m_locks.setEvaluator([this](const detection::LockFinder::RecognisedKey &recognised, keys::KeyAnalysis &analysis) {
        m_memory.noteJobs(recognised);
        auto found = m_evaluator.findingsFor(recognised.recognition, recognised.sample);
        detection::addFindings(found, analysis);
        if (const auto fencing = recognised.recognition.decoded.fencing)
            m_memory.noteFencing(recognised.sample.key, *fencing);
        detection::addClient(m_clients.clientsOf(recognised.sample.key, recognised.recognition.decoded), analysis);
        return found;
    });
    m_updater.setFlushed(
        [this](base::MonotonicTime received, base::MonotonicTime seen) { Q_EMIT flushed(received, seen); });
    // Deferred until the listeners of the dispatcher were called, because disarming removes one of them.
    m_updater.setEmptied([this](qint64 keys) {
        QMetaObject::invokeMethod(
            this, [this, keys] { disarmAfter({Incident::Kind::Flushed, keys, m_clock.now(), {}, {}}); },
            Qt::QueuedConnection);
    });
    connect(&m_evaluator, &detection::FindingsEvaluator::serverChanged, this, &InspectedServer::detectRoleChange);
    m_workTimer.setSingleShot(true);
    connect(&m_workTimer, &QTimer::timeout, this, &InspectedServer::commit);
    connect(&m_node->watcher(), &watching::Watcher::ticked, this, &InspectedServer::commit);
    connect(&m_node->watcher(), &watching::Watcher::phaseChanged, this, &InspectedServer::noteUnseen);
    connect(&m_node->watcher(), &watching::Watcher::phaseChanged, this, [this](watching::Watcher::Phase phase) {
        if (phase == watching::Watcher::Phase::FirstScan) // The connection is new.
            m_store.setUnseenUntil(m_clock.now());
    });
    connect(&m_keyEventTracker, &events::KeyEventTracker::confirmationRequested, &m_node->events(),
            &watching::EventSource::confirm);
    connect(&m_node->session(), &net::Session::stateChanged, this, &InspectedServer::detectRestart);
    connect(m_node.get(), &Node::eventsChanged, this, &InspectedServer::eventsChanged);
    connect(&m_armingTimer, &ArmingTimer::ended, this, &InspectedServer::endArmedTime);
}

InspectedServer::~InspectedServer() = default;

void InspectedServer::start()
{
    m_node->start();
    if (m_isPrivate)
        setArmed(true);
}

/// Sets the maximum time for which a new key may have existed unobserved; unlimited during the first scan.
void InspectedServer::noteUnseen()
{
    m_store.setUnseenFor(m_node->watcher().unseenFor().value_or(std::chrono::milliseconds::max()));
}

/// Detects a restart. A restarted process has lost its memory or loaded it from a file, so the true end of each lock is
/// unknown.
void InspectedServer::detectRestart()
{
    if (m_node->session().state() != net::Session::State::Ready)
        return;
    const QString runId = m_node->session().server().runId;
    const net::Endpoint &connected = m_node->session().connectedEndpoint();
    const QString place = endpoint().sentinels ? net::hostPortText({connected.host, connected.port}) : QString();
    const QString formerAddress = std::exchange(m_primary, place);
    const QString formerRun = std::exchange(m_runId, runId);
    if (formerAddress != place && !formerAddress.isEmpty()) {
        m_isReplica.reset();
        noteFailover(formerAddress, place, m_clock.now());
    } else if (!formerRun.isEmpty() && !runId.isEmpty() && runId != formerRun) {
        m_isReplica.reset();
        noteRestart(m_clock.now());
    }
}

void InspectedServer::noteFailover(const QString &from, const QString &to, base::MonotonicTime at)
{
    m_processSince = at;
    m_keyEventTracker.failedOver(0);
    disarmAfter({Incident::Kind::FailedOver, 0, at, from, to});
}

void InspectedServer::noteRestart(base::MonotonicTime at)
{
    m_processSince = at;
    m_keyEventTracker.restarted(0);
    disarmAfter({Incident::Kind::Restarted, 0, at, {}, {}});
}

void InspectedServer::detectRoleChange()
{
    const std::optional<bool> isReplica = m_evaluator.server().isReplica;
    if (!isReplica || isReplica == m_isReplica)
        return;
    if (std::exchange(m_isReplica, isReplica))
        disarmAfter({*isReplica ? Incident::Kind::Demoted : Incident::Kind::Promoted, 0, m_clock.now(), {}, {}});
}

/// Disarms before it emits incidentHappened(), because the user armed the server in its former state.
void InspectedServer::disarmAfter(const Incident &incident)
{
    if (!m_isPrivate)
        setArmed(false);
    Q_EMIT incidentHappened(incident);
}

void InspectedServer::commit()
{
    noteUnseen();
    const bool hasMore = m_store.commit(commitBudget);
    if (m_locks.continueRecognition(QDeadlineTimer(recognitionBudget, Qt::PreciseTimer)) || hasMore)
        m_workTimer.start(0ms); // Runs after the other pending events.
    Q_EMIT committed();
}

void InspectedServer::commitNow()
{
    noteUnseen();
    while (m_store.commit(commitBudget)
           || m_locks.continueRecognition(QDeadlineTimer(recognitionBudget, Qt::PreciseTimer))) {}
    Q_EMIT committed();
}

void InspectedServer::setVisibleKeys(const QObject &viewer, const std::vector<keys::KeyId> &ids)
{
    if (ids.empty()) {
        if (m_visibleKeys.remove(&viewer) == 0)
            return;
    } else {
        if (!m_visibleKeys.contains(&viewer))
            connect(&viewer, &QObject::destroyed, this, [this, gone = &viewer] { m_visibleKeys.remove(gone); });
        m_visibleKeys[&viewer] = ids;
    }
    if (m_visibleKeys.size() <= 1) {
        m_node->watcher().setVisibleKeys(ids.empty() && !m_visibleKeys.isEmpty() ? *m_visibleKeys.cbegin() : ids);
        return;
    }
    std::vector<keys::KeyId> all;
    for (const auto &seen : std::as_const(m_visibleKeys)) {
        for (const keys::KeyId id : seen) {
            if (std::ranges::find(all, id) == all.end())
                all.push_back(id);
        }
    }
    m_node->watcher().setVisibleKeys(all);
}

void InspectedServer::setArmed(bool isArmed)
{
    if (isArmed == this->isArmed() || isRecording())
        return;
    if (isArmed) {
        m_changeQueue = std::make_unique<KeyChangeQueue>(
            endpoint(), m_dispatcher, m_node->watcher(),
            [this](const QByteArray &key, const history::OwnChange &change) {
                recordOwnChange(key, change);
                Q_EMIT ownChangeMade(key, change);
            },
            m_clock, m_random);
        m_changeQueue->setTrafficObserver(m_commandLog.trafficObserver(KeyCommandLog::Purpose::Changing));
        if (!m_isPrivate)
            m_armingTimer.start(m_armedTime);
    } else {
        m_armingTimer.stop();
        m_earlierCommands += m_changeQueue->commandsSent();
        const auto ended = std::exchange(m_changeQueue, nullptr);
        ended->abandon();
    }
    Q_EMIT armedChanged(isArmed);
}

void InspectedServer::endArmedTime()
{
    if (!m_changeQueue)
        return;
    m_armingTimer.stop();
    const auto discard = [this] {
        if (const auto ended = std::exchange(m_finishingQueue, nullptr)) {
            m_earlierCommands += ended->commandsSent();
            ended->abandon();
        }
    };
    discard(); // Discards a change that has not been completed since an earlier time limit.
    m_finishingQueue = std::exchange(m_changeQueue, nullptr);
    // Deferred, because the session may still be delivering the reply to the change.
    m_finishingQueue->finishAndStop([this, discard, retired = m_finishingQueue.get()] {
        QMetaObject::invokeMethod(
            this,
            [this, discard, retired] {
                if (m_finishingQueue.get() == retired)
                    discard();
            },
            Qt::QueuedConnection);
    });
    Q_EMIT armedChanged(false);
    Q_EMIT armedTimeEnded(m_armingTimer.limit());
}

void InspectedServer::recordOwnChange(const QByteArray &key, const history::OwnChange &change)
{
    m_holds.addOwnChange(key, change);
    if (change.deadline)
        m_locks.recordOwnExpiryChange(key, *change.deadline, change.when.latest);
}

void InspectedServer::withReading(std::function<void(std::optional<base::Error>)> then)
{
    if (isRecording()) {
        ++m_readsUnderWay;
        return then(base::Error {
            ErrorKind::Usage, base::Text(QT_TRANSLATE_NOOP("core", "a recording holds no more than what was read"))});
    }
    if (!m_readSession) {
        m_readSession = std::make_unique<SideSession>(endpoint(), m_clock, m_random);
        m_readSession->setTrafficObserver(m_commandLog.trafficObserver(KeyCommandLog::Purpose::Reading));
    }
    ++m_readsUnderWay;
    m_readSession->whenReady(std::move(then));
}

void InspectedServer::endReading()
{
    --m_readsUnderWay;
    // Deferred, because the session may still be delivering one of its replies.
    QMetaObject::invokeMethod(this, &InspectedServer::closeReading, Qt::QueuedConnection);
}

void InspectedServer::takeSnapshot(const base::Key &key, std::function<void(base::Result<KeySnapshot>)> done)
{
    read<KeySnapshot>([key] { return watching::takeSnapshot(key); }, std::move(done));
}

void InspectedServer::readReleasePlan(const base::Key &key, std::function<void(base::Result<ReleasePlan>)> done)
{
    const bool isCluster = m_node->session().server().mode == u"cluster";
    read<ReleasePlan>([this, key, isCluster] { return readForRelease(key, m_locks.recogniser(), isCluster); },
                      std::move(done));
}

void InspectedServer::closeReading()
{
    if (!m_readSession || m_readsUnderWay > 0)
        return;
    m_earlierCommands += m_readSession->commandsSent();
    m_readSession.reset();
}

void InspectedServer::deleteIfUnchanged(const KeySnapshot &snapshot, const KeyChangeQueue::Done &done)
{
    execute(snapshot, OwnChangeKind::Deleted, [snapshot] { return watching::deleteIfUnchanged(snapshot); }, done);
}

void InspectedServer::expireIfUnchanged(const KeySnapshot &snapshot, const watching::NewExpiry &end,
                                        const KeyChangeQueue::Done &done)
{
    const bool isTakenAway = end.kind == watching::NewExpiry::Kind::Never;
    execute(
        snapshot, isTakenAway ? OwnChangeKind::ExpiryRemoved : OwnChangeKind::ExpirySet,
        [snapshot, end] { return watching::expireIfUnchanged(snapshot, end); }, done);
}

void InspectedServer::release(const ReleasePlan &lock, const KeyChangeQueue::Done &done)
{
    if (lock.method.obstacle != ReleaseMethod::Obstacle::None)
        return done(base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "how it is released is not known")));
    execute(
        lock.snapshot, OwnChangeKind::Released,
        [lock] { return watching::deleteIfUnchanged(lock.snapshot, lock.method.wakeCommands); }, done);
}

void InspectedServer::undo(const KeySnapshot &before, const KeySnapshot &after, const KeyChangeQueue::Done &done)
{
    execute(
        after, after.exists() ? OwnChangeKind::ExpiryRestored : OwnChangeKind::Restored,
        [before, after] { return watching::undo(before, after); }, done);
}

void InspectedServer::execute(const KeySnapshot &shown, OwnChangeKind kind, KeyChangeQueue::Operation operation,
                              const KeyChangeQueue::Done &done)
{
    if (m_armingTimer.isOver())
        endArmedTime();
    if (m_changeQueue)
        m_changeQueue->execute(shown, kind, std::move(operation), done);
    else
        done(base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "writing to %1 is not armed"),
                           endpoint().display()));
}

quint64 InspectedServer::commandsSent() const
{
    return m_node->commandsSent() + m_earlierCommands + (m_changeQueue ? m_changeQueue->commandsSent() : 0)
         + (m_finishingQueue ? m_finishingQueue->commandsSent() : 0)
         + (m_readSession ? m_readSession->commandsSent() : 0);
}

} // namespace latchkey::inspection

#include "core/inspect/detection/lockfinder.h"

#include "core/inspect/detection/lockanalysis.h"

#include <algorithm>

namespace latchkey::detection {

using base::MonotonicTime;
using keys::KeyAnalysis;
using keys::KeyId;
using keys::RawValue;
using recognition::LockLikelihood;
using recognition::ReadRequest;
using namespace std::chrono_literals;

namespace {

/// Number of names that are checked between two reads of the clock, which cost as much as a name.
constexpr int namesAtOnce = 64;
/// Number of locks that are re-read per interval if the server sends no events and no other key waits to be read. It
/// uses at most a quarter of the default limit.
constexpr qsizetype locksPerTurn = 10;
constexpr auto turnInterval = 200ms;
/// Number of queued candidates that are read together when nothing else waits.
constexpr qsizetype candidatesAtOnce = 50;

} // namespace

LockFinder::LockFinder(keys::KeyStore &store, watching::Watcher &watcher, events::ObservationDispatcher &dispatcher,
                       const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_store(store)
    , m_watcher(watcher)
    , m_dispatcher(dispatcher)
    , m_clock(clock)
    , m_companions(store.known())
    , m_releases(store, m_recogniser)
    , m_candidates(store, m_companions, m_releases, clock)
    , m_serverContext(watcher)
{
    m_store.addObserver(*this);
    m_dispatcher.add(m_companions);
    m_dispatcher.add(m_releases);
    connect(&m_watcher, &watching::Watcher::phaseChanged, this, [this](watching::Watcher::Phase phase) {
        if (phase == watching::Watcher::Phase::Watching && m_store.liveCount() <= fewKeys)
            classifyAll();
        if (phase == watching::Watcher::Phase::Away)
            m_serverContext.forgetAll(); // After a reconnect, the server may be another one.
        m_isCatchingUp = m_isCatchingUp || phase != watching::Watcher::Phase::Watching;
    });
    connect(&m_serverContext, &ServerContextReader::answered, this, &LockFinder::reexamine);
}

LockFinder::~LockFinder()
{
    m_dispatcher.remove(m_companions);
    m_dispatcher.remove(m_releases);
    m_store.removeObserver(*this);
}

void LockFinder::setDialects(const recognition::Dialects &dialects)
{
    m_recogniser = recognition::Recogniser(dialects);
    m_recogniser.setRecordedRecognition(m_recordedRecognition);
    m_serverContext.forgetScripts();
    classifyAll();
}

void LockFinder::setRecordedRecognition(const recognition::Recogniser::RecordedRecognition &recorded)
{
    m_recordedRecognition = recorded;
    m_recogniser.setRecordedRecognition(recorded);
}

/// Checks all names again, except those of keys that are requested and not read yet. A pending key is live, but
/// changed() will add it.
void LockFinder::classifyAll()
{
    const keys::KnownKeys &known = m_store.known();
    m_unclassified.clear();
    for (quint32 id = 0; id < known.table.idLimit(); ++id) {
        const KeyId key {id};
        if (known.isLive(key) && !known.table.isPending(key)
            && (known.value(key) != nullptr || !m_candidates.contains(known.table.key(key).toByteArray())))
            m_unclassified.push_back(key);
    }
}

void LockFinder::aboutToChange(std::span<const KeyId> ids)
{
    m_changing.assign(ids.begin(), ids.end());
}

void LockFinder::changed(std::span<const KeyId> added)
{
    const keys::KnownKeys &known = m_store.known();
    for (const KeyId id : m_changing) {
        const QByteArrayView name = known.table.key(id);
        if (m_companions.hasOwners())
            m_companions.changed(name, known.isLive(id));
        if (!known.isLive(id)) {
            m_dirty.remove(id);
            m_unrequested.remove(id);
            forget(name.toByteArray());
        } else if (known.value(id) != nullptr) {
            m_unrequested.remove(id);
            m_dirty.push(id);
        }
    }
    m_changing.clear();
    m_unclassified.insert(m_unclassified.end(), added.begin(), added.end());
}

void LockFinder::aboutToClear()
{
    m_unclassified.clear();
    m_candidateQueue.clear();
    m_dirty.clear();
    m_candidates.clear();
    m_locks.clear();
    m_findings.clear();
    m_found.clear();
    m_turn.clear();
    m_serverContext.cancelAll();
    m_companions.clear();
    m_unrequested.clear();
}

bool LockFinder::isIdle() const
{
    return m_dirty.isEmpty() && m_unclassified.empty() && m_watcher.requests() == 0 && m_store.stagedCount() == 0;
}

bool LockFinder::continueRecognition(const QDeadlineTimer &deadline)
{
    // A first scan at full speed takes seconds and is not delayed. No value would be read before its end anyway.
    if (m_watcher.phase() == watching::Watcher::Phase::FirstScan && m_watcher.hasFastFirstScan())
        return false;
    while (!m_unclassified.empty()) {
        for (int i = 0; i < namesAtOnce && !m_unclassified.empty(); ++i) {
            classify(m_unclassified.back());
            m_unclassified.pop_back();
        }
        if (deadline.hasExpired()) {
            noteUnrequested();
            return true;
        }
    }
    noteUnrequested(); // The keys to examine may take many turns, and the checked names are requested by now.
    m_isCatchingUp =
        m_isCatchingUp && (m_watcher.phase() != watching::Watcher::Phase::Watching || m_store.stagedCount() > 0);
    reexamine(m_companions.takeAffectedOwners());
    if (const QList<QByteArray> released = m_releases.takeAnnounced(); !released.isEmpty())
        m_watcher.requestValues(released);
    while (!m_dirty.isEmpty()) {
        take(m_dirty.take());
        if (deadline.hasExpired() && !m_dirty.isEmpty())
            return true;
    }
    while (!m_unrequested.isEmpty() && m_candidates.count() < maxCandidates)
        classify(m_unrequested.take());
    noteUnrequested();
    // A value can be a reason to read another key, so all requests are known only when no read is pending.
    if (m_watcher.phase() == watching::Watcher::Phase::Watching && isIdle()) {
        m_watcher.markInitialRequestsComplete();
        readCandidates();
        if (!m_watcher.hasChangeEvents())
            readInTurn();
    }
    return false;
}

/// Reports the number of possible locks that were not requested to the watcher. Names that are checked within a second
/// are part of normal watching.
void LockFinder::noteUnrequested()
{
    const MonotonicTime now = m_clock.now();
    if (m_unclassified.empty())
        m_unclassifiedSince.reset();
    else if (!m_unclassifiedSince)
        m_unclassifiedSince = now;
    const bool isBehind = m_unclassifiedSince && now - *m_unclassifiedSince > 1s;
    m_watcher.setUnrequested(m_unrequested.size() + (isBehind ? static_cast<qint64>(m_unclassified.size()) : 0));
}

/// Re-reads locks in turn: a new holder may have acquired the lock with the same expiry, which a poll does not show.
void LockFinder::readInTurn()
{
    const MonotonicTime now = m_clock.now();
    if (now < m_nextTurn)
        return;
    m_nextTurn = now + turnInterval;
    if (m_turn.isEmpty())
        m_turn = m_locks.values();
    m_watcher.requestValues(m_turn.mid(0, locksPerTurn));
    m_turn.remove(0, std::min(locksPerTurn, m_turn.size()));
}

void LockFinder::readCandidates()
{
    m_watcher.requestValues(m_candidateQueue.take(candidatesAtOnce, m_store.known()));
}

/// Returns whether there are few keys. Their number is known only after the first scan.
bool LockFinder::areKeysFew() const
{
    return m_watcher.phase() == watching::Watcher::Phase::Watching && m_store.liveCount() <= fewKeys;
}

void LockFinder::classify(KeyId id)
{
    const keys::KnownKeys &known = m_store.known();
    if (!known.isLive(id))
        return; // The key was deleted meanwhile.
    const QByteArrayView name = known.table.key(id);
    if (m_companions.hasOwners())
        m_companions.changed(name, true);
    const LockLikelihood likelihood = m_recogniser.lockLikelihood(name);
    const bool isLikelyLock = isLikely(name);
    if (known.value(id) != nullptr) {
        m_dirty.push(id);
    } else if (isLikelyLock || (likelihood == LockLikelihood::Some && areKeysFew())) {
        if (m_candidates.count() >= maxCandidates) {
            m_unrequested.push(id);
            return;
        }
        const QByteArray key = name.toByteArray();
        if (m_candidates.contains(key))
            return; // The read is already requested.
        m_candidates.insert(key);
        m_watcher.requestValues({key});
        if (isLikelyLock)
            Q_EMIT candidateFound(key);
    } else if (LockCandidateQueue::isLockCandidate(likelihood, known.table.deadline(id), m_clock.now())) {
        m_candidateQueue.offer(id);
    }
}

void LockFinder::take(KeyId id)
{
    const keys::KnownKeys &known = m_store.known();
    if (!known.isLive(id))
        return;
    const QByteArray key = known.table.key(id).toByteArray();
    if (!m_candidates.contains(key) && m_recogniser.lockLikelihood(key) == LockLikelihood::None)
        return;
    // A different expiry of the same key may belong to another holder, which only the value shows. A known value was
    // read together with the expiry.
    if (m_candidates.update(id, key) && m_locks.contains(key))
        m_watcher.requestValues({key});
    if (known.value(id) != nullptr)
        examine(id, key);
}

void LockFinder::examine(KeyId id, const QByteArray &key)
{
    RecognisedKey examined;
    examined.sample = m_candidates.sampleOf(id, key);
    examined.recognition = m_recogniser.recognise(examined.sample, m_serverContext.known());
    KeyAnalysis analysis = analysisFrom(examined.recognition, m_recogniser.dialects());
    if (examined.recognition.isLock())
        m_locks.insert(key);
    else
        m_locks.remove(key);
    Q_EMIT recognised(key); // Emitted before the judgement, which needs the key's history.
    FoundKinds found;
    if (examined.recognition.isLock() && m_evaluator) {
        for (const findings::Finding &finding : m_evaluator(examined, analysis))
            found.push_back({finding.kind, finding.severity});
    }
    if (found.isEmpty())
        m_found.remove(key);
    else
        m_found.insert(key, found);
    if (analysis.findings > 0)
        m_findings.insert(key);
    else
        m_findings.remove(key);
    m_store.setAnalysis(key, analysis);
    requestReads(key, examined.recognition.requests);
    if (!examined.recognition.isLock())
        dropWrongCandidate(key);
}

/// Removes the candidate to make room for a key with a clearer name.
void LockFinder::dropWrongCandidate(const QByteArray &key)
{
    if (!areKeysFew() && !isLikely(key))
        m_candidates.remove(key);
}

void LockFinder::examineAll()
{
    reexamine(m_locks);
}

void LockFinder::forget(const QByteArray &key)
{
    if (!m_candidates.remove(key))
        return;
    m_locks.remove(key);
    m_findings.remove(key);
    m_found.remove(key);
    m_serverContext.cancel(key);
    m_companions.unregister(key);
}

void LockFinder::requestReads(const QByteArray &key, const std::vector<ReadRequest> &requests)
{
    for (const ReadRequest &request : requests) {
        switch (request.kind) {
        case ReadRequest::Kind::Value:
            break; // The value was already read up to the maximum read size.
        case ReadRequest::Kind::Companion:
            if (m_companions.add(request.subject, key))
                m_watcher.requestValues({request.subject});
            break;
        case ReadRequest::Kind::Scripts:
            m_serverContext.requestScripts(m_recogniser.dialects().scripts(), key);
            break;
        case ReadRequest::Kind::Subscribers:
            m_serverContext.requestSubscribers(request.subject, key);
            break;
        }
    }
}

std::optional<LockFinder::RecognisedKey> LockFinder::lookUp(const QByteArray &key) const
{
    const auto id = m_store.known().table.find(key);
    if (!id || !m_store.known().isLive(*id))
        return std::nullopt;
    RecognisedKey recognised;
    recognised.sample = m_candidates.sampleOf(*id, key);
    recognised.recognition = m_recogniser.recognise(recognised.sample, m_serverContext.known());
    return recognised;
}

recognition::Recognition LockFinder::recognise(const QByteArray &key) const
{
    const auto recognised = lookUp(key);
    return recognised ? recognised->recognition : recognition::Recognition();
}

recognition::Recognition LockFinder::recogniseWithValue(const QByteArray &key, const RawValue &value) const
{
    return m_recogniser.recognise(m_candidates.sampleWithValue(key, value), m_serverContext.known());
}

bool LockFinder::isLikely(QByteArrayView name) const
{
    return m_recogniser.lockLikelihood(name) == LockLikelihood::High || m_releases.hasReleases(name);
}

void LockFinder::reexamine(const QSet<QByteArray> &keys)
{
    for (const QByteArray &key : keys) {
        if (const auto id = m_store.known().table.find(key))
            m_dirty.push(*id);
    }
}

} // namespace latchkey::detection

#include "core/inspect/voting/grouplocks.h"

#include "core/inspect/voting/independence.h"
#include "core/inspect/voting/serverreply.h"

#include <algorithm>

namespace latchkey::voting {

using base::Text;
using inspection::InspectedServer;
using keys::KeyId;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

constexpr auto sliceTime = 3ms;
/// Time in which changes of several servers are collected, such as those of one acquisition.
constexpr auto collectTime = 20ms;
/// Interval in which disputed locks are read again on servers that report no changes.
constexpr auto recheckInterval = 1s;
/// Number of these locks per interval.
constexpr int locksPerRecheck = 50;

} // namespace

/// A server of the group. It reports the names of its locks that have changed.
class GroupLocks::Member final : private keys::KeyStoreObserver
{
public:
    Member(std::shared_ptr<InspectedServer> server, GroupLocks &locks)
        : m_locks(locks)
        , m_server(std::move(server))
        , m_voting(*m_server, locks.m_clock, VotingServer::Reread::Value, [this] { return names(); })
    {
        m_server->store().addObserver(*this);
        QObject::connect(&m_server->locks(), &detection::LockFinder::recognised, &m_voting,
                         [this](const QByteArray &key) {
                             if (m_server->locks().isLock(key) || m_locks.find(key) >= 0)
                                 m_locks.lockChanged(key);
                         });
        QObject::connect(&m_voting, &VotingServer::allChanged, &m_locks, [this] { m_locks.serverChanged(*this); });
        QObject::connect(&m_voting, &VotingServer::readAgain, &m_locks, &GroupLocks::lockChanged);
        QObject::connect(&m_server->session(), &net::Session::stateChanged, &m_locks, &GroupLocks::findDependence);
    }
    ~Member() override { m_server->store().removeObserver(*this); }

    [[nodiscard]] InspectedServer &server() const { return *m_server; }
    [[nodiscard]] const VotingServer &voting() const { return m_voting; }
    /// Returns the ID of the key if it exists by the last observation.
    [[nodiscard]] std::optional<KeyId> idOf(const QByteArray &key) const
    {
        const keys::KnownKeys &known = m_server->store().known();
        const auto id = known.table.find(key);
        return id && known.isLive(*id) ? id : std::nullopt;
    }
    [[nodiscard]] LockVotes::Reply replyOf(const QByteArray &key, MissingVote &silence) const;
    /// Reads the key at once if its state may not be known yet.
    void readMissing(const QByteArray &key, bool isRecheck) const;
    /// Returns the names of the listed locks that this server has.
    [[nodiscard]] QList<QByteArray> names() const
    {
        QList<QByteArray> found;
        for (const auto &lock : m_locks.m_locks) {
            if (idOf(lock->key))
                found += lock->key;
        }
        return found;
    }

private:
    [[nodiscard]] bool isBusy() const override { return false; }
    void work(QDeadlineTimer) override {}
    void aboutToChange(std::span<const KeyId> ids) override { m_changing.assign(ids.begin(), ids.end()); }
    void changed(std::span<const KeyId> added) override
    {
        report(m_changing);
        report(added);
        m_changing.clear();
    }
    void aboutToClear() override { m_locks.serverChanged(*this); }
    void report(std::span<const KeyId> ids) const
    {
        for (const KeyId id : ids) {
            const QByteArray key = m_server->store().known().table.key(id).toByteArray();
            if (m_locks.find(key) >= 0)
                m_locks.lockChanged(key);
        }
    }

    GroupLocks &m_locks; // Not owned.
    const std::shared_ptr<InspectedServer> m_server;
    VotingServer m_voting;
    std::vector<KeyId> m_changing; ///< Set during a commit.
};

/// Returns the state of the key on the server. `silence`: why it is not known.
LockVotes::Reply GroupLocks::Member::replyOf(const QByteArray &key, MissingVote &silence) const
{
    const LockVotes::Reply unknown {};
    if (const auto unobserved = m_voting.silence()) {
        silence = *unobserved;
        return unknown;
    }
    const auto id = idOf(key);
    if (!id) {
        silence = m_voting.missingVoteForAbsentKey();
        if (silence.why.isEmpty() && m_server->store().unreadable().find(key) != nullptr)
            silence = {Text(QT_TRANSLATE_NOOP("core", "the server refuses to read the key")).toString()};
        else if (silence.why.isEmpty() && m_server->watcher().isIncomplete())
            silence = {Text(QT_TRANSLATE_NOOP("core", "not all keys of the server are known")).toString()};
        return silence.why.isEmpty() ? LockVotes::Reply {true, {}} : unknown;
    }
    if (m_voting.isOutdated(key)) {
        silence = VotingServer::outdatedVote();
        return unknown;
    }
    const auto found = m_server->locks().lookUp(key);
    if (!found || !found->sample.value) {
        silence = m_voting.missingVoteForUnreadKey();
        return unknown;
    }
    return voting::replyOf(found->sample, found->recognition, m_server->store().known().endOf(*id));
}

void GroupLocks::Member::readMissing(const QByteArray &key, bool isRecheck) const
{
    Watcher &watcher = m_server->watcher();
    const auto id = idOf(key);
    if (id && m_server->store().known().value(*id) == nullptr)
        watcher.requestValues({key});
    else if (!watcher.hasChangeEvents() && (!id || isRecheck))
        watcher.keysChanged({key});
}

GroupLocks::GroupLocks(std::vector<std::shared_ptr<InspectedServer>> servers, const base::Clock &clock)
    : m_clock(clock)
{
    m_workTimer.setSingleShot(true);
    m_workTimer.callOnTimeout(this, &GroupLocks::evaluateSome);
    m_recheckTimer.callOnTimeout(this, &GroupLocks::recheckDisputed);
    m_recheckTimer.start(recheckInterval);
    for (auto &server : servers)
        m_members.push_back(std::make_unique<Member>(std::move(server), *this));
    for (const auto &member : m_members)
        serverChanged(*member);
    findDependence();
}

GroupLocks::~GroupLocks() = default;

InspectedServer &GroupLocks::server(std::size_t index) const
{
    return m_members[index]->server();
}

std::optional<MissingVote> GroupLocks::missingVoteOf(std::size_t index) const
{
    return m_members[index]->voting().silence();
}

bool GroupLocks::isFullyScanned(std::size_t index) const
{
    const Watcher &watcher = server(index).watcher();
    return !missingVoteOf(index) && watcher.phase() == Watcher::Phase::Watching && watcher.coverage().isComplete();
}

bool GroupLocks::isUndescribed(std::size_t index) const
{
    const net::Session &session = server(index).session();
    return session.state() == net::Session::State::Ready && session.server().runId.isEmpty();
}

qsizetype GroupLocks::lowerBound(const QByteArray &key) const
{
    return std::ranges::lower_bound(m_locks, key, {}, [](const auto &lock) -> const QByteArray & { return lock->key; })
         - m_locks.begin();
}

qsizetype GroupLocks::find(const QByteArray &key) const
{
    const qsizetype row = lowerBound(key);
    return row < count() && at(row).key == key ? row : -1;
}

void GroupLocks::lockChanged(const QByteArray &key)
{
    m_changed.push(key);
    if (!m_workTimer.isActive())
        m_workTimer.start(collectTime);
}

/// Evaluates all listed locks, and those that the server has.
void GroupLocks::serverChanged(const Member &member)
{
    for (const auto &lock : m_locks)
        lockChanged(lock->key);
    const keys::KnownKeys &known = member.server().store().known();
    for (auto analysis = known.analysis.keyBegin(); analysis != known.analysis.keyEnd(); ++analysis) {
        if (known.isLive(*analysis))
            lockChanged(known.table.key(*analysis).toByteArray());
    }
    m_workTimer.start(0ms);
    Q_EMIT serversChanged();
}

void GroupLocks::findDependence()
{
    std::vector<DescribedServer> described;
    for (const auto &member : m_members)
        described.push_back({member->server().endpoint(), member->server().session().server()});
    m_dependence = whyDependent(described);
    Q_EMIT serversChanged();
}

void GroupLocks::evaluateSome()
{
    const QDeadlineTimer deadline(sliceTime);
    while (!m_changed.isEmpty()) {
        evaluate(m_changed.take());
        if (deadline.hasExpired() && !m_changed.isEmpty())
            return m_workTimer.start(0ms);
    }
    Q_EMIT serversChanged();
}

GroupLocks::Lock GroupLocks::evaluated(const QByteArray &key) const
{
    Lock lock {key};
    std::vector<LockVotes::Reply> replies;
    lock.missingVotes.resize(m_members.size());
    for (std::size_t i = 0; i < m_members.size(); ++i)
        replies.push_back(m_members[i]->replyOf(key, lock.missingVotes[i]));
    lock.votes = LockVotes(std::move(replies));
    for (std::size_t i = 0; i < m_members.size() && lock.analysis.isEmpty(); ++i) {
        const auto id = m_members[i]->idOf(key);
        const keys::KnownKeys &known = m_members[i]->server().store().known();
        const keys::KeyAnalysis *analysis = id ? known.analysisOf(*id) : nullptr;
        if (analysis != nullptr && lock.votes.voteOf(i) != LockVotes::Vote::OtherHolder)
            lock.analysis = *analysis;
    }
    return lock;
}

void GroupLocks::evaluate(const QByteArray &key)
{
    const bool isAnywhere =
        std::ranges::any_of(m_members, [&](const auto &member) { return member->idOf(key).has_value(); });
    const qsizetype row = lowerBound(key);
    const bool isListed = row < count() && at(row).key == key;
    if (!isAnywhere) {
        if (!isListed)
            return;
        Q_EMIT aboutToRemove(static_cast<int>(row));
        m_locks.erase(m_locks.begin() + row);
        Q_EMIT removed();
        return;
    }
    if (!isListed
        && std::ranges::none_of(m_members, [&](const auto &member) { return member->server().locks().isLock(key); }))
        return;
    Lock lock = evaluated(key);
    if (isListed) {
        *m_locks[static_cast<std::size_t>(row)] = std::move(lock);
        Q_EMIT changed(static_cast<int>(row));
    } else {
        Q_EMIT aboutToInsert(static_cast<int>(row));
        m_locks.insert(m_locks.begin() + row, std::make_unique<Lock>(std::move(lock)));
        Q_EMIT inserted();
        for (const auto &member : m_members)
            member->readMissing(key, false);
    }
}

/// Reads the locks again on which the servers do not agree: a server that does not report changes may have another
/// state by now.
void GroupLocks::recheckDisputed()
{
    int read = 0;
    for (const auto &lock : m_locks) {
        if (lock->votes.votes() == serverCount())
            continue;
        for (const auto &member : m_members) {
            if (!member->voting().silence())
                member->readMissing(lock->key, true);
        }
        if (++read == locksPerRecheck)
            return;
    }
}

} // namespace latchkey::voting

#include "core/inspect/detection/findingsevaluator.h"

#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::detection {

using base::MonotonicTime;
using events::Ending;
using findings::Finding;
using findings::LockEvidence;
using findings::PastHold;
using findings::ServerProperties;
using history::Hold;
using net::Connection;
using resp::Reply;
using std::chrono::milliseconds;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

/// Interval of reading the server's settings, which seldom change.
constexpr auto serverContextInterval = 30s;
/// Number of past holds that a judgement uses.
constexpr std::size_t maxPastHolds = 50;

PastHold::End endFrom(Ending ending)
{
    switch (ending) {
    case Ending::Deleted:
    case Ending::Removed:
        return PastHold::End::Released;
    case Ending::Expired:
        return PastHold::End::Expired;
    case Ending::Evicted:
    case Ending::Flushed:
    case Ending::Lost:
        return PastHold::End::Other;
    case Ending::None:
    case Ending::Unknown:
        break;
    }
    return PastHold::End::Unknown;
}

PastHold pastFrom(const Hold &hold)
{
    PastHold past;
    past.holder = hold.holder.value_or(QByteArray());
    // A notification follows its event at once, so the preceding time without observation is irrelevant.
    past.from = hold.from.latest;
    past.to = !hold.until                                    ? past.from
            : hold.endSource == events::Source::Notification ? hold.until->latest
                                                             : std::max(past.from, hold.until->middle());
    past.lease = hold.lease.value_or(milliseconds(0));
    past.renewals = static_cast<int>(hold.extensionCount);
    past.end = endFrom(hold.ending);
    past.isEndObserved = !hold.isInferred;
    return past;
}

/// Returns the value of a line `name:value`.
std::optional<QByteArray> infoField(const QByteArray &info, const QByteArray &name)
{
    for (const QByteArray &line : info.split('\n')) {
        if (line.startsWith(name) && line.size() > name.size() && line[name.size()] == ':')
            return line.sliced(name.size() + 1).trimmed();
    }
    return std::nullopt;
}

std::optional<qint64> infoNumber(const QByteArray &info, const QByteArray &name)
{
    const auto field = infoField(info, name);
    bool isNumber = false;
    const qint64 number = field.value_or(QByteArray()).toLongLong(&isNumber);
    return isNumber ? std::optional(number) : std::nullopt;
}

/// Returns whether the server refuses all commands for some time.
bool isTemporary(const Reply &reply)
{
    return reply.isError() && resp::isTemporaryRefusal(resp::serverError(reply).kind);
}

} // namespace

resp::Commands settingsRequest()
{
    return {
        {QByteArrayLiteral("INFO")},
        {QByteArrayLiteral("CONFIG"), QByteArrayLiteral("GET"), QByteArrayLiteral("min-replicas-to-write")},
        {QByteArrayLiteral("CONFIG"), QByteArrayLiteral("GET"), QByteArrayLiteral("save")},
    };
}

ServerProperties serverPropertiesFrom(const QByteArray &info, const std::vector<Reply> &settings)
{
    ServerProperties properties;
    properties.wasAsked = true;
    properties.evictionPolicy = infoField(info, "maxmemory_policy").value_or(QByteArray());
    properties.memoryLimit = infoNumber(info, "maxmemory");
    properties.evictedKeys = infoNumber(info, "evicted_keys");
    properties.replicas = infoNumber(info, "connected_slaves");
    if (const auto role = infoField(info, "role"))
        properties.isReplica = *role == "slave";
    if (const auto log = infoNumber(info, "aof_enabled"))
        properties.keepsLog = *log == 1;
    for (std::size_t i = 0; i + 1 < settings.size(); i += 2) {
        const QByteArray &name = settings[i].bytes();
        const QByteArray &value = settings[i + 1].bytes();
        if (name == "min-replicas-to-write")
            properties.replicasToWrite = value.toLongLong();
        else if (name == "save")
            properties.takesSnapshots = !value.isEmpty();
    }
    return properties;
}

FindingsEvaluator::FindingsEvaluator(LockFinder &locks, const HoldRecorder &holds, const LockMemory &memory,
                                     HolderClients &clients, Watcher &watcher, const base::Clock &clock,
                                     QObject *parent)
    : QObject(parent)
    , m_locks(locks)
    , m_holds(holds)
    , m_memory(memory)
    , m_clients(clients)
    , m_watcher(watcher)
    , m_clock(clock)
{
    m_requestTimer.setInterval(serverContextInterval);
    connect(&m_requestTimer, &QTimer::timeout, this, &FindingsEvaluator::requestSettings);
    connect(&m_watcher, &Watcher::phaseChanged, this, [this](Watcher::Phase phase) {
        if (phase == Watcher::Phase::Away) {
            m_requestTimer.stop();
            m_isConfigDenied = false;
            // The properties are kept until the next reply: a lock's findings must not disappear while the server is
            // not observed. After a reconnect the server may be another one, and its reply replaces them.
        } else if (!m_requestTimer.isActive()) {
            requestSettings();
            m_requestTimer.start();
        }
    });
    connect(&m_watcher, &Watcher::gapChanged, this, &FindingsEvaluator::noteRefusal);
}

FindingsEvaluator::~FindingsEvaluator() = default;

/// Returns the time, by the local clock, at which the server processed the request.
base::WallTime FindingsEvaluator::wallTime(const Connection::Delivery &delivery) const
{
    return m_clock.wallAt(delivery.sent + (delivery.received - delivery.sent) / 2);
}

/// Requests the settings as soon as the server accepts commands again. While it loads its data, it has no replicas yet.
void FindingsEvaluator::noteRefusal()
{
    const events::Coverage coverage = m_watcher.coverage();
    const bool isRefusing = std::ranges::any_of(coverage.parts().gaps, [](const events::Coverage::Gap &gap) {
        return !gap.to && resp::isTemporaryRefusal(gap.why.kind);
    });
    if (!std::exchange(m_isRefusing, isRefusing) || isRefusing || !m_requestTimer.isActive())
        return;
    requestSettings();
    m_requestTimer.start();
}

void FindingsEvaluator::requestSettings()
{
    // A denied CONFIG GET adds a line to the server's ACL LOG, so a denied request is not repeated.
    const bool asksSettings = !m_isConfigDenied;
    resp::Commands commands = settingsRequest();
    if (!asksSettings)
        commands.resize(1);
    m_watcher.send(commands, this, [this, asksSettings](const Connection::Delivery &delivery) {
        if (std::ranges::any_of(delivery.replies, &isTemporary))
            return; // Asked again at the next interval.
        std::vector<Reply> settings;
        for (std::size_t i = 1; i < delivery.replies.size(); ++i) {
            m_isConfigDenied = m_isConfigDenied || delivery.replies[i].isError();
            const auto &elements = delivery.replies[i].elements();
            settings.insert(settings.end(), elements.begin(), elements.end());
        }
        const Reply &info = delivery.replies.front();
        // The clocks of the writers are more likely to agree with the server's clock than with the local one.
        if (const auto time = infoNumber(info.bytes(), "server_time_usec"); !info.isError() && time)
            m_locks.setServerAhead(std::chrono::floor<milliseconds>(std::chrono::microseconds(*time))
                                   - wallTime(delivery).time_since_epoch());
        ServerProperties properties = serverPropertiesFrom(info.isError() ? QByteArray() : info.bytes(), settings);
        if (!asksSettings) {
            properties.replicasToWrite = m_server.replicasToWrite;
            properties.takesSnapshots = m_server.takesSnapshots;
        }
        if (properties == m_server)
            return;
        m_server = properties;
        m_locks.examineAll();
        Q_EMIT serverChanged();
    });
}

void FindingsEvaluator::addHistory(LockEvidence &subject, MonotonicTime now) const
{
    const auto &holds = m_holds.history().holds({subject.sample.key, 0});
    const std::size_t first = holds.size() > maxPastHolds ? holds.size() - maxPastHolds : 0;
    for (std::size_t i = first; i < holds.size(); ++i) {
        const Hold &hold = holds[i];
        if (hold.isOver()) {
            subject.past.push_back(pastFrom(hold));
        } else {
            // A lower bound: the hold began before the end of the interval of its start.
            subject.heldFor = std::chrono::floor<milliseconds>(std::max(now - hold.from.latest, 0ns));
            subject.present = pastFrom(hold);
        }
    }
}

void FindingsEvaluator::addMemory(LockEvidence &subject) const
{
    const LockMemory::Memory remembered = m_memory.memoryOf(subject.sample.key);
    subject.changes.assign(remembered.changes.begin(), remembered.changes.end());
    std::ranges::transform(remembered.traced, std::back_inserter(subject.traced), &LockMemory::TracedChange::action);
    subject.fencingBefore = remembered.fencing;
    subject.unlockedJobs = m_memory.unlockedJobs(subject.sample.key);
}

/// Adds the client of the first holder that has disconnected, otherwise of the first with a known client.
void FindingsEvaluator::addClient(LockEvidence &subject) const
{
    const auto matched = m_clients.clientsOf(subject.sample.key, subject.decoded());
    if (matched.empty())
        return;
    const auto gone = std::ranges::find(matched, false, &HolderClients::HolderClient::isConnected);
    const HolderClients::HolderClient &shown = gone != matched.end() ? *gone : matched.front();
    subject.holderClient = shown.match.value;
    subject.isHolderConnected = shown.isConnected;
}

std::vector<Finding> FindingsEvaluator::findingsFor(const recognition::Recognition &recognition,
                                                    const recognition::KeySample &sample) const
{
    if (!recognition.isLock())
        return {};
    const recognition::Dialect *dialect = m_locks.recogniser().dialects().find(recognition.best().dialect);
    if (dialect == nullptr)
        return {};
    LockEvidence subject {recognition, *dialect, sample, m_server, {}, {}, {}, {}, {}, {}, {}, {}, {}};
    addHistory(subject, m_clock.now());
    addMemory(subject);
    addClient(subject);
    return findings::findingsOf(subject);
}

std::vector<Finding> FindingsEvaluator::findingsOf(const QByteArray &key) const
{
    const auto recognised = m_locks.lookUp(key);
    return recognised ? findingsFor(recognised->recognition, recognised->sample) : std::vector<Finding>();
}

} // namespace latchkey::detection

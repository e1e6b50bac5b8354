#include "core/inspect/recording/recorder.h"

#include "core/foundation/base/bytesize.h"

#include <algorithm>
#include <bit>

namespace latchkey::recording {

using base::MonotonicTime;
using events::EventCoverage;
using events::Exists;
using events::FieldExpiries;
using events::IdleTime;
using events::NodeIndex;
using events::Observation;
using events::Observations;
using events::Source;
using events::TypeReply;
using events::ValueReply;
using keys::KeyId;
using resp::Command;
using resp::Reply;
using watching::Watcher;

namespace {

/// Precision with which changes of the lag are recorded.
using lagStep = std::chrono::seconds;
/// Number of previously known keys that are written at once.
constexpr quint32 knownAtOnce = 500;
/// Approximate limit of the observations per line.
constexpr std::size_t observationsPerLine = 256;

/// The INFO fields that are recorded; all others are private.
const QByteArrayList infoFields = {"redis_version",    "server_time_usec", "maxmemory",
                                   "maxmemory_policy", "evicted_keys",     "role",
                                   "connected_slaves", "aof_enabled"};

QByteArray withoutTheRest(const QByteArray &info)
{
    QByteArray kept;
    for (const QByteArray &line : info.split('\n')) {
        if (infoFields.contains(line.first(std::max<qsizetype>(0, line.indexOf(':')))))
            kept += line + '\n';
    }
    return kept;
}

} // namespace

Recorder::Recorder(inspection::InspectedServer &server, std::unique_ptr<RecordingWriter> writer, const Options &options,
                   base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_server(server)
    , m_writer(std::move(writer))
    , m_options(options)
    , m_mask(random)
    , m_began(options.began.value_or(server.clock().now()))
    , m_encoder(m_began)
{
    m_server.dispatcher().addFirst(*this);
    Watcher &watcher = m_server.watcher();
    connect(&watcher, &Watcher::phaseChanged, this, &Recorder::noteWatched);
    connect(&watcher, &Watcher::progressChanged, this, &Recorder::noteWatched);
    connect(&watcher, &Watcher::ticked, this, &Recorder::noteWatched);
    connect(&watcher, &Watcher::phaseChanged, this, &Recorder::noteCoverage);
    connect(&watcher, &Watcher::progressChanged, this, &Recorder::noteCoverage);
    connect(&watcher, &Watcher::ticked, this, &Recorder::noteCoverage);
    connect(&watcher, &Watcher::gapChanged, this, &Recorder::noteGap);
    connect(&watcher, &Watcher::answered, this, &Recorder::answered);
    connect(&m_server, &inspection::InspectedServer::eventsChanged, this, &Recorder::noteWatched);
    connect(&m_server, &inspection::InspectedServer::committed, this, &Recorder::noteShown);
    connect(&m_server, &inspection::InspectedServer::ownChangeMade, this,
            [this](const QByteArray &key, const history::OwnChange &change) { write(OwnChangeEntry {key, change}); });
    connect(m_writer.get(), &RecordingWriter::failed, this, &Recorder::failed);
    connect(&m_knownKeysTimer, &QTimer::timeout, this, &Recorder::takeKnown);
    begin();
}

Recorder::~Recorder()
{
    m_server.dispatcher().remove(*this);
    finish();
}

base::Result<void> Recorder::finish()
{
    if (!m_isFinished) {
        const events::Coverage last = m_server.watcher().coverage();
        if (isNew(last.parts()))
            writeCoverage(last, false, last.parts().now);
        m_isFinished = true;
        if (!m_writer->error())
            m_writer->write(m_encoder.line({m_server.clock().now(), EndMarker {}}));
        m_writer->flush();
    }
    return m_writer->error() ? base::failure(*m_writer->error()) : base::Result<void>();
}

template<typename What>
void Recorder::write(What &&what)
{
    writeAt(m_server.clock().now(), std::forward<What>(what));
}

template<typename What>
void Recorder::writeAt(MonotonicTime at, What &&what)
{
    if (m_writer->error() || m_isFinished)
        return;
    m_writer->write(m_encoder.line({at, std::forward<What>(what)}));
    if (m_writer->size() < m_options.maxBytes || m_writer->error())
        return;
    m_writer->write(m_encoder.line({m_server.clock().now(), EndMarker {true}}));
    m_writer->stop({base::ErrorKind::Local,
                    base::Text(QT_TRANSLATE_NOOP("core", "the recording has ended: it has reached its limit of %1"),
                               base::formatByteSize(m_options.maxBytes))});
}

void Recorder::begin()
{
    m_writer->write(Encoder::heading(
        {m_options.program, m_server.endpoint().display(), m_server.clock().wallAt(m_began), m_options.hasValues}));
    m_watched = watched();
    write(WatchState(m_watched));
    // Before the first connection there is no gap.
    const events::Coverage coverage = m_server.watcher().coverage();
    const bool wasConnected = m_server.watcher().lastAnswered() != MonotonicTime();
    writeCoverage(coverage, wasConnected && !coverage.isObserving(), m_server.clock().now());
    write(m_server.keyEventTracker().eventCoverage(0));
    m_isKnownTaken = m_server.store().known().table.size() == 0;
    if (m_isKnownTaken)
        return;
    requestAgain();
    m_knownKeysTimer.start(0);
}

/// Records the previously known keys as if the first scan had found them: their age is unknown.
void Recorder::takeKnown()
{
    const keys::KnownKeys &known = m_server.store().known();
    const quint32 end = std::min(m_nextKnown + knownAtOnce, known.table.idLimit());
    Observations observations;
    for (; m_nextKnown < end; ++m_nextKnown)
        append(KeyId {m_nextKnown}, observations);
    writeAll(std::move(observations));
    if (m_nextKnown < known.table.idLimit())
        return;
    m_knownKeysTimer.stop();
    m_seenBefore.clear();
    m_isKnownTaken = true;
    write(DisplayMark {});
    noteWatched();
}

void Recorder::append(KeyId id, Observations &observations) const
{
    const keys::KnownKeys &known = m_server.store().known();
    if (!known.isLive(id))
        return;
    const keys::KeyRecord record = known.table.at(id);
    const QByteArray key = record.key.bytes();
    if (m_seenBefore.contains(key) || !m_options.globs.matches(key))
        return;
    const auto add = [&](events::ObservationContent content, MonotonicTime at) {
        observations.push_back({key, std::move(content), at, at, Source::Scan});
    };
    // The longest observed TTL was measured at this moment.
    const MonotonicTime longest = record.deadline.at() - record.span;
    if (!record.deadline.isNever() && longest < record.sampled)
        add(Exists {record.deadline}, longest);
    add(Exists {record.deadline}, record.sampled);
    if (record.type != keys::KeyType::Unknown)
        add(TypeReply {record.type}, record.sampled);
    if (const keys::RawValue *value = known.value(id))
        add(ValueReply {*value}, record.sampled);
    if (const auto existed = known.existedAt(id))
        add(IdleTime::ofKeyFrom(*existed, record.sampled), record.sampled);
    if (const keys::FieldDeadlines *fields = known.fieldEndsOf(id))
        add(FieldExpiries {*fields}, record.sampled);
}

/// Repeats requests that were answered before the recording and would not be repeated soon.
void Recorder::requestAgain()
{
    m_server.watcher().send(detection::settingsRequest(), this, [](const net::Connection::Delivery &) {});
    Command scripts {QByteArrayLiteral("SCRIPT"), QByteArrayLiteral("EXISTS")};
    for (const QByteArray &script : m_server.locks().recogniser().dialects().scripts())
        scripts << script;
    m_server.watcher().send({scripts}, this, [](const net::Connection::Delivery &) {});
}

void Recorder::answered(const resp::Commands &commands, const net::Connection::Delivery &delivery)
{
    ReplyEntry entry {commands, delivery};
    for (std::size_t i = 0; i < commands.size() && i < delivery.replies.size(); ++i) {
        const QByteArray name = commands[i].name();
        // The addresses of the clients reveal as much as a value does.
        if (name == "CLIENT" && !m_options.hasValues)
            return;
        if (name == "INFO" && delivery.replies[i].isBulk())
            entry.delivery.replies[i] = Reply::bulk(withoutTheRest(delivery.replies[i].bytes()));
    }
    write(std::move(entry));
}

WatchState Recorder::watched() const
{
    const Watcher &watcher = m_server.watcher();
    WatchState now;
    now.phase = watcher.phase();
    if (!m_isKnownTaken && now.phase == Watcher::Phase::Watching)
        now.phase = Watcher::Phase::FirstScan;
    now.mechanism = m_server.events().mechanism();
    now.keysScanned = watcher.keysScanned();
    now.databaseSize = watcher.databaseSize();
    now.isIncomplete = watcher.isIncomplete();
    now.hasChangeEvents = watcher.hasChangeEvents();
    now.hasFastFirstScan = watcher.hasFastFirstScan();
    now.isNoTouchActive = m_server.isNoTouchActive();
    now.newKeyDelay = watcher.newKeyDelay();
    // A duration that only grows with time is not recorded repeatedly.
    now.unseenFor = now.newKeyDelay ? now.newKeyDelay : m_watched.unseenFor;
    if (now.phase != m_watched.phase || now.phase != Watcher::Phase::Watching)
        now.unseenFor = watcher.unseenFor();
    now.eventDelay = m_server.events().delay();
    now.lastScanBegan = watcher.lastScanBegan();
    if (watcher.problem())
        now.problem = watcher.problem()->message();
    if (m_server.events().denial())
        now.denial = m_server.events().denial()->message();
    now.server = m_server.session().server().display();
    // Not the run ID of the session, which changes before the server has detected the restart.
    now.runId = m_server.runId();
    now.primary = m_server.primary();
    now.processSince = m_server.processSince();
    return now;
}

void Recorder::noteWatched()
{
    if (const WatchState now = watched(); now != m_watched) {
        m_watched = now;
        write(WatchState(now));
    }
}

void Recorder::noteCoverage()
{
    const events::Coverage coverage = m_server.watcher().coverage();
    events::Coverage::Parts now = coverage.parts();
    // A lag that only grows with time is not recorded repeatedly.
    if (m_covered && std::chrono::floor<lagStep>(now.lag) == std::chrono::floor<lagStep>(m_covered->lag))
        now.lag = m_covered->lag;
    // Each step of a number that shrinks with every batch is not recorded either.
    if (m_covered
        && std::bit_width(static_cast<quint64>(now.unread)) == std::bit_width(static_cast<quint64>(m_covered->unread)))
        now.unread = m_covered->unread;
    if (isNew(now))
        writeCoverage(coverage, false, m_server.clock().now());
}

bool Recorder::isNew(events::Coverage::Parts coverage) const
{
    if (m_covered)
        coverage.now = m_covered->now;
    return coverage != m_covered;
}

void Recorder::noteGap()
{
    const Watcher &watcher = m_server.watcher();
    writeCoverage(watcher.coverage(), true, watcher.gapChangedAt());
}

void Recorder::writeCoverage(const events::Coverage &coverage, bool isGapChanged, MonotonicTime at)
{
    m_covered = coverage.parts();
    writeAt(at, Covered {*m_covered, isGapChanged});
}

void Recorder::noteShown()
{
    if (std::exchange(m_hasUnshown, false))
        write(DisplayMark {});
}

void Recorder::recordRecognised(const QByteArray &key, const keys::RawValue &value)
{
    const recognition::Recogniser &recogniser = m_server.locks().recogniser();
    if (recogniser.lockLikelihood(key) == recognition::LockLikelihood::None)
        return;
    recognition::KeySample sample;
    sample.key = key;
    sample.type = value.type;
    sample.value = value;
    sample.now = m_server.clock().wallNow();
    const recognition::Recognition found = recogniser.recognise(sample);
    if (found.isLock())
        write(RecognitionEntry {key, m_mask.masked(value), m_mask.masked(found)});
}

/// Writes lines of limited length. Adjacent observations of one key stay together.
void Recorder::writeAll(Observations observations)
{
    if (!m_options.hasValues) {
        for (Observation &observation : observations) {
            if (auto *valued = std::get_if<ValueReply>(&observation.content)) {
                recordRecognised(observation.key, valued->value);
                valued->value = m_mask.masked(valued->value);
            }
            if (auto *fields = std::get_if<FieldExpiries>(&observation.content))
                fields->ends = m_mask.masked(fields->ends);
        }
    }
    while (!observations.empty()) {
        std::size_t end = std::min(observations.size(), observationsPerLine);
        while (end < observations.size() && observations[end].key == observations[end - 1].key)
            ++end;
        const auto rest = observations.begin() + static_cast<std::ptrdiff_t>(end);
        write(Observations(observations.begin(), rest));
        observations.erase(observations.begin(), rest);
    }
}

void Recorder::observed(const Observations &observations)
{
    noteWatched();
    Observations wanted;
    std::ranges::copy_if(observations, std::back_inserter(wanted),
                         [this](const Observation &observation) { return m_options.globs.matches(observation.key); });
    if (wanted.empty())
        return;
    m_hasUnshown = true;
    if (!m_isKnownTaken) {
        for (const Observation &observation : wanted)
            m_seenBefore.insert(observation.key);
    }
    writeAll(std::move(wanted));
}

void Recorder::emptied(NodeIndex, MonotonicTime asked, MonotonicTime answered)
{
    noteWatched();
    m_hasUnshown = true;
    write(EmptyDatabase {asked, answered});
}

void Recorder::eventCoverageChanged(NodeIndex, const EventCoverage &eventCoverage)
{
    noteWatched();
    write(EventCoverage(eventCoverage));
}

void Recorder::flushAnnounced(NodeIndex, MonotonicTime received, events::FlushKind kind)
{
    noteWatched();
    write(FlushReceived {received, kind});
}

void Recorder::receivedUpTo(NodeIndex, MonotonicTime time)
{
    noteWatched(); // Conclusions from this event may depend on the delay.
    write(ReceivedUpTo {time});
}

} // namespace latchkey::recording

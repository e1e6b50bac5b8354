#include "core/inspect/recording/replay.h"

#include <algorithm>

namespace latchkey::recording {

using base::MonotonicTime;
using base::Result;
using events::Observations;
using std::chrono::nanoseconds;

namespace {

/// Number of kept recognitions per key, because a lock's history needs its earlier values.
constexpr qsizetype maxRecognised = 4;
/// Number of entries per check of the deadline.
constexpr int entriesAtOnce = 16;

} // namespace

Result<std::unique_ptr<Replay>> Replay::open(const QString &path, ReplayClock &clock, base::RandomSource &random)
{
    auto reader = Reader::open(path);
    if (!reader)
        return base::failure(reader.error());
    return std::make_unique<Replay>(std::move(*reader), clock, random);
}

Replay::Replay(std::unique_ptr<Reader> reader, ReplayClock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_reader(std::move(reader))
    , m_clock(clock)
    , m_end(m_reader->lastTime())
{
    m_clock.begin(m_reader->heading().started);
    m_at = m_clock.now();
    const auto endpoint = net::Endpoint::fromUrl(m_reader->heading().server).value_or(net::Endpoint::local());
    m_server = std::make_unique<inspection::InspectedServer>(
        [&](const keys::KnownKeys &, events::ObservationDispatcher &) {
            auto node = std::make_unique<ReplayNode>(endpoint, m_clock, random);
            m_node = node.get();
            return node;
        },
        false, m_clock, random);
    m_server->locks().setRecordedRecognition(
        [this](const recognition::KeySample &sample) { return recordedRecognition(sample); });
    take();
}

Replay::~Replay() = default;

void Replay::take()
{
    m_next = m_reader->next();
    m_isAtEnd = !m_next;
    if (m_next)
        m_end = std::max(m_end, m_next->at);
    else
        m_end = m_at;
}

std::optional<nanoseconds> Replay::next() const
{
    return m_next ? std::optional(m_next->at - ReplayClock::zero) : std::nullopt;
}

/// Moves the clock forward only, because a file can contain any time.
void Replay::moveClock(MonotonicTime to)
{
    m_at = std::max(m_at, to);
    m_clock.set(m_at);
}

bool Replay::advance(nanoseconds until, QDeadlineTimer deadline, bool isShown)
{
    const MonotonicTime target = ReplayClock::zero + until;
    bool isInTime = true;
    for (int i = 1; isInTime && m_next && m_next->at <= target; ++i) {
        moveClock(m_next->at);
        apply(*m_next);
        m_node->watcher().replyToRequests();
        take();
        isInTime = i % entriesAtOnce != 0 || !deadline.hasExpired();
    }
    const bool hasArrived = !m_next || m_next->at > target;
    if (hasArrived && m_next)
        moveClock(target);
    if (isShown)
        Q_EMIT m_node->watcher().ticked();
    return hasArrived;
}

void Replay::apply(const Entry &entry)
{
    events::ObservationDispatcher &dispatcher = m_server->dispatcher();
    if (const auto *seen = std::get_if<Observations>(&entry.what)) {
        m_node->watcher().noteAnswered(entry.at);
        dispatcher.deliver(*seen);
    } else if (const auto *emptied = std::get_if<EmptyDatabase>(&entry.what)) {
        dispatcher.deliverEmptied(0, emptied->asked, emptied->answered);
    } else if (const auto *eventCoverage = std::get_if<events::EventCoverage>(&entry.what)) {
        dispatcher.deliverEventCoverage(0, *eventCoverage);
    } else if (const auto *flush = std::get_if<FlushReceived>(&entry.what)) {
        dispatcher.deliverFlush(0, flush->at, flush->kind);
    } else if (const auto *received = std::get_if<ReceivedUpTo>(&entry.what)) {
        dispatcher.deliverReceivedUpTo(0, received->time);
    } else if (const auto *watched = std::get_if<WatchState>(&entry.what)) {
        const MonotonicTime since = std::min(watched->processSince.value_or(entry.at), entry.at);
        if (!m_primary.isEmpty() && !watched->primary.isEmpty() && watched->primary != m_primary)
            m_server->noteFailover(m_primary, watched->primary, since);
        else if (!m_runId.isEmpty() && !watched->runId.isEmpty() && watched->runId != m_runId)
            m_server->noteRestart(since);
        m_runId = watched->runId;
        m_primary = watched->primary;
        m_node->set(*watched);
    } else if (const auto *covered = std::get_if<Covered>(&entry.what)) {
        m_node->watcher().cover(*covered);
    } else if (const auto *answered = std::get_if<ReplyEntry>(&entry.what)) {
        m_node->watcher().receive(*answered);
    } else if (const auto *changed = std::get_if<OwnChangeEntry>(&entry.what)) {
        m_server->recordOwnChange(changed->key, changed->change);
    } else if (const auto *recognised = std::get_if<RecognitionEntry>(&entry.what)) {
        QList<RecognitionEntry> &known = m_recognised[recognised->key];
        known.push_front(*recognised);
        if (known.size() > maxRecognised)
            known.pop_back();
    } else if (std::holds_alternative<DisplayMark>(entry.what)) {
        m_server->commitNow();
    }
}

recognition::Recognition Replay::recordedRecognition(const recognition::KeySample &sample) const
{
    const auto known = m_recognised.constFind(sample.key);
    if (known == m_recognised.cend())
        return {};
    const auto same = std::ranges::find(*known, *sample.value, &RecognitionEntry::value);
    return same == known->cend() ? recognition::Recognition() : same->recognition;
}

} // namespace latchkey::recording

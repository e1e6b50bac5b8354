#include "core/inspect/inspection/keychangequeue.h"

#include "core/keyspace/watching/rawvalues.h"

#include <algorithm>

namespace latchkey::inspection {

using base::ErrorKind;
using base::MonotonicTime;
using events::Source;
using watching::ChangeOutcome;
using watching::ChangeResult;
using watching::KeySnapshot;

namespace {

/// Returns the value as the watcher reads it, cut to the watcher's read size. Absent for a collection that the watcher
/// reads only partly, because it cannot be compared.
std::optional<keys::RawValue> asWatched(const keys::RawValue &value)
{
    constexpr watching::ReadSize size;
    keys::RawValue read = value;
    if (value.type == keys::KeyType::String)
        read.parts = {value.bytes().first(std::min<qsizetype>(value.bytes().size(), size.bytes))};
    else if (value.size > size.elements || value.elementsRead() < value.size)
        return std::nullopt;
    return read;
}

/// Returns observations of the state that the key certainly had at some moment between the two times.
events::Observations observationsOf(const KeySnapshot &key, MonotonicTime asked, MonotonicTime answered, Source source)
{
    const QByteArray &bytes = key.key.bytes();
    events::Observations seen {{bytes, events::Exists {key.deadline}, asked, answered, source},
                               {bytes, events::TypeReply {key.type}, asked, answered, source}};
    if (const auto value = asWatched(key.value))
        seen.push_back({bytes, events::ValueReply {*value}, asked, answered, source});
    return seen;
}

} // namespace

KeyChangeQueue::KeyChangeQueue(const net::Endpoint &endpoint, events::ObservationDispatcher &dispatcher,
                               watching::Watcher &watcher, Recorder recorder, const base::Clock &clock,
                               base::RandomSource &random)
    : m_dispatcher(dispatcher)
    , m_watcher(watcher)
    , m_recorder(std::move(recorder))
    , m_clock(clock)
    , m_session(endpoint, clock, random)
{}

KeyChangeQueue::~KeyChangeQueue() = default;

void KeyChangeQueue::execute(const KeySnapshot &shown, history::OwnChange::Kind kind, Operation operation, Done done)
{
    m_waiting.push_back({shown, kind, std::move(operation), std::move(done)});
    if (m_waiting.size() == 1)
        next();
}

void KeyChangeQueue::abandon()
{
    std::deque<Waiting> abandoned = std::exchange(m_waiting, {});
    if (abandoned.empty())
        return;
    const Waiting underWay = std::move(abandoned.front());
    abandoned.pop_front();
    underWay.done(base::failure(ErrorKind::ConnectionLost,
                                QT_TRANSLATE_NOOP("core", "writing was disarmed before the answer came")));
    refuse(std::move(abandoned));
}

void KeyChangeQueue::refuse(std::deque<Waiting> changes) const
{
    for (const Waiting &change : changes)
        change.done(base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "writing was disarmed before")));
}

void KeyChangeQueue::finishAndStop(std::function<void()> idle)
{
    if (m_waiting.empty())
        return idle();
    m_idle = std::move(idle);
    std::deque<Waiting> pending;
    while (m_waiting.size() > 1) {
        pending.push_front(std::move(m_waiting.back()));
        m_waiting.pop_back();
    }
    refuse(std::move(pending));
}

void KeyChangeQueue::next()
{
    m_session.whenReady([this](const std::optional<base::Error> &error) {
        if (error) {
            // No command was sent. All waiting changes fail together, so that each of them does not wait for another
            // attempt.
            const std::deque<Waiting> failed = std::exchange(m_waiting, {});
            for (const Waiting &waiting : failed)
                waiting.done(base::failure(*error));
            if (m_idle)
                m_idle();
            return;
        }
        m_asked = m_clock.now();
        m_session.driver().run<ChangeResult>(m_waiting.front().operation(),
                                             [this](const base::Result<ChangeResult> &result) { finish(result); });
    });
}

void KeyChangeQueue::finish(const base::Result<ChangeResult> &result)
{
    const Waiting ended = std::move(m_waiting.front());
    const base::MonotonicTime asked = m_asked;
    m_waiting.pop_front();
    if (!m_waiting.empty())
        next();
    if (result)
        publish(ended, *result, asked);
    ended.done(result);
    if (m_idle && m_waiting.empty())
        m_idle();
}

void KeyChangeQueue::publish(const Waiting &ended, const ChangeResult &result, base::MonotonicTime asked)
{
    const QByteArray &bytes = ended.shown.key.bytes();
    const base::MonotonicTime now = m_clock.now();
    switch (result.outcome) {
    case ChangeOutcome::Done:
        // The change has compared the key with the displayed state. The listeners may have an older state.
        if (ended.shown.exists())
            m_dispatcher.deliver(observationsOf(ended.shown, asked, asked, Source::Read));
        if (result.after.exists()) {
            m_dispatcher.deliver(observationsOf(result.after, asked, now, Source::OwnCommand));
            m_watcher.keysChanged({bytes});
        } else {
            m_dispatcher.deliver({{bytes, events::Gone {}, asked, now, Source::OwnCommand}});
        }
        m_recorder(
            bytes,
            {ended.kind, {asked, now}, result.after.exists() ? std::optional(result.after.deadline) : std::nullopt});
        break;
    case ChangeOutcome::Gone:
        m_dispatcher.deliver({{bytes, events::Gone {}, asked, now, Source::Read}});
        break;
    case ChangeOutcome::Changed:
    case ChangeOutcome::Taken:
        m_watcher.keysChanged({bytes});
        break;
    case ChangeOutcome::NotApplied:
    case ChangeOutcome::TooLate:
        break;
    }
}

} // namespace latchkey::inspection

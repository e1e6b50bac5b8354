#include "core/inspection/acts.h"

namespace latchkey::inspection {

using base::ErrorKind;
using keyspace::Acted;
using keyspace::ActOutcome;
using keyspace::Source;

Acts::Acts(const resp::Endpoint &endpoint, keyspace::FanOut &fanOut, keyspace::Watcher &watcher,
           const base::Clock &clock, base::RandomSource &random)
    : m_fanOut(fanOut)
    , m_watcher(watcher)
    , m_clock(clock)
    , m_line(endpoint, clock, random)
{}

Acts::~Acts() = default;

void Acts::carryOut(const base::Key &key, Act act, Done done)
{
    m_waiting.push_back({key, std::move(act), std::move(done)});
    if (m_waiting.size() == 1)
        next();
}

void Acts::abandon()
{
    const std::deque<Waiting> abandoned = std::exchange(m_waiting, {});
    for (std::size_t i = 0; i < abandoned.size(); ++i) {
        abandoned[i].done(
            i == 0 ? base::failure(ErrorKind::ConnectionLost,
                                   QT_TRANSLATE_NOOP("core", "writing was disarmed before the answer came"))
                   : base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "writing was disarmed before")));
    }
}

void Acts::next()
{
    m_line.whenReady([this](const std::optional<base::Error> &error) {
        if (error) {
            // Nothing was sent; nor are the others to wait for another try each.
            const std::deque<Waiting> failed = std::exchange(m_waiting, {});
            for (const Waiting &waiting : failed)
                waiting.done(base::failure(*error));
            return;
        }
        m_asked = m_clock.now();
        m_line.driver().run<Acted>(m_waiting.front().act(),
                                   [this](const base::Result<Acted> &acted) { finish(acted); });
    });
}

void Acts::finish(const base::Result<Acted> &acted)
{
    const Waiting ended = std::move(m_waiting.front());
    const base::MonotonicTime asked = m_asked;
    m_waiting.pop_front();
    if (!m_waiting.empty())
        next();
    if (acted)
        tell(ended.key, *acted, asked);
    ended.done(acted);
}

void Acts::tell(const base::Key &key, const Acted &acted, base::MonotonicTime asked)
{
    const QByteArray &bytes = key.bytes();
    const base::MonotonicTime now = m_clock.now();
    switch (acted.outcome) {
    case ActOutcome::Done:
        if (acted.after.exists()) {
            m_fanOut.hand({{bytes, keyspace::Exists {acted.after.deadline}, asked, now, Source::Act},
                           {bytes, keyspace::Typed {acted.after.type}, asked, now, Source::Act}});
            m_watcher.touched({bytes});
        } else {
            m_fanOut.hand({{bytes, keyspace::Gone {}, asked, now, Source::Act}});
        }
        break;
    case ActOutcome::Gone:
        m_fanOut.hand({{bytes, keyspace::Gone {}, asked, now, Source::Read}});
        break;
    case ActOutcome::Changed:
    case ActOutcome::Taken:
        m_watcher.touched({bytes});
        break;
    case ActOutcome::NotApplied:
    case ActOutcome::TooLate:
        break;
    }
}

} // namespace latchkey::inspection

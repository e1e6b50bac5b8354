#include "core/programs/behaviour.h"

#include "core/programs/rounds.h"

#include <QDeadlineTimer>

#include <algorithm>

namespace latchkey::programs {

using base::ErrorKind;
using base::failure;
using base::Result;
using races::Offer;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Limits of the check whether a client repeats itself forever: number of further rounds, and time. A client that would
/// give up later is also treated as retrying forever, and the result reports that.
constexpr int mostRoundsMore = 100;
constexpr auto longestLook = 1s;

QString textOf(const std::vector<Offer> &offers, const Process &process)
{
    if (offers.empty())
        return process.isOver() ? QStringLiteral("-") : QString();
    QStringList texts;
    for (const Offer &offer : offers)
        texts += offer.commands.back().toText();
    return texts.join(QStringLiteral(", "));
}

} // namespace

Behaviour::Behaviour(const Program &program, std::optional<Processes::Clock> clock)
    : m_program(program)
    , m_processes(program, clock)
{}

base::Error Behaviour::differs(const QString &before, const QString &now) const
{
    return {ErrorKind::Protocol,
            isClockControlled()
                ? base::Text(QT_TRANSLATE_NOOP("core", "the program is not deterministic: after the same replies at "
                                                       "the same times, one process sent %1 and another sent %2"),
                             before, now)
                : base::Text(QT_TRANSLATE_NOOP("core", "the program is not deterministic: after the same replies, one "
                                                       "process sent %1 and another sent %2; its clock is not virtual"),
                             before, now)};
}

Result<void> Behaviour::open()
{
    if (auto opened = m_processes.open(); !opened)
        return opened;
    auto process = freshProcessAt(start, false);
    if (process && isClockControlled() && !(*process)->isUnderControl()) {
        m_processes.leaveClock();
        process = freshProcessAt(start, false);
    }
    if (!process)
        return failure(std::move(process.error()));
    auto offers = (*process)->offers();
    if (offers.empty() && !(*process)->timer())
        return failure((*process)->whyNoCommand());
    auto twin = freshProcessAt(start, true);
    if (!twin)
        return failure(std::move(twin.error()));
    if (auto compared = compare(**process, **twin, offers); !compared)
        return compared;
    Point point = pointFor(**process, start, {}, std::move(offers));
    m_points.push_back(std::move(point));
    keep(start, std::move(*process));
    keep(start, std::move(*twin));
    return {};
}

PointId Behaviour::after(PointId point, const Event &event)
{
    if (m_trouble)
        return point;
    const std::pair key {point, keyOf(event)};
    if (const auto known = m_children.constFind(key); known != m_children.cend())
        return *known;
    auto found = find(point, event);
    if (!found) {
        m_trouble = std::move(found.error());
        return point;
    }
    m_children.insert(key, *found);
    return *found;
}

/// Finds the point after the event. No process is asked if the answer follows from the known history without the
/// elapsed time.
Result<PointId> Behaviour::find(PointId from, const Event &event)
{
    const Point point = m_points[from]; // A copy: the next call may add points.
    if (event.kind == Event::Kind::Begin) {
        const bool mayTell = !m_processes.clock()->differs; // The process may read its clock at start.
        return mayTell ? learn(from, event) : shifted(start, event.time, 0ms, m_points[start].waited);
    }
    if (event.kind == Event::Kind::Pass)
        return point.timer && *point.timer <= event.time
                 ? learn(from, event)
                 : shifted(point.base, point.begin, point.time + event.time, waitedAfter(point, event, point.offers));
    if (point.base == from)
        return learn(from, event);
    const PointId to = after(point.base, event);
    if (m_trouble)
        return failure(*std::exchange(m_trouble, std::nullopt));
    const Point &there = m_points[to];
    return there.base == to && !there.hangsOnTime
             ? shifted(to, point.begin, point.time, waitedAfter(point, event, there.offers))
             : learn(from, event);
}

/// Returns the point of the base with other times. begin: its start time. time: the time elapsed since then.
PointId Behaviour::shifted(PointId base, milliseconds begin, milliseconds time, const Waited &waited)
{
    if (m_points[base].begin == begin && m_points[base].time == time && m_points[base].waited == waited)
        return base;
    const auto [known, isNew] =
        m_shifted.try_emplace({base, begin.count(), time.count(), waited}, PointId(m_points.size()));
    if (!isNew)
        return known->second;
    Point point = m_points[base];
    point.parent = base;
    point.base = base;
    point.event = {};
    point.event.kind = Event::Kind::Pass;
    point.event.time = time - m_points[base].time;
    point.begin = begin;
    point.time = time;
    point.waited = waited;
    if (point.timer)
        *point.timer -= point.event.time;
    m_points.push_back(std::move(point));
    return known->second;
}

Result<PointId> Behaviour::learn(PointId from, const Event &event)
{
    const bool isBeginning = event.kind == Event::Kind::Begin;
    const auto told = [&](bool isOther) -> Result<std::unique_ptr<Process>> {
        if (isBeginning)
            return m_processes.start(isOther, event.time);
        auto process = processAt(from, isOther);
        if (!process)
            return process;
        if (auto settled = tell(**process, event); !settled)
            return failure(std::move(settled.error()));
        return process;
    };
    auto process = told(false);
    if (!process)
        return failure(std::move(process.error()));
    auto offers = withOwnValues(m_lookalikes.named((*process)->offers()), (*process)->tokens);
    std::unique_ptr<Process> twin;
    if (!isKnown(offers)) {
        auto second = told(true);
        if (!second)
            return failure(std::move(second.error()));
        twin = std::move(*second);
        if (auto caughtUp = catchUp(*twin, event, !offers.empty() || (*process)->isOver()); !caughtUp)
            return failure(std::move(caughtUp.error()));
        if (auto compared = compare(**process, *twin, offers); !compared)
            return failure(std::move(compared.error()));
    }
    Point point = pointFor(**process, from, event, std::move(offers));
    if (const auto round = roundBefore(m_points, point); !round.empty()) {
        const auto goesOn = goesOnSo(**process, round);
        if (!goesOn)
            return failure(goesOn.error());
        process->reset(); // The process has advanced beyond this point and cannot be reused.
        if (*goesOn)
            return round.back();
    }
    const auto id = static_cast<PointId>(m_points.size());
    point.base = id;
    m_points.push_back(std::move(point));
    if (*process)
        keep(id, std::move(*process));
    if (twin)
        keep(id, std::move(twin));
    return id;
}

/// Delivers the event to the process and waits until the process is settled again.
Result<void> Behaviour::tell(Process &process, const Event &event) const
{
    process.readingsBefore = process.readings();
    if (event.kind == Event::Kind::Pass) {
        process.pass(event.time);
    } else if (event.kind == Event::Kind::Loss) {
        process.drop(event.conversation);
    } else if (event.kind == Event::Kind::Told) {
        process.tell(event.conversation, withValues(m_lookalikes.shown(event.reply), process.tokens));
    } else {
        process.answer(event.conversation, withValues(m_lookalikes.shown(event.reply), process.tokens));
    }
    return process.settle();
}

Result<std::unique_ptr<Process>> Behaviour::processAt(PointId point, bool isOther)
{
    if (auto kept = m_processes.takeFrom(point, isOther))
        return kept;
    const Point &wanted = m_points[point];
    if (wanted.base != point && wanted.begin == m_points[wanted.base].begin) {
        if (auto kept = m_processes.takeFrom(wanted.base, isOther)) {
            if (auto told = tell(*kept, wanted.event); !told)
                return failure(std::move(told.error()));
            return kept;
        }
    }
    return freshProcessAt(point, isOther);
}

Result<std::unique_ptr<Process>> Behaviour::freshProcessAt(PointId point, bool isOther)
{
    auto process = m_processes.start(isOther, m_points.empty() ? 0ms : m_points[point].begin);
    if (!process || m_points.empty())
        return process;
    std::vector<PointId> way;
    for (; point != start && m_points[point].event.kind != Event::Kind::Begin; point = m_points[point].parent)
        way.push_back(point);
    if (auto matched = match(**process, m_points[point]); !matched)
        return failure(std::move(matched.error()));
    for (auto next = way.rbegin(); next != way.rend(); ++next) {
        if (auto advanced = advance(**process, m_points[*next].event, *next); !advanced)
            return failure(std::move(advanced.error()));
    }
    return process;
}

Result<std::unique_ptr<Process>> Behaviour::begin(milliseconds time)
{
    PointId point = start;
    if (time > 0ms) {
        Event event;
        event.kind = Event::Kind::Begin;
        event.time = time;
        point = after(start, event);
        if (m_trouble)
            return failure(*m_trouble);
    }
    return freshProcessAt(point, false);
}

Result<void> Behaviour::advance(Process &process, const Event &event, PointId to)
{
    if (auto settled = tell(process, event); !settled)
        return settled;
    const bool goesOn = !m_points[to].offers.empty() || m_points[to].isOver;
    if (auto caughtUp = catchUp(process, event, goesOn); !caughtUp)
        return caughtUp;
    return match(process, m_points[to]);
}

/// Advances the clock of a process that still waits although it should have continued. Many programs wait for a random
/// time, and all their processes are treated as waiting as long as the first one.
Result<void> Behaviour::catchUp(Process &process, const Event &event, bool goesOn) const
{
    const auto left = process.timer();
    const bool isStill = process.offers().empty() && !process.isOver() && left;
    if (event.kind != Event::Kind::Pass || !goesOn || !isStill)
        return {};
    Event more = event;
    more.time = *left + 1ms;
    return tell(process, more);
}

void Behaviour::keep(PointId point, std::unique_ptr<Process> process)
{
    if (!m_points[point].isOver && !m_points[point].isCut)
        m_processes.keep(point, std::move(process));
}

Result<void> Behaviour::match(Process &process, const Point &point) const
{
    const auto sent = m_lookalikes.named(process.offers());
    if (!learnValues(sent, point.offers, process.tokens) || process.isOver() != point.isOver
        || (sent.empty() && process.timer().has_value() != point.timer.has_value()))
        return failure(differs(textOf(point.offers, process), textOf(sent, process)));
    return {};
}

/// Unifies the offers of two processes. Words that differ become own values of each process.
Result<void> Behaviour::compare(Process &one, Process &other, std::vector<Offer> &offers)
{
    const auto ours = m_lookalikes.named(one.offers());
    const auto theirs = m_lookalikes.named(other.offers());
    auto common = commonOffers(ours, one.tokens, theirs, other.tokens);
    if (!common || one.isOver() != other.isOver()
        || (ours.empty() && one.timer().has_value() != other.timer().has_value())) {
        m_maySendTimes = isClockControlled() && m_processes.clock()->differs;
        return failure(differs(textOf(ours, one), textOf(theirs, other)));
    }
    offers = *std::move(common);
    m_lookalikes.add(one.tokens, other.tokens);
    forEachLongWord(offers, [this](const QByteArray &word) { m_constants.insert(word); });
    return {};
}

bool Behaviour::isKnown(const std::vector<Offer> &offers) const
{
    bool isKnown = true;
    forEachLongWord(offers, [&](const QByteArray &word) { isKnown = isKnown && m_constants.contains(word); });
    return isKnown;
}

Point Behaviour::pointFor(Process &process, PointId from, const Event &event, std::vector<Offer> offers)
{
    Point point;
    point.parent = from;
    point.event = event;
    point.offers = std::move(offers);
    point.tokens = static_cast<int>(process.tokens.size());
    point.timer = process.timer();
    point.listening = process.listening();
    point.isOver = process.isOver();
    point.exitCode = point.isOver ? process.exitCode() : 0;
    if (point.exitCode != 0 && !m_failedEnds.contains(point.exitCode))
        m_failedEnds[point.exitCode] = process.lastWords();
    m_hasWaited = m_hasWaited || point.timer;
    m_hasOtherClocks = m_hasOtherClocks || (isClockControlled() && !process.isUnderControl());
    point.waited.resize(point.offers.size());
    if (m_points.empty())
        return point;
    const Point &before = m_points[from];
    if (event.kind != Event::Kind::Begin)
        point.waited = waitedAfter(before, event, point.offers);
    const bool isBeginning = event.kind == Event::Kind::Begin;
    point.begin = isBeginning ? event.time : before.begin;
    point.time = isBeginning ? 0ms : before.time + event.time;
    point.hangsOnTime = isOfTime(event) || before.timer || point.timer || process.readings() != process.readingsBefore;
    point.rooms = m_rooms.after(before, event);
    point.commands = before.commands + (isOfTime(event) ? 0 : 1);
    point.isCut = !point.isOver && point.commands >= m_program.mostCommands;
    m_wasCut = m_wasCut || point.isCut;
    return point;
}

/// Whether the process, which has just completed a round, continues to repeat it.
Result<bool> Behaviour::goesOnSo(Process &process, const std::vector<PointId> &round)
{
    const QDeadlineTimer deadline(longestLook);
    int rounds = leastRounds;
    for (; rounds < leastRounds + mostRoundsMore && !deadline.hasExpired(); ++rounds) {
        for (const PointId id : round) {
            if (auto settled = tell(process, m_points[id].event); !settled)
                return failure(std::move(settled.error()));
            if (!match(process, m_points[id]))
                return false;
        }
    }
    m_endlessRetries = std::min(m_endlessRetries.value_or(rounds), rounds);
    return true;
}

} // namespace latchkey::programs

#include "core/programs/behaviour.h"

#include "core/programs/ownvalues.h"
#include "core/races/schedule.h"

#include <QDeadlineTimer>

#include <algorithm>
#include <functional>

namespace latchkey::programs {

using base::ErrorKind;
using base::failure;
using base::Result;
using races::Offer;
using namespace std::chrono_literals;

namespace {

/// How often a client does the same in vain before it is looked whether it goes on like that: for as many rounds more,
/// or as long, as stands below. Who gives up after that is taken to try for ever, and it is said.
constexpr int retriesThatFold = 4;
/// Beside another conversation, whose steps may come between any two of these: there are that much more histories.
constexpr int retriesThatFoldBeside = 2;
constexpr int mostRoundsMore = 100;
constexpr auto longestLook = 1s;
/// The longest round of commands that is looked for.
constexpr int longestRound = 6;
/// Without a hand on their clocks processes grow tired of waiting, and connect anew.
constexpr auto longestParked = 2s;
constexpr std::size_t mostParked = 48;
constexpr int mostRooms = 32;

QByteArray keyOf(const Event &event)
{
    QByteArray key = QByteArray::number(event.conversation) + (event.isLost ? '!' : ' ');
    resp::encode(event.reply, key);
    return key;
}

QString textOf(const std::vector<Offer> &offers, const Process &process)
{
    if (offers.empty())
        return process.isOver() ? QStringLiteral("-") : QString();
    QStringList texts;
    for (const Offer &offer : offers)
        texts += offer.commands.back().toText();
    return texts.join(QStringLiteral(", "));
}

tl::unexpected<base::Error> differs(const QString &before, const QString &now)
{
    return failure(ErrorKind::Protocol,
                   QT_TRANSLATE_NOOP("core",
                                     "two processes that were told the same have gone on differently, by %1 and "
                                     "by %2: what it does hangs on something else than replies, and its clock "
                                     "is not under control"),
                   before, now);
}

} // namespace

Behaviour::Behaviour(Program program)
    : m_program(std::move(program))
{}

/// Of others' values the process has seen lookalikes, and sends these.
std::vector<Offer> Behaviour::offersOf(const Process &process) const
{
    auto offers = process.offers();
    if (m_lookalikes.empty())
        return offers;
    return changed(std::move(offers), [this](QByteArray word) {
        for (const auto &[name, value] : m_lookalikes)
            word.replace(value, name);
        return word;
    });
}

/// For the values that the two have sent by now.
void Behaviour::addLookalikes(const Process &one, const Process &other)
{
    for (; m_valuesWithLookalike < one.tokens.size(); ++m_valuesWithLookalike) {
        const int n = m_valuesWithLookalike;
        for (races::ClientIndex client = 0; client < races::mostClients; ++client) {
            if (auto value = lookalike(one.tokens[n], other.tokens[n], client))
                m_lookalikes.emplace_back(tokenName(client, n), *std::move(value));
        }
    }
    std::ranges::stable_sort(m_lookalikes, std::ranges::greater(), [](const auto &pair) { return pair.first.size(); });
}

Result<void> Behaviour::open()
{
    auto warden = children::Warden::start();
    if (!warden)
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "no process can be started: %1"),
                       QString::fromStdString(warden.error().message()));
    m_warden.emplace(std::move(*warden));
    auto process = freshProcessAt(start);
    if (!process)
        return failure(std::move(process.error()));
    auto offers = (*process)->offers();
    if (offers.empty() && (*process)->hasAskedForResp3())
        return failure(ErrorKind::Protocol,
                       QT_TRANSLATE_NOOP("core",
                                         "it has asked for RESP3, and ended with exit code %1 without it: a program "
                                         "can be explored that goes on with RESP2; %2"),
                       (*process)->exitCode(), Process::told((*process)->lastWords()));
    if (offers.empty())
        return failure(ErrorKind::Protocol,
                       QT_TRANSLATE_NOOP("core", "it has ended with exit code %1 before its first command; %2"),
                       (*process)->exitCode(), Process::told((*process)->lastWords()));
    auto twin = freshProcessAt(start);
    if (!twin)
        return failure(std::move(twin.error()));
    if (auto compared = compare(**process, **twin, offers); !compared)
        return compared;
    Point point = pointFor(**process, start, {}, std::move(offers));
    m_points.push_back(std::move(point));
    park(start, std::move(*process));
    park(start, std::move(*twin));
    return {};
}

PointId Behaviour::after(PointId point, const Event &event)
{
    if (m_trouble)
        return point;
    const std::pair key {point, keyOf(event)};
    if (const auto known = m_children.constFind(key); known != m_children.cend())
        return *known;
    auto learned = learn(point, event);
    if (!learned) {
        m_trouble = std::move(learned.error());
        return point;
    }
    m_children.insert(key, *learned);
    return *learned;
}

Result<PointId> Behaviour::learn(PointId from, const Event &event)
{
    auto process = processAt(from);
    if (!process)
        return failure(std::move(process.error()));
    tell(**process, event);
    if (auto settled = (*process)->settle(); !settled)
        return failure(std::move(settled.error()));
    auto offers = withOwnValues(offersOf(**process), (*process)->tokens);
    std::unique_ptr<Process> twin;
    if (!isKnown(offers)) {
        auto second = processAt(from);
        if (!second)
            return failure(std::move(second.error()));
        twin = std::move(*second);
        tell(*twin, event);
        if (auto settled = twin->settle(); !settled)
            return failure(std::move(settled.error()));
        if (auto compared = compare(**process, *twin, offers); !compared)
            return failure(std::move(compared.error()));
    }
    Point point = pointFor(**process, from, event, std::move(offers));
    if (const auto round = roundBefore(point); !round.empty()) {
        const auto goesOn = goesOnSo(**process, round);
        if (!goesOn)
            return failure(goesOn.error());
        process->reset(); // It has come further than that, and is of no more use.
        if (*goesOn)
            return round.back();
    }
    const auto id = static_cast<PointId>(m_points.size());
    m_points.push_back(std::move(point));
    if (*process)
        park(id, std::move(*process));
    if (twin)
        park(id, std::move(twin));
    return id;
}

void Behaviour::tell(Process &process, const Event &event) const
{
    if (event.isLost)
        return process.drop(event.conversation);
    const resp::Reply seen = changed(event.reply, [this](QByteArray text) {
        for (const auto &[name, value] : m_lookalikes)
            text.replace(name, value);
        return text;
    });
    process.answer(event.conversation, withValues(seen, process.tokens));
}

Result<std::unique_ptr<Process>> Behaviour::processAt(PointId point)
{
    std::erase_if(m_parked, [](const Parked &parked) {
        return std::chrono::milliseconds(parked.since.elapsed()) > longestParked;
    });
    for (auto parked = m_parked.begin(); parked != m_parked.end();) {
        if (parked->point != point) {
            ++parked;
            continue;
        }
        std::unique_ptr<Process> process = std::move(parked->process);
        parked = m_parked.erase(parked);
        if (process->isUndisturbed())
            return process;
    }
    return freshProcessAt(point);
}

Result<std::unique_ptr<Process>> Behaviour::freshProcessAt(PointId point)
{
    ++m_starts;
    QElapsedTimer time;
    time.start();
    auto process = Process::start(m_program, *m_warden);
    if (!process)
        return process;
    if (auto settled = (*process)->settle(); !settled)
        return failure(std::move(settled.error()));
    m_timeOfStarts += std::chrono::nanoseconds(time.nsecsElapsed());
    if (m_points.empty())
        return process;
    std::vector<PointId> way;
    for (; point != start; point = m_points[point].parent)
        way.push_back(point);
    if (auto matched = match(**process, m_points[start]); !matched)
        return failure(std::move(matched.error()));
    for (auto next = way.rbegin(); next != way.rend(); ++next) {
        if (auto advanced = advance(**process, m_points[*next].event, *next); !advanced)
            return failure(std::move(advanced.error()));
    }
    return process;
}

Result<std::unique_ptr<Process>> Behaviour::begin()
{
    return freshProcessAt(start);
}

Result<void> Behaviour::advance(Process &process, const Event &event, PointId to)
{
    tell(process, event);
    if (auto settled = process.settle(); !settled)
        return settled;
    return match(process, m_points[to]);
}

void Behaviour::park(PointId point, std::unique_ptr<Process> process)
{
    if (m_points[point].isOver || m_points[point].isCut)
        return;
    if (m_parked.size() >= mostParked)
        m_parked.pop_front();
    Parked &parked = m_parked.emplace_back();
    parked.point = point;
    parked.process = std::move(process);
    parked.since.start();
}

Result<void> Behaviour::match(Process &process, const Point &point) const
{
    const auto sent = offersOf(process);
    if (!learnValues(sent, point.offers, process.tokens))
        return differs(textOf(point.offers, process), textOf(sent, process));
    if (process.isOver() != point.isOver)
        return differs(textOf(point.offers, process), textOf(sent, process));
    return {};
}

/// Brings the two to one offer, with what differs as their own values.
Result<void> Behaviour::compare(Process &one, Process &other, std::vector<Offer> &offers)
{
    const auto ours = offersOf(one);
    const auto theirs = offersOf(other);
    auto common = commonOffers(ours, one.tokens, theirs, other.tokens);
    if (!common || one.isOver() != other.isOver())
        return differs(textOf(ours, one), textOf(theirs, other));
    offers = *std::move(common);
    addLookalikes(one, other);
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
    point.isOver = process.isOver();
    point.exitCode = point.isOver ? process.exitCode() : 0;
    if (point.exitCode != 0 && !m_failedEnds.contains(point.exitCode))
        m_failedEnds[point.exitCode] = process.lastWords();
    if (m_points.empty())
        return point;
    point.rooms = roomsAfter(from, event);
    point.commands = m_points[from].commands + 1;
    point.isCut = !point.isOver && point.commands >= m_program.mostCommands;
    m_wasCut = m_wasCut || point.isCut;
    return point;
}

/// What it tells of itself: `ECHO latchkey:inside:NAME`, and outside likewise.
quint32 Behaviour::roomsAfter(PointId from, const Event &event)
{
    const Point &before = m_points[from];
    const auto offer = std::ranges::find(before.offers, event.conversation, &Offer::conversation);
    if (offer == before.offers.end())
        return before.rooms;
    const resp::Command &command = offer->commands.back();
    if (command.words().size() != 2 || command.name().toUpper() != "ECHO")
        return before.rooms;
    const QByteArray &word = command.words()[1];
    const QByteArray inside = "latchkey:inside:";
    const QByteArray outside = "latchkey:outside:";
    const bool comesInside = word.startsWith(inside);
    if ((!comesInside && !word.startsWith(outside)) || (comesInside && event.isLost))
        return before.rooms;
    const QByteArray name = word.mid(comesInside ? inside.size() : outside.size());
    if (!m_rooms.contains(name))
        m_rooms.insert(name, static_cast<int>(m_rooms.size()) % mostRooms);
    const quint32 bit = quint32(1) << m_rooms.value(name);
    return comesInside ? before.rooms | bit : before.rooms & ~bit;
}

/// Where the last rounds of commands and replies were all the same: the points of one round, of which the last is the
/// one that it comes round to. Else empty.
std::vector<PointId> Behaviour::roundBefore(const Point &point) const
{
    if (point.isOver)
        return {};
    // The way here, the latest first; each as its event and what it offers then.
    std::vector<const Point *> way {&point};
    std::vector<PointId> ids {start};
    for (PointId id = point.parent; way.size() <= std::size_t(longestRound * retriesThatFold);
         id = m_points[id].parent) {
        way.push_back(&m_points[id]);
        ids.push_back(id);
        if (id == start)
            break;
    }
    const auto isSame = [](const Point &a, const Point &b) {
        return a.event == b.event && a.offers == b.offers && a.rooms == b.rooms && a.tokens == b.tokens;
    };
    const int retries = point.offers.size() > 1 ? retriesThatFoldBeside : retriesThatFold;
    for (std::size_t round = 1; round <= longestRound; ++round) {
        const std::size_t length = round * static_cast<std::size_t>(retries);
        if (way.size() <= length)
            return {};
        bool repeats = true;
        for (std::size_t i = 0; repeats && i + round < length; ++i)
            repeats = isSame(*way[i], *way[i + round]);
        if (repeats) {
            std::vector<PointId> points(ids.begin() + 1, ids.begin() + static_cast<std::ptrdiff_t>(round) + 1);
            std::ranges::rotate(points,
                                points.end() - 1); // The one that it comes round to is as the one that it is at.
            std::ranges::reverse(points);
            return points;
        }
    }
    return {};
}

/// Whether the process, which has just come round, does so again and again.
Result<bool> Behaviour::goesOnSo(Process &process, const std::vector<PointId> &round)
{
    const QDeadlineTimer deadline(longestLook);
    int rounds = retriesThatFoldBeside;
    for (; rounds < retriesThatFoldBeside + mostRoundsMore && !deadline.hasExpired(); ++rounds) {
        for (const PointId id : round) {
            tell(process, m_points[id].event);
            if (auto settled = process.settle(); !settled)
                return failure(std::move(settled.error()));
            if (!match(process, m_points[id]))
                return false;
        }
    }
    m_endlessRetries = std::min(m_endlessRetries.value_or(rounds), rounds);
    return true;
}

} // namespace latchkey::programs

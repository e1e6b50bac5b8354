#include "core/explore/programs/observationtree.h"

#include "core/explore/programs/divergence.h"
#include "core/explore/programs/loopdetection.h"
#include "core/explore/programs/timesofday.h"

#include <algorithm>
#include <utility>

namespace latchkey::programs {

using base::ErrorKind;
using base::failure;
using base::Result;
using races::Offer;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Returns whether the process waits only for a point in time.
bool isStillWaiting(const Process &process)
{
    return process.offers().empty() && !process.isOver() && process.timer();
}

} // namespace

ObservationTree::ObservationTree(const Program &program, std::optional<ProcessPool::Clock> clock,
                                 std::shared_ptr<CriticalSectionIndex> sections)
    : m_program(program)
    , m_processes(program, clock)
    , m_criticalSections(program, std::move(sections))
{}

base::Error ObservationTree::differs(const std::vector<Offer> &before, const std::vector<Offer> &now, bool hasTokens,
                                     bool hasThreads) const
{
    return errorFor({before, now, hasTokens, isClockControlled(), hasThreads});
}

Result<void> ObservationTree::open()
{
    if (auto opened = m_processes.open(); !opened)
        return opened;
    auto process = freshProcessAt(start, false);
    if (process && isClockControlled() && !(*process)->usesOnlyVirtualClock()) {
        m_processes.useMachineClock();
        process = freshProcessAt(start, false);
    }
    if (!process)
        return failure(std::move(process.error()));
    auto offers = (*process)->offers();
    if (offers.empty() && !(*process)->timer())
        return failure((*process)->noCommandError());
    auto twin = freshProcessAt(start, true);
    if (!twin)
        return failure(std::move(twin.error()));
    if (auto compared = compare(**process, **twin, offers); !compared)
        return compared;
    if (auto checked = checkNewTokens(**process, start, nullptr, offers); !checked)
        return checked;
    TreeNode node = nodeFor(**process, start, {}, std::move(offers));
    substituteTokens(node, **process, twin->get());
    m_nodes.push_back(std::move(node));
    keep(start, std::move(*process));
    keep(start, std::move(*twin));
    return {};
}

TreeNodeId ObservationTree::after(TreeNodeId node, const ProcessEvent &event)
{
    if (m_error)
        return node;
    const std::pair key {node, keyOf(event)};
    if (const auto known = m_children.constFind(key); known != m_children.cend())
        return *known;
    auto found = find(node, event);
    if (!found) {
        m_error = std::move(found.error());
        return node;
    }
    m_children.insert(key, *found);
    return *found;
}

Result<TreeNodeId> ObservationTree::learn(TreeNodeId from, const ProcessEvent &event)
{
    const bool isBeginning = event.kind == ProcessEvent::Kind::Begin;
    const auto started = [&](bool hasOtherClock) -> Result<std::unique_ptr<Process>> {
        if (isBeginning)
            return m_processes.start(hasOtherClock, event.time);
        auto process = processAt(from, hasOtherClock);
        if (!process)
            return process;
        if (auto settled = deliver(**process, event); !settled)
            return failure(std::move(settled.error()));
        // The wait of another process was over.
        const bool isOver = m_nodes[from].timer && *m_nodes[from].timer <= event.time;
        if (auto caughtUp = replayEvent(**process, event, isOver && (*process)->continuesWait()); !caughtUp)
            return failure(std::move(caughtUp.error()));
        return process;
    };
    auto process = started(false);
    if (!process)
        return failure(std::move(process.error()));
    // Every node is observed twice. A random difference or a race within the program would give a model that another
    // exploration cannot reproduce.
    auto twin = started(true);
    if (!twin)
        return failure(std::move(twin.error()));
    auto offers = (*process)->offers();
    if (auto caughtUp = replayEvent(**twin, event, !offers.empty() || (*process)->isOver()); !caughtUp)
        return failure(std::move(caughtUp.error()));
    const bool hasSameTimer = (*process)->timer() == (*twin)->timer();
    // Many programs wait for a random time. A second process that has waited less is not compared.
    if (isStillWaiting(**process) && !isStillWaiting(**twin) && event.kind == ProcessEvent::Kind::TimeAdvance)
        twin->reset();
    else if (auto compared = compare(**process, **twin, offers); !compared)
        return failure(std::move(compared.error()));
    if (auto checked = isBeginning ? Result<void>() : checkNewTokens(**process, from, &event, offers); !checked)
        return failure(std::move(checked.error()));
    TreeNode node = nodeFor(**process, from, event, std::move(offers));
    substituteTokens(node, **process, twin->get());
    node.dependsOnStartTime = m_nodes[from].dependsOnStartTime || !hasSameTimer;
    if (const auto round = roundBefore(m_nodes, node); !round.empty()) {
        const auto repetition = repetitionOf(**process, round);
        if (!repetition)
            return failure(repetition.error());
        process->reset(); // The process has advanced beyond this node and cannot be reused.
        if (*repetition == Repetition::UntilATime) {
            if (const auto time = busyWaitTime(from, event, round))
                return addBusyWait(std::move(node), round, *time);
            m_hasBusyWait = true;
        }
        if (*repetition != Repetition::None)
            return round.back();
    }
    const auto id = static_cast<TreeNodeId>(m_nodes.size());
    node.base = id;
    m_nodes.push_back(std::move(node));
    if (*process)
        keep(id, std::move(*process));
    if (*twin)
        keep(id, std::move(*twin));
    return id;
}

/// Delivers the event to the process and waits until the process is settled again.
Result<void> ObservationTree::deliver(Process &process, const ProcessEvent &event) const
{
    process.beginEvent();
    if (event.kind == ProcessEvent::Kind::TimeAdvance) {
        const milliseconds time = event.time + process.clockLag;
        process.advanceClock(std::max(time, 0ms));
        process.clockLag = std::min(time, 0ms);
    } else if (event.kind == ProcessEvent::Kind::Loss) {
        process.closeConversation(event.conversation);
    } else if (event.kind == ProcessEvent::Kind::Message) {
        process.deliver(event.conversation, withValues(m_substitution.shown(event.reply), process.tokens));
    } else {
        process.answer(event.conversation, withValues(m_substitution.shown(event.reply), process.tokens));
    }
    return process.settle();
}

Result<std::unique_ptr<Process>> ObservationTree::processAt(TreeNodeId node, bool hasOtherClock)
{
    if (auto kept = m_processes.takeFrom(node, hasOtherClock))
        return kept;
    const TreeNode &wanted = m_nodes[node];
    if (wanted.base != node && wanted.begin == m_nodes[wanted.base].begin) {
        if (auto kept = m_processes.takeFrom(wanted.base, hasOtherClock)) {
            if (auto started = deliver(*kept, wanted.event); !started)
                return failure(std::move(started.error()));
            return kept;
        }
    }
    return freshProcessAt(node, hasOtherClock);
}

Result<std::unique_ptr<Process>> ObservationTree::freshProcessAt(TreeNodeId node, bool hasOtherClock,
                                                                 milliseconds later)
{
    auto process = m_processes.start(hasOtherClock, later + (m_nodes.empty() ? 0ms : m_nodes[node].begin));
    if (!process || m_nodes.empty())
        return process;
    std::vector<TreeNodeId> path;
    for (; node != start && m_nodes[node].event.kind != ProcessEvent::Kind::Begin; node = m_nodes[node].parent)
        path.push_back(node);
    if (auto matched = match(**process, m_nodes[node]); !matched)
        return failure(std::move(matched.error()));
    for (auto next = path.rbegin(); next != path.rend(); ++next) {
        if (auto advanced = advance(**process, m_nodes[*next].event, m_nodes[*next].parent, *next); !advanced)
            return failure(std::move(advanced.error()));
    }
    return process;
}

Result<std::unique_ptr<Process>> ObservationTree::begin(milliseconds time)
{
    TreeNodeId node = start;
    if (time > 0ms) {
        ProcessEvent event;
        event.kind = ProcessEvent::Kind::Begin;
        event.time = time;
        node = after(start, event);
        if (m_error)
            return failure(*m_error);
    }
    return freshProcessAt(node, false);
}

Result<void> ObservationTree::advance(Process &process, const ProcessEvent &event, TreeNodeId from, TreeNodeId to)
{
    const auto held = timeToHold(process, event, from, to);
    process.clockLag -= held;
    if (auto settled = deliver(process, event); !settled)
        return settled;
    process.clockLag += held;
    const bool continues = !m_nodes[to].offers.empty() || m_nodes[to].isOver;
    if (auto caughtUp = replayEvent(process, event, continues); !caughtUp)
        return caughtUp;
    auto matched = match(process, m_nodes[to]);
    if (!matched && m_endOfRetries)
        return failure(ErrorKind::Protocol,
                       QT_TRANSLATE_NOOP("core", "a client ends its retries only after more than %1, and so many are "
                                                 "not followed; let it retry less often, or for ever"),
                       *m_endOfRetries);
    return matched;
}

/// Returns the time by which the clock of a process must stay behind, so that it continues to wait. Its random wait may
/// be shorter than that of the first process.
milliseconds ObservationTree::timeToHold(const Process &process, const ProcessEvent &event, TreeNodeId from,
                                         TreeNodeId to) const
{
    const auto &before = m_nodes[from].timer;
    const auto &after = m_nodes[to].timer;
    const bool isSameWait = event.kind == ProcessEvent::Kind::TimeAdvance && before && after
                         && *before - event.time == *after && *after > 0ms;
    const auto timer = isSameWait ? process.timer() : std::nullopt;
    const milliseconds time = event.time + process.clockLag;
    return timer && *timer <= time ? time - std::max(0ms, *timer - 1ms) : 0ms;
}

/// Advances the clock of a process that still waits although it should have continued. Many programs wait for a random
/// time, and all their processes are treated as waiting as long as the first one.
Result<void> ObservationTree::replayEvent(Process &process, const ProcessEvent &event, bool continues) const
{
    if (event.kind != ProcessEvent::Kind::TimeAdvance || !continues || !isStillWaiting(process))
        return {};
    ProcessEvent more = event;
    more.time = *process.timer() + 1ms;
    const milliseconds owed = std::exchange(process.clockLag, 0ms); // This wait must end now.
    auto settled = deliver(process, more);
    process.clockLag = owed - more.time;
    return settled;
}

void ObservationTree::keep(TreeNodeId node, std::unique_ptr<Process> process)
{
    if (!m_nodes[node].isOver && !m_nodes[node].isAtCommandLimit)
        m_processes.keep(node, std::move(process));
}

/// Returns whether the process behaves as at the node. Learns the tokens of the process.
bool ObservationTree::isAt(Process &process, const TreeNode &node) const
{
    const auto sent = m_substitution.named(process.offers());
    return learnValues(sent, node.offers, process.tokens) && process.isOver() == node.isOver
        && (!sent.empty() || process.timer().has_value() == node.timer.has_value());
}

Result<void> ObservationTree::match(Process &process, const TreeNode &node) const
{
    if (!isAt(process, node)) {
        const auto sent = m_substitution.named(process.offers());
        return failure(
            differs(node.offers, withPlaceholders(sent, process.tokens), !node.tokens.isEmpty(), process.hasThreads()));
    }
    return {};
}

/// Unifies the offers of two processes. Words that differ become tokens of each process.
Result<void> ObservationTree::compare(Process &one, Process &other, std::vector<Offer> &offers)
{
    const auto ours = m_substitution.named(one.offers());
    const auto theirs = m_substitution.named(other.offers());
    const bool hasOtherClock = isClockControlled() && m_processes.clock()->differs;
    auto common =
        commonOffers(ours, one.tokens, theirs, other.tokens, hasOtherClock ? Clocks::Different : Clocks::Equal);
    if (!common || one.isOver() != other.isOver()
        || (ours.empty() && one.timer().has_value() != other.timer().has_value())) {
        m_maySendTimes = hasOtherClock;
        return failure(differs(withPlaceholders(ours, one.tokens), withPlaceholders(theirs, other.tokens),
                               !one.tokens.isEmpty(), one.hasThreads() || other.hasThreads()));
    }
    offers = *std::move(common);
    m_hasDocumentAsToken = m_hasDocumentAsToken || containJsonDocument(one.tokens);
    return {};
}

/// Gives names to the values that both processes have sent. `twin`: null if no value is new. Prefixes are names of all
/// clients, and clients that are observed separately may have different ones.
void ObservationTree::substituteTokens(TreeNode &node, const Process &process, const Process *twin)
{
    if (twin == nullptr)
        return;
    const bool isForAll = !isClockControlled() || m_processes.clock()->differs;
    for (qsizetype n = node.tokens.size(); n < process.tokens.size(); ++n)
        node.tokens += isForAll ? commonPrefix(process.tokens[n], twin->tokens[n]) : QByteArray();
    m_substitution.add(process.tokens, twin->tokens, node.tokens);
}

TreeNode ObservationTree::nodeFor(Process &process, TreeNodeId from, const ProcessEvent &event,
                                  std::vector<Offer> offers)
{
    TreeNode node;
    node.parent = from;
    node.event = event;
    node.offers = std::move(offers);
    node.timer = process.timer();
    node.listening = process.listening();
    node.isOver = process.isOver();
    node.exitCode = node.isOver ? process.exitCode() : 0;
    m_hasEnd = m_hasEnd || node.isOver;
    if (node.exitCode != 0 && !m_failedEnds.contains(node.exitCode))
        m_failedEnds[node.exitCode] = process.lastOutput();
    m_hasWaited = m_hasWaited || node.timer;
    m_connectedServers |= process.connectedServers();
    m_hasOtherClocks = m_hasOtherClocks || (isClockControlled() && !process.usesOnlyVirtualClock());
    node.waited.resize(node.offers.size());
    if (m_nodes.empty())
        return node;
    const TreeNode &before = m_nodes[from];
    if (event.kind != ProcessEvent::Kind::Begin)
        node.waited = waitedAfter(before, event, node.offers);
    const bool isBeginning = event.kind == ProcessEvent::Kind::Begin;
    node.tokens = isBeginning ? QList<QByteArray>() : before.tokens;
    node.begin = isBeginning ? event.time : before.begin;
    node.time = isBeginning ? 0ms : before.time + event.time;
    node.dependsOnTime = isBeginning || process.dependsOnTime();
    node.knowsTimeOfDay = before.knowsTimeOfDay || containsTimeOfDay(event.reply);
    node.criticalSections = m_criticalSections.after(before, event);
    node.endsInsideSection = node.isOver && !std::ranges::includes(before.criticalSections, node.criticalSections);
    node.commands = before.commands + (isTimeEvent(event) ? 0 : 1);
    node.isAtCommandLimit = !node.isOver && node.commands >= m_program.maxCommands;
    m_hasReachedCommandLimit = m_hasReachedCommandLimit || node.isAtCommandLimit;
    return node;
}

} // namespace latchkey::programs

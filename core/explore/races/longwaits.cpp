#include "core/explore/races/longwaits.h"

#include "core/explore/races/moves.h"
#include "core/explore/races/solomoves.h"
#include "core/explore/races/timeadvance.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;

namespace {

/// Limit of the moves of one client alone. Each may require two process starts.
constexpr int maxSoloMoves = 300;

/// A schedule in which one client at a time runs alone.
class SoloWalk final
{
public:
    enum class End : quint8 {
        Entered, ///< The client has entered its critical section.
        Lapsed,  ///< A lifetime has ended while the client that relies on it waits.
        Broken,  ///< The last move breaks the promise.
        Nothing, ///< The client is over, repeats itself, waits for others, or has reached the limit.
    };

    explicit SoloWalk(Transitions &transitions)
        : m_transitions(transitions)
        , m_model(transitions.model())
        , m_state(m_model.start())
    {}

    /// Runs the client until it has entered.
    [[nodiscard]] Result<End> enter(ClientIndex client) { return run(client, End::Entered); }
    /// Runs the client until a lifetime ends on which it relies.
    [[nodiscard]] Result<End> waitForLapse(ClientIndex client) { return run(client, End::Lapsed); }
    /// Runs the client until it has broken the promise.
    [[nodiscard]] Result<End> runToEnd(ClientIndex client) { return run(client, End::Broken); }
    [[nodiscard]] const Schedule &schedule() const { return m_schedule; }

private:
    [[nodiscard]] Result<End> run(ClientIndex client, End until);
    [[nodiscard]] Result<std::optional<Move>> nextMove(ClientIndex client);
    [[nodiscard]] std::optional<Move> advanceTime() const;

    Transitions &m_transitions; // Not owned.
    const Model &m_model;       // Model of the transitions.
    State m_state;
    Schedule m_schedule;
    int m_served = -1; ///< Conversation that was answered last.
};

Result<SoloWalk::End> SoloWalk::run(ClientIndex client, End until)
{
    std::vector<SoloState> seen;
    m_served = -1;
    for (int moves = 0; moves < maxSoloMoves && Model::isAlive(m_state, client); ++moves) {
        const SoloState now = soloStateOf(m_transitions, m_state, client, m_served);
        if (std::ranges::find(seen, now) != seen.end())
            break;
        seen.push_back(now);
        const auto move = nextMove(client);
        if (!move)
            return failure(move.error());
        if (!*move)
            break;
        const auto successor = m_transitions.apply(m_state, **move);
        if (!successor)
            return failure(successor.error());
        m_schedule.push_back(**move);
        m_state = successor->state;
        if (successor->isBroken)
            return End::Broken;
        if (until == End::Entered && m_model.nodeOf(m_state, client).status.isInside)
            return End::Entered;
        if (until == End::Lapsed && (*move)->kind == Move::Kind::Lapse)
            return End::Lapsed;
    }
    return End::Nothing;
}

/// Returns the client's next move; absent: there is none. Time advances if the client waits, also for a command that
/// blocks in the server.
Result<std::optional<Move>> SoloWalk::nextMove(ClientIndex client)
{
    const GraphNode &node = m_model.nodeOf(m_state, client);
    if (node.isAtCommandLimit)
        return std::nullopt;
    if (node.requests.empty() && node.wait == Attempt::Wait::Commands
        && !m_model.conversationWithMessage(m_state, client))
        return advanceTime();
    const auto move = nextSoloMove(m_transitions, m_state, client, m_served);
    if (!move)
        return failure(move.error());
    const auto successor = m_transitions.apply(m_state, *move);
    if (!successor)
        return failure(successor.error());
    return successor->isWaiting ? advanceTime() : std::optional(*move);
}

/// Returns the next move of time. Absent: it would end a lifetime on which a client relies that does not wait, or no
/// client waits for a time.
std::optional<Move> SoloWalk::advanceTime() const
{
    Move move = timeAdvanceMove(m_model, m_state);
    if (move.kind == Move::Kind::Timer)
        return move;
    const auto advance = advanceToExpiry(m_model, m_state);
    const bool isAllowed = advance && !advance->endsNothing() && m_model.faults().lapses != Lapses::None
                        && (endsDuringPauses(m_model, m_state, *advance) || !isReliedOn(m_model, m_state, *advance));
    return isAllowed ? std::optional(move) : std::nullopt;
}

} // namespace

Result<std::optional<Schedule>> violationAfterLongWaits(Transitions &transitions)
{
    const Subject &subject = transitions.model().subject();
    const bool isOfMoves = transitions.model().rule().atEnd() == AtEnd::Nothing; // Other rules are about the end.
    if (!isOfMoves || !subject.program || !subject.program->isClockControlled() || subject.clients < 2)
        return std::nullopt;
    SoloWalk inside(transitions);
    const auto entered = inside.enter(0);
    if (!entered)
        return failure(entered.error());
    if (*entered != SoloWalk::End::Entered)
        return std::nullopt;
    SoloWalk retrying = inside; // The client inside makes no move.
    const auto retried = retrying.runToEnd(1);
    if (!retried)
        return failure(retried.error());
    if (*retried == SoloWalk::End::Broken)
        return retrying.schedule();
    const auto lapsed = inside.waitForLapse(0); // The client inside outlasts its lease in many short waits.
    if (!lapsed)
        return failure(lapsed.error());
    if (*lapsed == SoloWalk::End::Lapsed) {
        const auto next = inside.runToEnd(1);
        if (!next)
            return failure(next.error());
        if (*next == SoloWalk::End::Broken)
            return inside.schedule();
    }
    return std::nullopt;
}

} // namespace latchkey::races

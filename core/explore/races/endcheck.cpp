#include "core/explore/races/endcheck.h"

#include "core/explore/races/leftoverlocks.h"
#include "core/explore/races/solomoves.h"
#include "core/explore/races/timeadvance.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;

namespace {

/// Ends all leases and lifetimes that can end, one after the other. Returns the moves. `state`: updated to the result.
Result<Schedule> expireAll(Transitions &transitions, State &state)
{
    const Model &model = transitions.model();
    Schedule schedule;
    for (int server = 0; server < model.subject().servers; ++server) {
        for (;;) {
            const auto &keys = model.snapshot(state, server).keys;
            const auto lapsing = std::ranges::find_if(keys, [&](const SnapshotKey &key) {
                return key.lifetime
                    || (key.key == model.subject().key.bytes() && model.clockAdvanceForDeadline(state, server));
            });
            if (lapsing == keys.end())
                break;
            Move move;
            move.kind = lapsing->lifetime ? Move::Kind::Lapse : Move::Kind::PassDeadline;
            if (!model.subject().program) { // For programs, time advances on all servers.
                move.index = static_cast<quint8>(server);
                move.key = static_cast<quint8>(lapsing - keys.begin());
            }
            schedule.push_back(move);
            const auto successor = transitions.apply(state, move);
            if (!successor)
                return failure(successor.error());
            state = successor->state;
        }
    }
    return schedule;
}

/// Starts the next client one day later. Returns the moves. `state`: updated to the result.
Result<Schedule> advanceToNextDay(Transitions &transitions, State &state)
{
    const Model &model = transitions.model();
    if (!model.subject().program || !model.subject().program->isClockControlled())
        return Schedule();
    Move advance;
    advance.kind = Move::Kind::Lapse; // No lifetime is left, so a day passes.
    Move beginning;
    beginning.kind = Move::Kind::Begin;
    beginning.client = static_cast<qint8>(model.subject().clients);
    for (const Move &move : {advance, beginning}) {
        const auto successor = transitions.apply(state, move);
        if (!successor)
            return failure(successor.error());
        state = successor->state;
    }
    return Schedule {advance, beginning};
}

/// Returns whether a server has a key with this property.
template<typename Predicate>
bool hasKey(const Model &model, const State &state, Predicate has)
{
    for (int server = 0; server < model.subject().servers; ++server) {
        if (std::ranges::any_of(model.snapshot(state, server).keys, has))
            return true;
    }
    return false;
}

/// Returns whether a timer or a lifetime can still end.
bool advancesWithTime(const Model &model, const State &state)
{
    const auto hasLifetime = [](const SnapshotKey &key) { return key.lifetime.has_value(); };
    return advanceToTimer(model, state) || hasKey(model, state, hasLifetime);
}

bool givesUp(const GraphNode::Pending &request)
{
    return request.timeout.has_value();
}

/// The attempt of the next client, which runs alone after all others have ended, to acquire the lock.
class NextAttempt final
{
public:
    /// `beginning`: the state in which the client begins.
    NextAttempt(Transitions &transitions, const State &beginning);

    enum class Outcome : quint8 {
        Fails,
        Succeeds, ///< The client gets all locks, finds nothing to do, or is cut off before this is decided.
    };
    /// Runs the client. Appends its moves to the schedule.
    [[nodiscard]] Result<Outcome> run(Schedule &schedule);

private:
    [[nodiscard]] std::optional<Outcome> outcomeBefore();
    [[nodiscard]] Result<std::optional<Outcome>> step(Schedule &schedule);
    [[nodiscard]] Result<std::optional<Outcome>> outcomeOf(const Move &move);
    [[nodiscard]] Result<bool> isAttempt(const Move &move);

    Transitions &m_transitions; // Not owned.
    const Model &m_model;       // Model of the transitions.
    const ClientIndex m_next;
    State m_state;
    std::optional<LeftoverLocks> m_leftover; ///< Absent for a recipe.
    std::vector<SoloState> m_seen;
    quint32 m_expected = 1; ///< Critical sections that a client alone enters. It uses a lock for each.
    quint32 m_missing = 1;  ///< Those that the client has not entered yet.
    int m_served = -1;      ///< Conversation that was answered last.
    bool m_hasTried = true; ///< Whether the client has tried to acquire a lock.
};

NextAttempt::NextAttempt(Transitions &transitions, const State &beginning)
    : m_transitions(transitions)
    , m_model(transitions.model())
    , m_next(m_model.subject().clients)
    , m_state(beginning)
{
    if (!m_model.subject().program)
        return;
    m_leftover.emplace(transitions, beginning);
    m_hasTried = false;
    m_expected = m_model.subject().program->nextClientSections();
    m_missing = m_expected;
}

Result<NextAttempt::Outcome> NextAttempt::run(Schedule &schedule)
{
    while (Model::isAlive(m_state, m_next)) {
        const SoloState attemptState = soloStateOf(m_transitions, m_state, m_next, m_served);
        if (std::ranges::find(m_seen, attemptState) != m_seen.end())
            return Outcome::Fails; // A program that retries forever returns to an earlier state.
        m_seen.push_back(attemptState);
        if (const auto outcome = outcomeBefore())
            return *outcome;
        const auto outcome = step(schedule);
        if (!outcome)
            return failure(outcome.error());
        if (*outcome)
            return **outcome;
    }
    return m_hasTried ? Outcome::Fails : Outcome::Succeeds;
}

/// Returns the outcome if the client makes no further move.
std::optional<NextAttempt::Outcome> NextAttempt::outcomeBefore()
{
    const GraphNode &node = m_model.nodeOf(m_state, m_next);
    if (node.isAtCommandLimit)
        return Outcome::Succeeds;
    if (node.status.isInside) {
        const bool isElsewhere = (node.status.criticalSections & ~m_expected) != 0;
        m_missing &= ~node.status.criticalSections;
        if (isElsewhere || m_missing == 0)
            return Outcome::Succeeds;
    }
    const bool listensOn = node.wait == Attempt::Wait::Commands && node.requests.empty() && !node.timer
                        && !m_model.conversationWithMessage(m_state, m_next);
    if (!listensOn)
        return std::nullopt;
    // The client listens forever, unless it may stop after a timeout whose clock is not virtual.
    return m_model.areAllTimersKnown() ? Outcome::Fails : Outcome::Succeeds;
}

/// Carries out one move. Returns the outcome if the client is over or waits forever.
Result<std::optional<NextAttempt::Outcome>> NextAttempt::step(Schedule &schedule)
{
    auto move = nextSoloMove(m_transitions, m_state, m_next, m_served);
    if (!move)
        return failure(move.error());
    const auto isTry = isAttempt(*move);
    if (!isTry)
        return failure(isTry.error());
    m_hasTried = m_hasTried || *isTry;
    auto successor = m_transitions.apply(m_state, *move);
    if (successor && successor->isWaiting) {
        if (!advancesWithTime(m_model, m_state)) {
            if (std::ranges::any_of(m_model.nodeOf(m_state, m_next).requests, givesUp))
                return Outcome::Succeeds; // The clock of the timeout may not be virtual.
            schedule.push_back(*move);
            return Outcome::Fails; // The client waits forever.
        }
        move = timeAdvanceMove(m_model, m_state);
        successor = m_transitions.apply(m_state, *move);
    }
    if (!successor)
        return failure(successor.error());
    schedule.push_back(*move);
    const auto outcome = outcomeOf(*move);
    m_state = successor->state;
    return outcome;
}

/// Returns the outcome if the move ends the client without a report that it is outside again, or with an error.
Result<std::optional<NextAttempt::Outcome>> NextAttempt::outcomeOf(const Move &move)
{
    if (move.client != m_next)
        return std::nullopt;
    const auto taken = m_transitions.clientStep(m_state, move);
    if (!taken)
        return failure(taken.error());
    const ClientStatus &status = m_transitions.model().graph(m_next)[taken->to].status;
    if (status.endsInside)
        return Outcome::Succeeds;
    m_hasTried = m_hasTried || status.hasFailed;
    return std::nullopt;
}

Result<bool> NextAttempt::isAttempt(const Move &move)
{
    return m_leftover && !m_hasTried ? m_leftover->obstruct(m_state, move) : Result<bool>(false);
}

/// Ends all leases, then runs one more client that tries to acquire the lock. Returns the moves if the client tried and
/// failed; absent otherwise. Error: the server cannot be asked.
Result<std::optional<Schedule>> failedAttemptOfNextClient(Transitions &transitions, const State &end)
{
    State state = end;
    auto schedule = expireAll(transitions, state);
    if (!schedule)
        return failure(std::move(schedule.error()));
    const auto beginning = advanceToNextDay(transitions, state);
    if (!beginning)
        return failure(beginning.error());
    schedule->insert(schedule->end(), beginning->begin(), beginning->end());
    const auto outcome = NextAttempt(transitions, state).run(*schedule);
    if (!outcome)
        return failure(outcome.error());
    if (*outcome == NextAttempt::Outcome::Succeeds)
        return std::nullopt;
    return *std::move(schedule);
}

} // namespace

Result<std::optional<Schedule>> violationAtEnd(Transitions &transitions, const State &end)
{
    const Model &model = transitions.model();
    const AtEnd expected = model.rule().atEnd();
    if (expected == AtEnd::Nothing)
        return std::nullopt;
    if (expected == AtEnd::NextClientAcquires)
        return failedAttemptOfNextClient(transitions, end);
    const auto isLeftForEver = [&](const SnapshotKey &key) {
        return !key.lifetime && (expected == AtEnd::NoKeyWithoutLifetime || model.subject().mustExpire(key));
    };
    return hasKey(model, end, isLeftForEver) ? std::optional(Schedule()) : std::nullopt;
}

} // namespace latchkey::races

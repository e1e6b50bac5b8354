#include "core/explore/races/randomwalks.h"

#include "core/explore/races/deadlock.h"
#include "core/explore/races/endcheck.h"
#include "core/explore/races/moves.h"

namespace latchkey::races {

using base::failure;
using base::Result;

namespace {

/// More moves than any recipe needs. The limit is required because a walk need not end if a client retries forever.
constexpr std::size_t maxWalkLength = 1000;

} // namespace

RandomWalks::RandomWalks(Transitions &transitions, std::size_t walks, quint32 seed)
    : m_transitions(transitions)
    , m_walks(walks)
    , m_seed(seed)
{}

Result<Schedule> RandomWalks::walk(Transitions &transitions, quint32 seed, const Visit &visit)
{
    std::mt19937 generator(seed);
    const Model &model = transitions.model();
    Schedule schedule;
    State state = model.start();
    std::vector<Move> moves;
    possibleMoves(model, state, moves);
    while (!moves.empty() && schedule.size() < maxWalkLength) {
        const auto drawn = moves.begin() + static_cast<std::ptrdiff_t>(generator() % moves.size());
        const Move move = *drawn;
        const auto successor = transitions.apply(state, move);
        if (!successor)
            return failure(successor.error());
        if (successor->isWaiting) {
            moves.erase(drawn);
            continue;
        }
        schedule.push_back(move);
        state = successor->state;
        possibleMoves(model, state, moves);
        const auto isOver = visit(schedule, *successor);
        if (!isOver)
            return failure(isOver.error());
        if (*isOver)
            break;
    }
    return schedule;
}

Result<Schedule> RandomWalks::randomSchedule(quint32 seed) const
{
    return walk(m_transitions, seed, [](const Schedule &, const Successor &) { return false; });
}

Result<bool> RandomWalks::step(QDeadlineTimer deadline)
{
    while (m_walked < m_walks) {
        const auto walked =
            walk(m_transitions, m_seed + static_cast<quint32>(m_walked),
                 [this](const Schedule &path, const Successor &reached) { return visit(path, reached); });
        if (!walked)
            return failure(walked.error());
        ++m_walked;
        if (deadline.hasExpired())
            break;
    }
    return m_walked == m_walks;
}

Result<bool> RandomWalks::visit(const Schedule &path, const Successor &reached)
{
    ++m_steps;
    m_depth = static_cast<int>(path.size());
    std::optional<Schedule> broken;
    if (reached.isBroken) {
        broken = path;
    } else if (m_transitions.model().isQuiet(reached.state)) {
        const auto violation = violationAtEnd(m_transitions, reached.state);
        if (!violation)
            return failure(violation.error());
        if (*violation) {
            broken = path;
            broken->insert(broken->end(), (*violation)->begin(), (*violation)->end());
        }
    }
    if (!m_deadlock || isBetterDeadlock(path, *m_deadlock)) {
        const auto waits = races::deadlock(m_transitions, reached.state);
        if (!waits)
            return failure(waits.error());
        if (*waits) {
            m_deadlock = path;
            m_deadlock->insert(m_deadlock->end(), (*waits)->begin(), (*waits)->end());
        }
    }
    if (broken && (!m_shortest || broken->size() < m_shortest->size()))
        m_shortest = std::move(broken);
    return m_shortest && path.size() + 1 >= m_shortest->size();
}

} // namespace latchkey::races

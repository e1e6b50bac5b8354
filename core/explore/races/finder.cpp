#include "core/explore/races/finder.h"

#include "core/explore/races/longwaits.h"
#include "core/explore/races/randomwalks.h"
#include "core/explore/races/serverfaults.h"
#include "core/explore/races/timeshare.h"
#include "core/explore/schedules/searchtexts.h"

#include <algorithm>

namespace latchkey::races {

using base::ErrorKind, base::failure, base::Result;
using namespace std::chrono_literals;

Finder::Finder(std::vector<Subject> subjects, Options options)
    : m_subjects(std::move(subjects))
    , m_options(std::move(options))
{}

Finder::~Finder() = default;

Result<std::unique_ptr<Finder>> Finder::create(std::vector<Subject> subjects, Options options)
{
    std::unique_ptr<Finder> finder(new Finder(std::move(subjects), std::move(options)));
    QStringList known;
    std::vector<const Rule *> rules;
    for (const auto &family : finder->ruleFamilies()) {
        for (const Rule *rule : family) {
            known += rule->promise();
            const bool isDefault = finder->m_options.promises.isEmpty() && !rule->faults().includeServers();
            if (isDefault || finder->m_options.promises.contains(rule->promise()))
                rules.push_back(rule);
        }
    }
    for (const QString &wanted : finder->m_options.promises) {
        if (!known.contains(wanted))
            return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "unknown promise \"%1\"; there are %2"), wanted,
                           known.join(QStringLiteral(", ")));
    }
    finder->m_requestedRules.assign(rules.rbegin(), rules.rend());
    finder->m_waiting = finder->m_requestedRules;

    if (!finder->subject().program) { // A program's server and clock are known only after its first run.
        if (auto opened = finder->openServers(); !opened)
            return failure(std::move(opened.error()));
    }
    return finder;
}

Result<void> Finder::openServers()
{
    auto opened = FinderServers::open(subject()).map([this](auto servers) { m_servers = std::move(servers); });
    if (opened)
        m_servers->effectCache().setReplicas(std::max(1, m_options.serverFaults.failovers));
    return opened;
}

std::vector<std::span<const Rule *const>> Finder::ruleFamilies() const
{
    if (subject().program)
        return {subject().program->rules()};
    return {lockRules(), cacheRules()};
}

QStringList Finder::promises() const
{
    QStringList promises;
    for (const Rule *rule : m_requestedRules)
        promises.prepend(rule->promise());
    return promises;
}

std::size_t Finder::maxStates() const
{
    if (isRandom())
        return m_options.walks;
    return (m_search.subject == 0 ? m_options.bounds : m_options.cheap).states;
}

std::size_t Finder::steps() const
{
    std::size_t steps = m_steps + (m_search.strategy ? m_search.strategy->steps() : 0);
    for (const auto &[rule, suspended] : m_suspended)
        steps += suspended.strategy->steps();
    return steps;
}

bool Finder::isComplete() const
{
    return m_waiting.empty() && !m_isCancelled
        && std::ranges::all_of(m_results, [](const PromiseResult &result) { return result.complete; });
}

Result<bool> Finder::step(QDeadlineTimer deadline)
{
    auto gone = advance(deadline);
    if (gone || !subject().program || !subject().program->restartAfterError())
        return gone;
    restartExploration();
    return false;
}

/// Discards all results so far and restarts.
void Finder::restartExploration()
{
    for (const auto &[rule, suspended] : m_suspended)
        m_steps += suspended.strategy->steps();
    endSearch();
    m_search.resultForFewer.reset();
    m_search.subject = 0;
    m_share.reset();
    m_noProgressSchedules = {};
    m_results.clear();
    m_suspended.clear();
    m_nextRound.clear();
    m_waiting = m_requestedRules;
    m_round = 0;
}

Result<bool> Finder::advance(QDeadlineTimer deadline)
{
    if (ExternalProgram *program = subject().program.get()) {
        if (!m_servers) {
            if (auto opened = program->open(); !opened)
                return failure(std::move(opened.error()));
            if (auto opened = openServers(); !opened)
                return failure(std::move(opened.error()));
        }
        const auto prepared = program->prepare(m_servers->effectCache(), deadline);
        if (!prepared)
            return failure(prepared.error());
        if (!*prepared && m_options.deadline.hasExpired())
            cancel();
        else if (!*prepared)
            return false;
        // Promises that do not apply come first: they have a result even if the search is stopped.
        std::ranges::stable_partition(m_waiting, [this](const Rule *rule) { return applies(*rule); });
    }
    while (!m_waiting.empty()) {
        if (!m_search.strategy) {
            if (const auto begun = begin(*m_waiting.back()); !begun)
                return failure(begun.error());
            if (!m_search.strategy)
                continue; // The promise does not apply, or its share of the time is used up.
        }
        const auto done = m_search.strategy->step(std::min(deadline, *m_share));
        if (!done)
            return failure(done.error());
        const bool isLate = m_share->hasExpired() && !m_search.strategy->counterexample();
        if (*done && !isLate) {
            if (const auto concluded = conclude(); !concluded)
                return failure(concluded.error());
        } else if (isLate) {
            if (auto noted = m_noProgressSchedules.note(*m_search.strategy, *m_search.transitions, *m_servers); !noted)
                return failure(std::move(noted.error()));
            endShare();
        }
        if (deadline.hasExpired())
            break;
    }
    return m_waiting.empty();
}

PromiseResult Finder::resultFor(const Rule &rule) const
{
    PromiseResult result;
    result.promise = rule.promise();
    result.clients = subject().clients;
    result.claimed = subject().claims.contains(rule.promise());
    result.isRandom = isRandom();
    if (m_search.strategy) {
        result.states = m_search.strategy->states();
        result.steps = m_search.strategy->steps();
        result.schedules = m_search.strategy->schedules();
    }
    return result;
}

bool Finder::applies(const Rule &rule) const
{
    return subject().program ? subject().program->applies(rule.promise()) : subject().promises.contains(rule.promise());
}

Result<void> Finder::begin(const Rule &rule)
{
    if (!applies(rule)) {
        PromiseResult result = resultFor(rule);
        if (subject().program)
            result.reason = subject().program->notApplicableReason(rule.promise());
        answer(std::move(result));
        return {};
    }
    beginShare();
    resume();
    if (m_search.strategy) {
        if (m_options.deadline.hasExpired())
            endShare();
        return {};
    }
    auto model = Model::create(subject(), rule, m_servers->effectCache(), m_options.excluded, m_options.serverFaults);
    if (!model)
        return failure(std::move(model.error()));
    m_search.model = std::move(*model);
    m_search.transitions = std::make_unique<Transitions>(*m_search.model);
    if (isRandom())
        m_search.strategy = std::make_unique<RandomWalks>(*m_search.transitions, m_options.walks, m_options.seed);
    else
        m_search.strategy =
            std::make_unique<Search>(*m_search.transitions, m_search.subject == 0 ? m_options.bounds : m_options.cheap);
    return {};
}

void Finder::endSearch()
{
    if (m_search.strategy)
        m_steps += m_search.strategy->steps();
    m_search.sampled = 0;
    m_search.hasWaitedLong = false;
    m_search.strategy.reset();
    m_search.transitions.reset();
    m_search.model.reset();
}

Result<PromiseResult> Finder::brokenBy(const Schedule &schedule)
{
    const Rule &rule = *m_waiting.back();
    PromiseResult result = resultFor(rule);
    result.verdict = Verdict::Broken;
    const bool needsServerFault = std::ranges::any_of(schedule, [](const Move &move) {
        return isServerFault(move.kind) || move.kind == Move::Kind::LostCommand
            || move.kind == Move::Kind::UnreachedCommand;
    });
    // With enough clients, two can be inside at once without the fault that the promise is about.
    result.violation =
        rule.faults().includeServers() && !needsServerFault ? lockRules().front()->violation() : rule.violation();
    auto recorded = m_servers->replayed(*m_search.transitions, schedule);
    if (!recorded)
        return failure(std::move(recorded.error()));
    recorded->title = schedules::titleText(subject().recipe, result.promise).english();
    recorded->promise = result.promise;
    recorded->verdict = result.violation;
    result.counterexample = std::move(*recorded);
    return result;
}

/// Searches once the schedules with more timer steps than the limit.
Result<std::optional<Schedule>> Finder::searchLongWaits()
{
    const bool applies = subject().program && !isRandom() && m_search.strategy->isComplete();
    if (!applies || std::exchange(m_search.hasWaitedLong, true))
        return std::nullopt;
    return violationAfterLongWaits(*m_search.transitions);
}

/// Replays one of the schedules in which the promise held.
Result<void> Finder::sample()
{
    const auto schedule = m_search.strategy->randomSchedule(m_options.seed + static_cast<quint32>(m_search.sampled));
    ++m_search.sampled;
    if (!schedule)
        return failure(schedule.error());
    if (const auto recorded = m_servers->replayed(*m_search.transitions, *schedule); !recorded)
        return failure(recorded.error());
    return {};
}

Result<void> Finder::conclude()
{
    if (auto noted = m_noProgressSchedules.note(*m_search.strategy, *m_search.transitions, *m_servers); !noted)
        return noted;
    auto counterexample = m_search.strategy->counterexample();
    if (!counterexample) {
        auto found = searchLongWaits();
        if (!found)
            return failure(std::move(found.error()));
        counterexample = *std::move(found);
    }
    if (counterexample) {
        auto broken = brokenBy(*counterexample);
        if (!broken)
            return failure(std::move(broken.error()));
        answer(std::move(*broken));
        return {};
    }
    if (m_search.resultForFewer && !m_search.strategy->isComplete()) {
        // The search is not cheap enough for this number of clients.
        answer(*std::exchange(m_search.resultForFewer, std::nullopt));
        return {};
    }
    if (m_search.sampled < m_options.samples)
        return sample();
    PromiseResult result = resultFor(*m_waiting.back());
    result.verdict = Verdict::Holds;
    result.complete = m_search.strategy->isComplete() && !(subject().program && subject().program->isPartlyObserved());
    if (!result.complete || m_search.subject + 1 == m_subjects.size()) {
        answer(std::move(result));
        return {};
    }
    m_search.resultForFewer = std::move(result);
    endSearch();
    ++m_search.subject;
    return {};
}

/// Sets the share of the current promise, unless the promise has one.
void Finder::beginShare()
{
    if (m_share)
        return;
    const auto waiting = std::ranges::count_if(m_waiting, [this](const Rule *rule) { return applies(*rule); });
    std::size_t states = 0; // Suspended searches keep theirs in memory.
    for (const auto &[rule, suspended] : m_suspended)
        states += suspended.strategy->states();
    const bool isOnly = (waiting == 1 && m_nextRound.empty()) || states > m_options.bounds.states;
    m_share =
        m_options.deadline.isForever() && !isOnly ? timeLimitOfRound(m_round) : shareOf(m_options.deadline, waiting);
}

/// Suspends the search for the current promise until the next pass. At the end of the time limit, its result covers a
/// part of the states.
void Finder::endShare()
{
    if (m_options.deadline.hasExpired()) {
        m_isOutOfTime = true;
        answerInPart();
        return;
    }
    const Rule *const rule = m_waiting.back();
    m_suspended[rule] = std::exchange(m_search, {});
    m_nextRound.insert(m_nextRound.begin(), rule);
    leaveCurrent();
}

/// Continues the search for the current promise if it was suspended.
void Finder::resume()
{
    const auto suspended = m_suspended.find(m_waiting.back());
    if (suspended == m_suspended.end())
        return;
    m_search = std::move(suspended->second);
    m_suspended.erase(suspended);
}

/// Continues with the next promise of this pass, or with the next pass.
void Finder::leaveCurrent()
{
    m_share.reset();
    endSearch();
    m_waiting.pop_back();
    m_search.subject = 0;
    if (m_waiting.empty() && !m_nextRound.empty()) {
        m_waiting.swap(m_nextRound);
        ++m_round;
    }
}

void Finder::cancel()
{
    m_isCancelled = !m_waiting.empty();
    m_isOutOfTime = m_isOutOfTime || (m_isCancelled && m_options.deadline.hasExpired());
    // A counterexample counts only after its replay.
    if (m_search.resultForFewer || (m_search.strategy && !m_search.strategy->counterexample()))
        answerInPart();
    endSearch();
    while (!m_suspended.empty()) {
        m_waiting.push_back(m_suspended.begin()->first);
        resume();
        answerInPart();
    }
    m_waiting.clear();
    m_nextRound.clear();
}

/// Ends the search for the current promise early. Its result is that for fewer clients, or covers a part of the states.
void Finder::answerInPart()
{
    if (m_search.resultForFewer) {
        answer(*std::exchange(m_search.resultForFewer, std::nullopt));
        return;
    }
    PromiseResult result = resultFor(*m_waiting.back());
    result.verdict = Verdict::Holds;
    result.complete = false;
    answer(std::move(result));
}

/// Stores the result of the current promise, in the order in which the promises were asked.
void Finder::answer(PromiseResult result)
{
    const QStringList order = promises();
    const auto isLater = [&](const PromiseResult &other) {
        return order.indexOf(other.promise) > order.indexOf(result.promise);
    };
    m_results.insert(std::ranges::find_if(m_results, isLater), std::move(result));
    m_search.resultForFewer.reset();
    leaveCurrent();
}

} // namespace latchkey::races

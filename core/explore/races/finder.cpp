#include "core/explore/races/finder.h"

#include "core/explore/races/livelock.h"
#include "core/explore/races/narration.h"
#include "core/explore/races/randomwalks.h"
#include "core/explore/races/schedulereplay.h"
#include "core/explore/races/serverfaults.h"
#include "core/explore/schedules/searchtexts.h"

#include <algorithm>

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Result;
using namespace std::chrono_literals;

QString verdictId(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Holds:
        return QStringLiteral("holds");
    case Verdict::Broken:
        return QStringLiteral("broken");
    case Verdict::NotApplicable:
        return QStringLiteral("not-applicable");
    }
    Q_UNREACHABLE();
}

Finder::Finder(std::vector<Subject> subjects, Options options)
    : m_subjects(std::move(subjects))
    , m_options(std::move(options))
{}

Finder::~Finder() = default;

Result<std::unique_ptr<Finder>> Finder::create(Subject subject, Options options)
{
    return create(std::vector<Subject> {std::move(subject)}, std::move(options));
}

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
    finder->m_asked.assign(rules.rbegin(), rules.rend());
    finder->m_waiting = finder->m_asked;

    if (!finder->subject().program) { // A program's server and clock are known only after its first run.
        if (auto opened = finder->openServers(); !opened)
            return failure(std::move(opened.error()));
    }
    return finder;
}

Result<void> Finder::openServers()
{
    const ExternalProgram *program = subject().program.get();
    if (program != nullptr && program->isClockControlled()) {
        auto clock = shim::ServerClock::create(program->clockLibrary(), Attempt::startOfTime());
        if (!clock)
            return failure(std::move(clock.error()));
        m_clock = std::move(*clock);
    }
    std::vector<net::Endpoint> endpoints;
    for (int i = 0; i < subject().servers; ++i) {
        auto server = std::make_unique<privateserver::PrivateServer>();
        if (m_clock)
            server->setLaunchHook([clock = m_clock.get()](process::Launch &launch) { clock->show(launch); });
        if (auto started = server->startAndWait(); !started)
            return started;
        if (m_clock && !m_clock->isUnderControl(static_cast<pid_t>(server->processId())))
            return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "the race finder's server does not go by the "
                                                                       "clock that it was given"));
        endpoints.push_back(server->endpoint());
        m_servers.push_back(std::move(server));
    }
    auto effectCache = m_clock            ? EffectCache::open(endpoints.front(), 1ms, m_clock.get())
                     : program != nullptr ? EffectCache::open(endpoints.front(), 100ms)
                                          : EffectCache::open(endpoints.front());
    if (!effectCache)
        return failure(std::move(effectCache.error()));
    m_effectCache = std::move(*effectCache);
    m_replay = std::make_unique<ScheduleReplay>(endpoints, m_clock.get());
    return {};
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
    for (const Rule *rule : m_asked)
        promises.prepend(rule->promise());
    return promises;
}

QString Finder::promise() const
{
    return m_waiting.empty() ? QString() : m_waiting.back()->promise();
}

std::size_t Finder::mostStates() const
{
    if (isByChance())
        return m_options.walks;
    return (m_current == 0 ? m_options.bounds : m_options.cheap).states;
}

std::size_t Finder::steps() const
{
    std::size_t steps = m_steps + (m_search ? m_search->steps() : 0);
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
    if (gone || !subject().program || !subject().program->restartWithSeparateClients())
        return gone;
    beginAnew();
    return false;
}

/// Discards all results so far and restarts.
void Finder::beginAnew()
{
    endSearch();
    m_share.reset();
    m_standing.reset();
    m_deadlock.reset();
    m_livelock.reset();
    m_results.clear();
    m_suspended.clear();
    m_nextPass.clear();
    m_waiting = m_asked;
    m_current = 0;
}

Result<bool> Finder::advance(QDeadlineTimer deadline)
{
    if (ExternalProgram *program = subject().program.get()) {
        if (!m_effectCache) {
            if (auto opened = program->open(); !opened)
                return failure(std::move(opened.error()));
            if (auto opened = openServers(); !opened)
                return failure(std::move(opened.error()));
        }
        const auto prepared = program->prepare(*m_effectCache, deadline);
        if (!prepared)
            return failure(prepared.error());
        if (!*prepared && m_options.deadline.hasExpired())
            cancel();
        else if (!*prepared)
            return false;
    }
    while (!m_waiting.empty()) {
        if (!m_search) {
            if (const auto begun = begin(*m_waiting.back()); !begun)
                return failure(begun.error());
            if (!m_search)
                continue; // The promise does not apply, or its time is over.
        }
        const auto done = m_search->step(std::min(deadline, *m_share));
        if (!done)
            return failure(done.error());
        const bool isLate = m_share->hasExpired() && !m_search->counterexample();
        if (*done && !isLate) {
            if (const auto concluded = conclude(); !concluded)
                return failure(concluded.error());
        } else if (isLate) {
            if (auto noted = noteStandstill(); !noted)
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
    result.isByChance = isByChance();
    if (m_search) {
        result.states = m_search->states();
        result.steps = m_search->steps();
        result.schedules = m_search->schedules();
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
            result.reason = subject().program->whyNotApplicable(rule.promise());
        answer(std::move(result));
        return {};
    }
    beginShare();
    resume();
    if (m_search) {
        if (m_options.deadline.hasExpired())
            endShare();
        return {};
    }
    auto model = Model::create(subject(), rule, *m_effectCache, m_options.without, m_options.serverFaults);
    if (!model)
        return failure(std::move(model.error()));
    m_model = std::move(*model);
    m_transitions = std::make_unique<Transitions>(*m_model);
    if (isByChance())
        m_search = std::make_unique<RandomWalks>(*m_transitions, m_options.walks, m_options.seed);
    else
        m_search = std::make_unique<Search>(*m_transitions, m_current == 0 ? m_options.bounds : m_options.cheap);
    return {};
}

void Finder::endSearch()
{
    if (m_search)
        m_steps += m_search->steps();
    m_sampled = 0;
    m_search.reset();
    m_transitions.reset();
    m_model.reset();
}

/// Replays the schedule with new processes as clients, and then replays its server commands on a real server.
Result<void> Finder::validated(const Schedule &schedule, const schedules::RecordedSchedule &story)
{
    if (auto validated = subject().program->validate(*m_transitions, schedule); !validated)
        return validated;
    if (auto quiet = m_effectCache->stopListening(); !quiet) // PUBLISH returns the number of subscribers.
        return quiet;
    return m_replay->tell(story);
}

/// Returns the schedule as a story, after a successful replay on real servers.
Result<schedules::RecordedSchedule> Finder::replayed(const Schedule &schedule)
{
    auto story = narrate(*m_transitions, schedule);
    if (!story)
        return story;
    auto played = subject().program ? validated(schedule, *story) : m_replay->play(*m_transitions, schedule, *story);
    if (!played)
        return failure(std::move(played.error()));
    return story;
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
    result.complaint =
        rule.faults().includeServers() && !needsServerFault ? lockRules().front()->complaint() : rule.complaint();
    auto story = replayed(schedule);
    if (!story)
        return failure(std::move(story.error()));
    story->title = schedules::titleText(subject().recipe, result.promise).english();
    story->promise = result.promise;
    story->verdict = result.complaint;
    result.counterexample = std::move(*story);
    return result;
}

/// Replays one of the schedules in which the promise held.
Result<void> Finder::sample()
{
    const auto schedule = m_search->randomSchedule(m_options.seed + static_cast<quint32>(m_sampled));
    ++m_sampled;
    if (!schedule)
        return failure(schedule.error());
    if (const auto story = replayed(*schedule); !story)
        return failure(story.error());
    return {};
}

Result<void> Finder::noteDeadlock()
{
    const auto &found = m_search->deadlock();
    if (!found || (m_deadlock && !isBetterDeadlock(*found, m_deadlockMoves)))
        return {};
    auto story = replayed(*found);
    if (!story)
        return failure(std::move(story.error()));
    story->title = schedules::titleText(subject().recipe, {}).english();
    story->verdict = QString::fromLatin1(QT_TRANSLATE_NOOP("core", "a client waits for ever"));
    m_deadlock = *std::move(story);
    m_deadlockMoves = *found;
    return {};
}

/// Records the livelock with a note on the command that each living client repeats.
Result<void> Finder::noteLivelock()
{
    const auto &found = m_search->livelock();
    if (!found || m_livelock)
        return {};
    auto story = replayed(*found);
    if (!story)
        return failure(std::move(story.error()));
    const auto living = livingAfter(*m_transitions, *found);
    if (!living)
        return failure(living.error());
    for (const ClientIndex client : *living) {
        const auto last = std::ranges::find_if(story->steps.rbegin(), story->steps.rend(), [&](const auto &step) {
            return step.client == clientName(client) && step.kind == schedules::ScheduleStep::Kind::Command;
        });
        if (last != story->steps.rend())
            last->note = base::Text::joined(
                last->note, base::Text(QT_TRANSLATE_NOOP("core", "%1 repeats this for ever"), clientName(client)));
    }
    story->title = schedules::titleText(subject().recipe, {}).english();
    story->verdict = QString::fromLatin1(QT_TRANSLATE_NOOP("core", "clients repeat commands for ever"));
    m_livelock = *std::move(story);
    return {};
}

Result<void> Finder::conclude()
{
    if (auto noted = noteStandstill(); !noted)
        return noted;
    if (const auto &counterexample = m_search->counterexample()) {
        auto broken = brokenBy(*counterexample);
        if (!broken)
            return failure(std::move(broken.error()));
        answer(std::move(*broken));
        return {};
    }
    if (m_standing && !m_search->isComplete()) {
        answer(*std::exchange(m_standing, std::nullopt)); // Not cheap enough for this number of clients.
        return {};
    }
    if (m_sampled < m_options.samples)
        return sample();
    PromiseResult result = resultFor(*m_waiting.back());
    result.verdict = Verdict::Holds;
    result.complete = m_search->isComplete() && !(subject().program && subject().program->wasCut());
    if (!result.complete || m_current + 1 == m_subjects.size()) {
        answer(std::move(result));
        return {};
    }
    m_standing = std::move(result);
    endSearch();
    ++m_current;
    return {};
}

} // namespace latchkey::races

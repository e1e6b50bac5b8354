#include "core/races/finder.h"

#include "core/races/narration.h"
#include "core/races/replay.h"

#include <algorithm>

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Result;

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

Finder::Finder(Subject subject, Options options)
    : m_subject(std::move(subject))
    , m_options(std::move(options))
{}

Finder::~Finder() = default;

Result<std::unique_ptr<Finder>> Finder::create(Subject subject, Options options)
{
    std::unique_ptr<Finder> finder(new Finder(std::move(subject), std::move(options)));

    QStringList known;
    std::vector<const Rule *> rules;
    for (const auto &family : {lockRules(), cacheRules()}) {
        for (const Rule *rule : family) {
            known += rule->promise();
            if (finder->m_options.promises.isEmpty() || finder->m_options.promises.contains(rule->promise()))
                rules.push_back(rule);
        }
    }
    for (const QString &wanted : finder->m_options.promises) {
        if (!known.contains(wanted))
            return failure(
                ErrorKind::Usage,
                QStringLiteral("unknown promise \"%1\"; there are %2").arg(wanted, known.join(QStringLiteral(", "))));
    }
    finder->m_waiting.assign(rules.rbegin(), rules.rend());

    std::vector<resp::Endpoint> endpoints;
    for (int i = 0; i < finder->m_subject.servers; ++i) {
        auto server = std::make_unique<server::PrivateServer>();
        if (auto started = server->startAndWait(); !started)
            return failure(std::move(started.error()));
        endpoints.push_back(server->endpoint());
        finder->m_servers.push_back(std::move(server));
    }
    auto testbed = Testbed::open(endpoints.front());
    if (!testbed)
        return failure(std::move(testbed.error()));
    finder->m_testbed = std::move(*testbed);
    finder->m_replay = std::make_unique<Replay>(endpoints);
    return finder;
}

QString Finder::promise() const
{
    return m_waiting.empty() ? QString() : m_waiting.back()->promise();
}

std::size_t Finder::steps() const
{
    std::size_t steps = m_search ? m_search->steps() : 0;
    for (const PromiseResult &result : m_results)
        steps += result.steps;
    return steps;
}

bool Finder::isComplete() const
{
    return m_waiting.empty()
        && std::ranges::all_of(m_results, [](const PromiseResult &result) { return result.complete; });
}

Result<bool> Finder::step(QDeadlineTimer deadline)
{
    while (!m_waiting.empty()) {
        if (!m_search) {
            if (const auto begun = begin(*m_waiting.back()); !begun)
                return failure(begun.error());
            if (!m_search)
                continue; // It does not apply.
        }
        const auto done = m_search->step(deadline);
        if (!done)
            return failure(done.error());
        if (*done) {
            if (const auto concluded = conclude(); !concluded)
                return failure(concluded.error());
        }
        if (deadline.hasExpired())
            break;
    }
    return m_waiting.empty();
}

void Finder::cancel()
{
    if (m_search) {
        PromiseResult result = resultFor(*m_waiting.back());
        result.verdict = Verdict::Holds;
        result.complete = false;
        m_results.push_back(std::move(result));
    }
    m_search.reset();
    m_model.reset();
    m_waiting.clear();
}

PromiseResult Finder::resultFor(const Rule &rule) const
{
    PromiseResult result;
    result.promise = rule.promise();
    result.claimed = m_subject.claims.contains(rule.promise());
    if (m_search) {
        result.states = m_search->states();
        result.steps = m_search->steps();
        result.schedules = m_search->schedules();
    }
    return result;
}

Result<void> Finder::begin(const Rule &rule)
{
    if (!m_subject.promises.contains(rule.promise())) {
        m_results.push_back(resultFor(rule));
        m_waiting.pop_back();
        return {};
    }
    auto model = Model::create(m_subject, rule, *m_testbed);
    if (!model)
        return failure(std::move(model.error()));
    m_model = std::move(*model);
    m_search = std::make_unique<Search>(*m_model, m_options.bounds);
    return {};
}

/// The schedule as a story that has just gone so on real servers.
Result<stories::Story> Finder::replayed(const Schedule &schedule)
{
    auto story = narrate(*m_model, schedule);
    if (!story)
        return story;
    if (auto played = m_replay->play(*m_model, schedule, *story); !played)
        return failure(std::move(played.error()));
    return story;
}

Result<void> Finder::conclude()
{
    const Rule &rule = *m_waiting.back();
    PromiseResult result = resultFor(rule);
    if (const auto &counterexample = m_search->counterexample()) {
        result.verdict = Verdict::Broken;
        result.complaint = rule.complaint();
        auto story = replayed(*counterexample);
        if (!story)
            return failure(std::move(story.error()));
        story->title = QStringLiteral("%1 breaks %2").arg(m_subject.recipe, result.promise);
        story->promise = result.promise;
        story->verdict = result.complaint;
        result.counterexample = std::move(*story);
    } else {
        result.verdict = Verdict::Holds;
        result.complete = m_search->isComplete();
        for (int i = 0; i < m_options.samples; ++i) {
            const auto schedule = m_search->randomSchedule(m_options.seed + static_cast<quint32>(i));
            if (!schedule)
                return failure(schedule.error());
            if (const auto story = replayed(*schedule); !story)
                return failure(story.error());
        }
    }
    m_results.push_back(std::move(result));
    m_search.reset();
    m_model.reset();
    m_waiting.pop_back();
    return {};
}

} // namespace latchkey::races

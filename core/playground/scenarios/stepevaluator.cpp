#include "core/playground/scenarios/stepevaluator.h"

#include "core/playground/playground/sequencerecorder.h"
#include "core/playground/scenarios/serverrequests.h"

#include <algorithm>
#include <utility>

namespace latchkey::scenarios {

using base::ErrorKind;
using base::Text;
using exchange::Exchange;
using playground::ClientOrder;
using playground::ClientReport;

namespace {

/// A key to read.
struct KeyLocation
{
    base::Key key;
    int server = 0;
    std::optional<int> replica {};
    int index = 0; ///< Index of the server or replica for requests.
};

Exchange<std::vector<ObservedKey>> readAt(std::vector<KeyLocation> locations)
{
    std::vector<ObservedKey> keys;
    for (const auto &[key, server, replica, index] : locations) {
        ObservedKey observedKey = co_await readKey(key, index);
        observedKey.server = server;
        observedKey.replica = replica;
        keys.push_back(std::move(observedKey));
    }
    co_return keys;
}

bool hasAnswer(const ScenarioStep &step)
{
    return !step.isInBackground
        && (std::holds_alternative<ClientOrder>(step.action) || std::holds_alternative<ResumeClient>(step.action)
            || std::holds_alternative<AwaitAnswer>(step.action));
}

bool isExpected(const ScenarioStep &step, const QString &outcome)
{
    return std::ranges::any_of(step.expectations,
                               [&](const StepExpectation &expected) { return expected.outcomes.contains(outcome); });
}

} // namespace

StepEvaluator::StepEvaluator(ScenarioRun &run)
    : m_run(run)
{}

void StepEvaluator::restart()
{
    m_resource = {};
    m_isTaken.clear();
    m_recomputed = 0;
    m_exchanged.clear();
}

void StepEvaluator::follow(ScenarioClients &clients)
{
    connect(&clients, &ScenarioClients::answered, this, &StepEvaluator::noteAnswer);
    connect(&clients, &ScenarioClients::commandLogged, this, [this](const QString &name, const ClientReport &report) {
        m_exchanged.push_back({name, report.command, report.reply});
        Q_EMIT exchanged(m_exchanged.back());
    });
}

void StepEvaluator::noteAnswer(const QString &client, const ClientReport &report)
{
    if (report.event != ClientReport::Event::Done)
        return;
    if (report.operationResult.outcome == u"recomputed")
        ++m_recomputed;
    else if (report.operationResult.outcome == u"writes")
        m_run.recorder().recordWrite(client, m_isTaken[client] = m_resource.write(client, report.fencing));
}

void StepEvaluator::evaluate(const ScenarioStep &step, std::size_t position)
{
    m_step = &step;
    m_position = position;
    if (!m_run.scenario().extendsTtls || m_run.extendedTtls().mustNotChangeTtls())
        return readKeys();
    m_run.execute<std::vector<ExtendedTtls::ExtendedTtl>>(
        extendTtls(m_run.scenario().servers, m_run.extendedTtls().extended()),
        [this](const std::vector<ExtendedTtls::ExtendedTtl> &extended) {
            m_run.extendedTtls().keep(extended);
            readKeys();
        });
}

void StepEvaluator::readKeys()
{
    std::vector<KeyLocation> locations;
    for (const StepExpectation &expected : m_step->expectations) {
        for (const KeyExpectation &key : expected.keys)
            locations.push_back({key.key, key.server, key.replica,
                                 key.replica ? m_run.servers().indexOf(key.server, *key.replica) : key.server});
    }
    if (locations.empty())
        checkKeys({});
    else
        m_run.execute<std::vector<ObservedKey>>(readAt(std::move(locations)),
                                                [this](const std::vector<ObservedKey> &keys) { checkKeys(keys); });
}

QString StepEvaluator::outcome() const
{
    if (!hasAnswer(*m_step))
        return {};
    if (m_run.clients().isAtBreakpoint(m_step->client))
        return QStringLiteral("held");
    QString outcome = outcomeId(m_run.clients().answer(m_step->client));
    if (outcome != u"writes")
        return outcome;
    return m_isTaken.at(m_step->client) ? QStringLiteral("accepted") : QStringLiteral("refused");
}

void StepEvaluator::applyEffects()
{
    const ScenarioStep &step = *m_step;
    const bool isCrash = std::holds_alternative<Signal>(step.action) && std::get<Signal>(step.action) == Signal::Crash;
    if (isCrash || step.losesReply)
        m_run.extendedTtls().forget(step.client);
    m_run.extendedTtls().advance(step.passed);
    m_run.keptKeys().advance(step.passed);
    if (!step.inside)
        return;
    m_run.clients().setInside(step.client, step.inside->isInside);
    m_run.recorder().recordInside(step.client,
                                  step.inside->isInside ? std::optional(step.inside->criticalSection) : std::nullopt);
}

ObservedState StepEvaluator::observe(const std::vector<ObservedKey> &keys) const
{
    ObservedState observed;
    observed.outcome = outcome();
    if (hasAnswer(*m_step))
        observed.report = m_run.clients().answer(m_step->client);
    observed.inside = m_run.clients().inside();
    observed.believes = m_run.clients().beliefs();
    observed.tokens = m_run.clients().tokens();
    observed.keys = keys;
    observed.resource = &m_resource;
    observed.recomputed = m_recomputed;
    return observed;
}

void StepEvaluator::checkKeys(const std::vector<ObservedKey> &keys)
{
    const ScenarioStep &step = *m_step;
    applyEffects();
    ObservedState observed = observe(keys);
    if (observed.outcome == u"unknown" && !isExpected(step, observed.outcome)) {
        Q_EMIT failed({ErrorKind::ConnectionLost, observed.report.message});
        return;
    }
    StepResult result;
    result.step = m_position;
    result.outcome = observed.outcome;
    result.report = observed.report;
    result.inside = observed.inside;
    result.exchanged = std::exchange(m_exchanged, {});
    for (const CommandRecord &each : result.exchanged) {
        if (each.client == step.client) {
            observed.lastCommand = each.command;
            observed.lastReply = each.reply.toString();
        }
    }
    if (observed.outcome == u"error" && !isExpected(step, observed.outcome))
        result.differences += Text::about(step.location, Text(QT_TRANSLATE_NOOP("core", "%1 could not do it: %2"),
                                                              step.client, observed.report.message));
    for (const StepExpectation &expected : step.expectations) {
        for (const Text &difference : differences(expected, observed))
            result.differences += Text::about(expected.location, difference);
    }
    Q_EMIT evaluated(result);
}

StepResult StepEvaluator::refusal(const ScenarioStep &step, std::size_t position, const Text &difference)
{
    StepResult result;
    result.step = position;
    result.inside = m_run.clients().inside();
    result.exchanged = std::exchange(m_exchanged, {});
    result.differences += Text::about(step.location, difference);
    return result;
}

} // namespace latchkey::scenarios

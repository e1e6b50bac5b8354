#include "core/playground/scenarios/scenarioplayer.h"

#include <algorithm>

// The part of ScenarioPlayer that judges a completed step.

namespace latchkey::scenarios {

using base::ErrorKind;
using base::Text;
using exchange::Exchange;
using playground::ClientOrder;

namespace {

using KeyLocation = std::pair<base::Key, int>;

Exchange<std::vector<ObservedKey>> readKeys(std::vector<KeyLocation> locations)
{
    std::vector<ObservedKey> keys;
    for (const auto &[key, server] : locations) {
        ObservedKey seen = co_await readKey(key, server);
        keys.push_back(std::move(seen));
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

void ScenarioPlayer::conclude()
{
    if (!m_scenario.extendsTtls || m_extendedTtls.mustNotChangeTtls())
        return readAndCheck();
    ask<std::vector<ExtendedTtls::ExtendedTtl>>(hold(m_scenario.servers, m_extendedTtls.held()),
                                                [this](const std::vector<ExtendedTtls::ExtendedTtl> &held) {
                                                    m_extendedTtls.keep(held);
                                                    readAndCheck();
                                                });
}

void ScenarioPlayer::readAndCheck()
{
    std::vector<KeyLocation> locations;
    for (const StepExpectation &expected : current().expectations) {
        for (const KeyExpectation &key : expected.keys)
            locations.emplace_back(key.key, key.server);
    }
    if (locations.empty())
        checkKeys({});
    else
        ask<std::vector<ObservedKey>>(readKeys(std::move(locations)),
                                      [this](const std::vector<ObservedKey> &keys) { checkKeys(keys); });
}

QString ScenarioPlayer::outcome() const
{
    const ScenarioStep &step = current();
    if (!hasAnswer(step))
        return {};
    if (m_clients->isHeld(step.client))
        return QStringLiteral("held");
    QString outcome = outcomeId(m_clients->answer(step.client));
    if (outcome != u"writes")
        return outcome;
    return m_isTaken.at(step.client) ? QStringLiteral("accepted") : QStringLiteral("refused");
}

/// Applies the effects of the step on its client (inside, crash, lost reply) and on the story's time.
void ScenarioPlayer::followInside(const ScenarioStep &step)
{
    const bool isCrash = std::holds_alternative<Signal>(step.action) && std::get<Signal>(step.action) == Signal::Crash;
    if (isCrash || step.losesReply)
        m_extendedTtls.forget(step.client);
    m_extendedTtls.pass(step.passed);
    if (!step.inside)
        return;
    m_clients->setInside(step.client, step.inside->isInside);
    m_recorder->noteInside(step.client,
                           step.inside->isInside ? std::optional(step.inside->criticalSection) : std::nullopt);
}

void ScenarioPlayer::checkKeys(const std::vector<ObservedKey> &keys)
{
    const ScenarioStep &step = current();
    followInside(step);
    ObservedState observed;
    observed.outcome = outcome();
    if (hasAnswer(step))
        observed.report = m_clients->answer(step.client);
    observed.inside = m_clients->inside();
    observed.believes = m_clients->beliefs();
    observed.tokens = m_clients->tokens();
    observed.keys = keys;
    observed.resource = &m_resource;
    observed.recomputed = m_recomputed;
    if (observed.outcome == u"unknown" && !isExpected(step, observed.outcome)) {
        fail({ErrorKind::ConnectionLost, observed.report.message});
        return;
    }
    StepResult result;
    result.step = position();
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
    endStep(result);
}

/// Ends the story because the step cannot happen.
void ScenarioPlayer::refuse(const Text &difference)
{
    StepResult result;
    result.step = position();
    result.inside = m_clients->inside();
    result.exchanged = std::exchange(m_exchanged, {});
    result.differences += Text::about(current().location, difference);
    endStep(result);
}

} // namespace latchkey::scenarios

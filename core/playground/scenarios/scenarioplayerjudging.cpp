#include "core/playground/scenarios/scenarioplayer.h"

#include <algorithm>

// The part of ScenarioPlayer that judges a completed step.

namespace latchkey::scenarios {

using base::ErrorKind;
using base::Text;
using exchange::Exchange;
using playground::ClientOrder;

namespace {

using Place = std::pair<base::Key, int>;

Exchange<std::vector<ObservedKey>> lookAt(std::vector<Place> places)
{
    std::vector<ObservedKey> keys;
    for (const auto &[key, server] : places) {
        ObservedKey seen = co_await readKey(key, server);
        keys.push_back(std::move(seen));
    }
    co_return keys;
}

bool hasAnswer(const ScenarioStep &step)
{
    return !step.isInBackground
        && (std::holds_alternative<ClientOrder>(step.action) || std::holds_alternative<GoOn>(step.action)
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
    if (!m_story.holdsLifetimes || m_lifetimes.mustNotChangeTtls())
        return readAndCheck();
    ask<std::vector<ExtendedTtls::ExtendedTtl>>(hold(m_story.servers, m_lifetimes.held()),
                                                [this](const std::vector<ExtendedTtls::ExtendedTtl> &held) {
                                                    m_lifetimes.keep(held);
                                                    readAndCheck();
                                                });
}

void ScenarioPlayer::readAndCheck()
{
    std::vector<Place> places;
    for (const StepExpectation &expected : current().expectations) {
        for (const KeyExpectation &key : expected.keys)
            places.emplace_back(key.key, key.server);
    }
    if (places.empty())
        judge({});
    else
        ask<std::vector<ObservedKey>>(lookAt(std::move(places)),
                                      [this](const std::vector<ObservedKey> &keys) { judge(keys); });
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
        m_lifetimes.forget(step.client);
    m_lifetimes.pass(step.passed);
    if (!step.inside)
        return;
    m_clients->setInside(step.client, step.inside->isSo);
    m_recorder->noteInside(step.client, step.inside->isSo ? std::optional(step.inside->room) : std::nullopt);
}

void ScenarioPlayer::judge(const std::vector<ObservedKey> &keys)
{
    const ScenarioStep &step = current();
    followInside(step);
    ObservedState scene;
    scene.outcome = outcome();
    if (hasAnswer(step))
        scene.report = m_clients->answer(step.client);
    scene.inside = m_clients->inside();
    scene.believes = m_clients->beliefs();
    scene.tokens = m_clients->tokens();
    scene.keys = keys;
    scene.resource = &m_resource;
    scene.recomputed = m_recomputed;
    if (scene.outcome == u"unknown" && !isExpected(step, scene.outcome)) {
        fail({ErrorKind::ConnectionLost, scene.report.message});
        return;
    }
    StepResult result;
    result.step = position();
    result.outcome = scene.outcome;
    result.report = scene.report;
    result.inside = scene.inside;
    result.exchanged = std::exchange(m_exchanged, {});
    for (const CommandRecord &each : result.exchanged) {
        if (each.client == step.client) {
            scene.lastCommand = each.command;
            scene.lastReply = each.reply.toString();
        }
    }
    if (scene.outcome == u"error" && !isExpected(step, scene.outcome))
        result.differences += Text::about(
            step.place, Text(QT_TRANSLATE_NOOP("core", "%1 could not do it: %2"), step.client, scene.report.message));
    for (const StepExpectation &expected : step.expectations) {
        for (const Text &difference : differences(expected, scene))
            result.differences += Text::about(expected.place, difference);
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
    result.differences += Text::about(current().place, difference);
    endStep(result);
}

} // namespace latchkey::scenarios

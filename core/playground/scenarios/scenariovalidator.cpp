#include "core/playground/scenarios/scenariovalidator.h"

namespace latchkey::scenarios {

using base::Text;
using files::JsonNode;
using playground::ClientOrder;

namespace {

/// Outcomes that one kind of order may have, besides the outcomes that every order may have.
struct OutcomesOf
{
    QStringList operator()(const playground::AcquireOrder & /*order*/) const { return words("acquired,busy"); }
    QStringList operator()(const playground::ReleaseOrder & /*order*/) const
    {
        return words("released,not-owner,gone");
    }
    QStringList operator()(const playground::ExtendOrder & /*order*/) const { return words("extended,not-owner,gone"); }
    QStringList operator()(const playground::PutOrder & /*order*/) const
    {
        return words("written,exists,nothing,gone,busy,guard-lost");
    }
    QStringList operator()(const playground::GetOrder & /*order*/) const { return words("hit,miss"); }
    QStringList operator()(const playground::RecomputeOrder & /*order*/) const
    {
        return words("hit,stale,recomputed,gave-up,guard-lost");
    }
    QStringList operator()(const playground::SendOrder & /*order*/) const { return words("answered"); }
    QStringList operator()(const playground::WriteOrder & /*order*/) const { return words("accepted,refused"); }
    QStringList operator()(const playground::ResumeOrder & /*order*/) const { return {}; }
    QStringList operator()(playground::ClockOrder /*order*/) const { return {}; }
    QStringList operator()(const playground::LoseReplyOrder & /*order*/) const { return {}; }
    QStringList operator()(playground::ReconnectOrder /*order*/) const { return {}; }
    QStringList operator()(const playground::QuitOrder & /*order*/) const { return {}; }

    static QStringList words(const char *all) { return QString::fromLatin1(all).split(u','); }
};

/// Returns the server that a step refers to; absent if it refers to none.
std::optional<int> serverOf(const StepAction &action)
{
    if (const auto *gone = std::get_if<AwaitGone>(&action))
        return gone->server;
    if (const auto *passed = std::get_if<AwaitDeadline>(&action))
        return passed->server;
    if (const auto *stop = std::get_if<KillServer>(&action))
        return stop->server;
    if (const auto *restart = std::get_if<RestartServer>(&action))
        return restart->server;
    if (const auto *cut = std::get_if<CutReplica>(&action))
        return cut->server;
    if (const auto *failover = std::get_if<Failover>(&action))
        return failover->server;
    const auto *order = std::get_if<ClientOrder>(&action);
    const auto *send = order == nullptr ? nullptr : std::get_if<playground::SendOrder>(order);
    return send == nullptr ? std::nullopt : std::optional(send->server);
}

} // namespace

void ScenarioValidator::check(const ScenarioStep &step, const JsonNode &node)
{
    followServers(step, node);
    followReplicas(step, node);
    Client unknown;
    Client &client = step.client.isEmpty() ? unknown : m_clients[step.client];
    if (!std::holds_alternative<CheckExpectations>(step.action) && !client.crashedIn.isEmpty())
        node["client"].refuse(
            Text(QT_TRANSLATE_NOOP("core", "\"%1\" has crashed in %2"), step.client, client.crashedIn));
    if (std::holds_alternative<ClientOrder>(step.action))
        followOrder(client, step, node);
    else if (const auto *signal = std::get_if<Signal>(&step.action))
        followSignal(client, *signal, step, node);
    else
        followWaiting(client, step, node);
    checkOutcome(step, node, client);
    checkHolders(step, node);
}

void ScenarioValidator::followServers(const ScenarioStep &step, const JsonNode &node)
{
    const auto refuseStopped = [this](int server, const JsonNode &where) {
        if (m_stopped.contains(server))
            where.refuse(Text(QT_TRANSLATE_NOOP("core", "server %1 has been killed"), server));
    };
    if (const auto server = serverOf(step.action))
        refuseStopped(*server, node);
    if (const auto *stop = std::get_if<KillServer>(&step.action))
        m_stopped.insert(stop->server);
    for (const StepExpectation &expected : step.expectations) {
        for (const KeyExpectation &key : expected.keys)
            refuseStopped(key.server, node["expect"]);
    }
}

void ScenarioValidator::followReplicas(const ScenarioStep &step, const JsonNode &node)
{
    if (const auto *failover = std::get_if<Failover>(&step.action)) {
        if (!m_promoted.emplace(failover->server, failover->replica).second)
            node["failover"].refuse(
                Text(QT_TRANSLATE_NOOP("core", "replica %1 has been promoted already"), failover->replica));
    } else if (const auto *cut = std::get_if<CutReplica>(&step.action)) {
        const std::pair replica(cut->server, cut->replica);
        if (m_promoted.contains(replica) || !m_cut.insert(replica).second)
            node["cut_replica"].refuse(
                Text(QT_TRANSLATE_NOOP("core", "replica %1 does not follow its server any more"), cut->replica));
    }
    for (const StepExpectation &expected : step.expectations) {
        for (const KeyExpectation &key : expected.keys) {
            if (key.replica && m_promoted.contains({key.server, *key.replica}))
                node["expect"].refuse(
                    Text(QT_TRANSLATE_NOOP("core", "replica %1 has been promoted already"), *key.replica));
        }
    }
}

void ScenarioValidator::followSignal(Client &client, Signal signal, const ScenarioStep &step, const JsonNode &node)
{
    if (signal == Signal::Crash)
        client.crashedIn = step.location;
    else if (client.isPaused && signal == Signal::Pause)
        node["signal"].refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is paused already"), step.client));
    else if (!client.isPaused && signal == Signal::Resume)
        node["signal"].refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is not paused"), step.client));
    client.isPaused = signal == Signal::Pause;
}

void ScenarioValidator::followWaiting(Client &client, const ScenarioStep &step, const JsonNode &node)
{
    const bool isForAnswer =
        std::holds_alternative<ResumeClient>(step.action) || std::holds_alternative<AwaitAnswer>(step.action);
    if (!isForAnswer && !std::holds_alternative<AwaitReport>(step.action))
        return;
    if (client.isPaused)
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is paused and cannot report"), step.client));
    if (!isForAnswer)
        return;
    if (client.busySince.isEmpty())
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is neither held nor executing an order"), step.client));
    client.busySince = step.breakBefore.isEmpty() ? QString() : step.location;
}

void ScenarioValidator::checkHolders(const ScenarioStep &step, const JsonNode &node)
{
    for (const StepExpectation &expected : step.expectations) {
        for (const KeyExpectation &key : expected.keys) {
            if (const QString recipe = m_clients[key.heldBy].tokenlessRecipe;
                !key.heldBy.isEmpty() && !recipe.isEmpty())
                node["expect"].refuse(
                    Text(QT_TRANSLATE_NOOP("core", "held_by: a lock of %1 does not record its holder"), recipe));
        }
    }
}

void ScenarioValidator::followOrder(Client &client, const ScenarioStep &step, const JsonNode &node)
{
    const auto &order = std::get<ClientOrder>(step.action);
    client.outcomes = std::visit(OutcomesOf {}, order);
    if (const auto *acquire = std::get_if<playground::AcquireOrder>(&order)) {
        client.hasTried = true;
        client.tokenlessRecipe = locks::findRecipe(acquire->recipe).value()->hasToken ? QString() : acquire->recipe;
    }
    if (!client.busySince.isEmpty())
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is still executing %2; await its answer first"), step.client,
                         client.busySince));
    const bool needsLock = std::holds_alternative<playground::ReleaseOrder>(order)
                        || std::holds_alternative<playground::ExtendOrder>(order)
                        || std::holds_alternative<playground::WriteOrder>(order);
    if (needsLock && !client.hasTried)
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" has not tried to acquire a lock"), step.client));
    if (client.isPaused && !step.isInBackground)
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is paused and cannot answer: use \"background\": true"),
                         step.client));
    if (step.isInBackground || !step.breakBefore.isEmpty())
        client.busySince = step.location;
}

void ScenarioValidator::checkOutcome(const ScenarioStep &step, const JsonNode &node, const Client &client)
{
    const bool hasOutcome =
        !step.isInBackground
        && (std::holds_alternative<ClientOrder>(step.action) || std::holds_alternative<ResumeClient>(step.action)
            || std::holds_alternative<AwaitAnswer>(step.action));
    for (const StepExpectation &expected : step.expectations) {
        if (expected.outcomes.isEmpty())
            continue;
        QStringList possible = client.outcomes + QStringList {QStringLiteral("error"), QStringLiteral("unknown")};
        if (!step.breakBefore.isEmpty())
            possible += QStringLiteral("held");
        if (!hasOutcome)
            node["expect"].refuse(Text(QT_TRANSLATE_NOOP("core", "this step has no answer, so it has no outcome")));
        for (const QString &outcome : expected.outcomes) {
            if (!possible.contains(outcome))
                node["expect"].refuse(Text(QT_TRANSLATE_NOOP("core", "the outcome \"%1\" cannot be: it is one of %2"),
                                           outcome, possible.join(QStringLiteral(", "))));
        }
    }
}

} // namespace latchkey::scenarios

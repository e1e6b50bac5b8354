#include "core/redis/exchange/script.h"

#include "core/redis/exchange/exchange.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QHash>

namespace latchkey::exchange {

using base::ErrorKind;
using resp::Reply;

namespace {

QString folder()
{
    return QStringLiteral(":/latchkey/lua/");
}

/// Returns the script names by SHA1 and by source.
const QHash<QByteArray, QByteArray> &scriptNames()
{
    static const auto table = [] {
        QHash<QByteArray, QByteArray> names;
        for (const QString &name : Script::names()) {
            const Script script(name);
            names.insert(script.sha1(), name.toUtf8());
            names.insert(script.source(), name.toUtf8());
        }
        return names;
    }();
    return table;
}

} // namespace

Script::Script(const QString &name)
{
    QFile file(folder() + name + QStringLiteral(".lua"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("the script %s is not among the program's resources", qPrintable(name));
    m_source = file.readAll();
    m_sha1 = QCryptographicHash::hash(m_source, QCryptographicHash::Sha1).toHex();
}

QStringList Script::names()
{
    QStringList names = QDir(folder()).entryList({QStringLiteral("*.lua")});
    for (QString &name : names)
        name.chop(4);
    return names;
}

resp::Command withScriptName(resp::Command command)
{
    if (!command.callsScript())
        return command;
    const auto name = scriptNames().constFind(command.words()[1]);
    return name == scriptNames().cend() ? command : command.withWord(1, *name);
}

ScriptCall Script::on(const base::Key &key) const
{
    return ScriptCall(*this).on(key);
}

ScriptCall &&ScriptCall::on(const base::Key &key) &&
{
    m_keys.push_back(key.bytes());
    return std::move(*this);
}

ScriptCall &&ScriptCall::with(const QByteArray &argument) &&
{
    m_arguments.push_back(argument);
    return std::move(*this);
}

ScriptCall &&ScriptCall::with(const base::OwnerToken &token) &&
{
    return std::move(*this).with(token.bytes());
}

ScriptCall &&ScriptCall::with(qint64 number) &&
{
    return std::move(*this).with(QByteArray::number(number));
}

ScriptCall &&ScriptCall::with(const std::vector<QByteArray> &arguments) &&
{
    m_arguments.insert(m_arguments.end(), arguments.begin(), arguments.end());
    return std::move(*this);
}

ScriptCall &&ScriptCall::onNewConnection() &&
{
    m_onNewConnection = true;
    return std::move(*this);
}

ScriptCall &&ScriptCall::to(ServerIndex server) &&
{
    m_server = server;
    return std::move(*this);
}

ScriptCall &&ScriptCall::orSingleCommand(resp::Command single, resp::Command presence) &&
{
    m_single = Single {std::move(single), std::move(presence)};
    return std::move(*this);
}

resp::Command ScriptCall::bySha1() const
{
    return command("EVALSHA", m_script->sha1());
}

resp::Command ScriptCall::bySource() const
{
    return command("EVAL", m_script->source());
}

resp::Command ScriptCall::command(const char *name, const QByteArray &script) const
{
    resp::Command command;
    command.reserve(3 + m_keys.size() + m_arguments.size());
    command << QByteArray(name) << script << static_cast<qint64>(m_keys.size());
    for (const QByteArray &key : m_keys)
        command << key;
    for (const QByteArray &argument : m_arguments)
        command << argument;
    return command;
}

namespace {

Request evaluationRequest(const ScriptCall &evaluation, resp::Command command)
{
    Request request = Request(std::move(command)).to(evaluation.server());
    return evaluation.wantsNewConnection() ? std::move(request).onNewConnection() : request;
}

bool isUnknownScript(const Answer &answer)
{
    return !answer && answer.error().kind == ErrorKind::NoScript;
}

/// Returns whether the server rejected the command because it is unknown, has an unsupported form, or is not permitted.
/// A rejected command has no effect.
bool isRefused(const Answer &answer)
{
    return !answer
        && (answer.error().kind == ErrorKind::UnknownCommand || answer.error().kind == ErrorKind::PermissionDenied
            || answer.error().kind == ErrorKind::OtherServerError);
}

bool hasDoneIt(const Answer &answer)
{
    return answer && (answer->isOk() || answer->isInteger(1));
}

/// Returns the request that is needed after the first answer. Absent if none is needed.
std::optional<Request> nextOf(const ScriptCall &evaluation, const Answer &first)
{
    if (evaluation.single()) {
        if (isRefused(first))
            return evaluationRequest(evaluation, evaluation.bySource());
        if (first && !hasDoneIt(first))
            return Request(evaluation.single()->presence).to(evaluation.server());
    } else if (isUnknownScript(first)) {
        return evaluationRequest(evaluation, evaluation.bySource());
    }
    return std::nullopt;
}

Request firstOf(const ScriptCall &evaluation)
{
    return evaluationRequest(evaluation, evaluation.single() ? evaluation.single()->command : evaluation.bySha1());
}

/// Converts the reply to `presence` into the script's reply, after the single command had no effect. `second`: the
/// answer to `presence`.
Answer asScript(const Answer &second)
{
    // The reply to the single command has arrived: it changed nothing.
    if (!second && base::leavesOutcomeUnknown(second.error().kind))
        return base::failure(ErrorKind::Unreachable, second.error().text);
    if (!second)
        return second;
    return Reply::integer(second->isInteger(0) ? -1 : 0);
}

/// Returns the final answer. `second`: the answer to the request of nextOf(); null if there was none.
Answer combined(const ScriptCall &evaluation, Answer first, const Answer *second)
{
    if (second == nullptr)
        return evaluation.single() && hasDoneIt(first) ? Answer(Reply::integer(1)) : first;
    return evaluation.single() && first ? asScript(*second) : *second;
}

} // namespace

Exchange<Answer> tentatively(ScriptCall evaluation)
{
    Request first = firstOf(evaluation);
    const Answer answer = co_await tentatively(std::move(first));
    std::optional<Request> next = nextOf(evaluation, answer);
    if (!next)
        co_return combined(evaluation, answer, nullptr);
    const Answer secondAnswer = co_await tentatively(*std::move(next));
    co_return combined(evaluation, answer, &secondAnswer);
}

Exchange<Answers> tentatively(std::vector<ScriptCall> evaluations, std::chrono::milliseconds timeout)
{
    Batch firsts = Batch().within(timeout);
    for (const ScriptCall &evaluation : evaluations)
        firsts.add(firstOf(evaluation));
    Answers answers = co_await std::move(firsts);

    Batch nexts = Batch().within(timeout);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (std::optional<Request> next = nextOf(evaluations[i], answers[i])) {
            nexts.add(*std::move(next));
            places.push_back(i);
        } else {
            answers[i] = combined(evaluations[i], std::move(answers[i]), nullptr);
        }
    }
    if (places.empty())
        co_return answers;
    const Answers secondAnswers = co_await std::move(nexts);
    for (std::size_t i = 0; i < places.size(); ++i)
        answers[places[i]] = combined(evaluations[places[i]], std::move(answers[places[i]]), &secondAnswers[i]);
    co_return answers;
}

Exchange<Reply> evaluate(ScriptCall evaluation)
{
    const Answer answer = co_await tentatively(std::move(evaluation));
    if (!answer)
        throw base::Failure(answer.error());
    co_return *answer;
}

} // namespace latchkey::exchange

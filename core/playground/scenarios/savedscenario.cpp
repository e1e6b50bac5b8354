#include "core/playground/scenarios/savedscenario.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"
#include "core/playground/scenarios/scenariobuilder.h"
#include "core/playground/scenarios/scenarioreader.h"
#include "core/redis/resp/respjson.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace latchkey::scenarios {

using base::MonotonicTime;
using base::Text;
using files::bytesJson;
using playground::ClientEventLog;
using playground::ClientOrder;
using sequence::Mark;

namespace {

QString durationValue(std::chrono::milliseconds time)
{
    return base::formatDuration(time);
}

/// Form of an order in a file: member name and value.
struct OrderMember
{
    using Member = std::pair<QString, QJsonValue>;

    Member operator()(const playground::AcquireOrder &order) const
    {
        QJsonObject acquire {{QStringLiteral("recipe"), order.recipe},
                             {QStringLiteral("key"), bytesJson(order.options.key.bytes())}};
        if (order.options.lease)
            acquire[QStringLiteral("lease")] = durationValue(order.options.lease->duration());
        if (order.options.unit)
            acquire[QStringLiteral("unit")] =
                order.options.unit == locks::LeaseUnit::Seconds ? QStringLiteral("s") : QStringLiteral("ms");
        if (order.options.value)
            acquire[QStringLiteral("value")] = bytesJson(*order.options.value);
        if (order.wait > order.wait.zero())
            acquire[QStringLiteral("wait")] = durationValue(order.wait);
        return {QStringLiteral("acquire"), acquire};
    }
    Member operator()(const playground::ReleaseOrder & /*order*/) const { return {QStringLiteral("release"), true}; }
    Member operator()(const playground::ExtendOrder &order) const
    {
        return {QStringLiteral("extend"),
                QJsonObject {{QStringLiteral("lease"), durationValue(order.lease.duration())}}};
    }
    Member operator()(const playground::WriteOrder & /*order*/) const { return {QStringLiteral("write"), true}; }
    Member operator()(const playground::PutOrder &order) const
    {
        QJsonObject put = cache(order.options);
        put[QStringLiteral("recipe")] = order.recipe;
        if (!order.content.hasFields()) {
            put[QStringLiteral("value")] = bytesJson(order.content.value());
            return {QStringLiteral("put"), put};
        }
        QJsonObject fields;
        for (const caches::Field &field : order.content.fields())
            fields[QString::fromUtf8(field.name)] = bytesJson(field.value);
        put[QStringLiteral("fields")] = fields;
        return {QStringLiteral("put"), put};
    }
    Member operator()(const playground::GetOrder &order) const
    {
        return {QStringLiteral("get"), QJsonObject {{QStringLiteral("recipe"), order.recipe},
                                                    {QStringLiteral("key"), bytesJson(order.options.key.bytes())}}};
    }
    Member operator()(const playground::RecomputeOrder &order) const
    {
        QJsonObject recompute = cache(order.options);
        recompute[QStringLiteral("value")] = bytesJson(order.value);
        recompute[QStringLiteral("work")] = durationValue(order.work);
        return {QStringLiteral("recompute"), recompute};
    }
    Member operator()(const playground::SendOrder &order) const
    {
        return {QStringLiteral("command"), resp::commandJson(order.command)};
    }
    Member operator()(const playground::ResumeOrder & /*order*/) const { return {QStringLiteral("go_on"), true}; }
    // Stories do not have these orders; see ScenarioBuilder::add().
    Member operator()(playground::ClockOrder /*order*/) const { return {}; }
    Member operator()(playground::LoseReplyOrder /*order*/) const { return {}; }
    Member operator()(playground::ReconnectOrder /*order*/) const { return {}; }
    Member operator()(const playground::QuitOrder & /*order*/) const { return {}; }

    static QJsonObject cache(const caches::CacheOptions &options)
    {
        QJsonObject cache {{QStringLiteral("key"), bytesJson(options.key.bytes())}};
        if (options.lifetime)
            cache[QStringLiteral("lifetime")] = durationValue(options.lifetime->duration());
        if (options.onlyIfAbsent)
            cache[QStringLiteral("if_absent")] = true;
        return cache;
    }
};

QString signalWord(Signal signal)
{
    switch (signal) {
    case Signal::Crash:
        return QStringLiteral("crash");
    case Signal::Pause:
        return QStringLiteral("pause");
    case Signal::Resume:
        return QStringLiteral("resume");
    }
    Q_UNREACHABLE();
}

QJsonObject awaited(const char *what, const base::Key &key, int server)
{
    QJsonObject object {{QLatin1String(what), bytesJson(key.bytes())}, {QStringLiteral("scalable"), true}};
    if (server != 0)
        object[QStringLiteral("server")] = server;
    return object;
}

void insertAction(QJsonObject &step, const StepAction &action)
{
    const QString await = QStringLiteral("await");
    if (const auto *order = std::get_if<ClientOrder>(&action)) {
        const auto [name, value] = std::visit(OrderMember {}, *order);
        step[name] = value;
        if (const auto *send = std::get_if<playground::SendOrder>(order); send != nullptr && send->server != 0)
            step[QStringLiteral("server")] = send->server;
    } else if (const auto *signal = std::get_if<Signal>(&action)) {
        step[QStringLiteral("signal")] = signalWord(*signal);
    } else if (const auto *answer = std::get_if<AwaitAnswer>(&action)) {
        step[await] = answer->scalable ? QJsonValue(awaited("answer_after", *answer->scalable, answer->server))
                                       : QJsonValue(QStringLiteral("answer"));
    } else if (std::holds_alternative<AwaitReport>(action)) {
        step[await] = QStringLiteral("lost");
    } else if (const auto *gone = std::get_if<AwaitGone>(&action)) {
        step[await] = awaited("gone", gone->key, gone->server);
    } else if (const auto *work = std::get_if<Work>(&action)) {
        step[QStringLiteral("work")] = durationValue(work->time);
    } else if (const auto *stop = std::get_if<KillServer>(&action)) {
        step[QStringLiteral("kill_server")] = stop->server;
    }
}

QJsonObject toJson(const ScenarioBuilder::BuiltStep &made)
{
    const ScenarioStep &written = made.step;
    QString said = written.actionText().toString();
    if (std::holds_alternative<Work>(written.action))
        said = Text(QT_TRANSLATE_NOOP("core", "%1 pass"), base::formatDuration(std::get<Work>(written.action).time))
                   .toString();
    else if (!written.client.isEmpty())
        said = written.client + u' ' + said;
    said[0] = said[0].toUpper();
    QJsonObject step {{QStringLiteral("say"), said + u'.'}};
    if (!written.client.isEmpty())
        step[QStringLiteral("client")] = written.client;
    insertAction(step, written.action);
    if (written.isInBackground)
        step[QStringLiteral("background")] = true;
    if (!made.outcome.isEmpty())
        step[QStringLiteral("expect")] = QJsonObject {{QStringLiteral("outcome"), made.outcome}};
    return step;
}

/// Processes events by time. At equal times, orders and answers come before their effects.
void addSteps(ScenarioBuilder &builder, const sequence::Sequence &sequence, const ClientEventLog &eventLog)
{
    const auto &entries = eventLog.entries();
    std::vector<const Mark *> marks;
    for (const sequence::Row &row : sequence.rows()) {
        if (const auto *mark = std::get_if<Mark>(&row))
            marks.push_back(mark);
    }
    const auto isNoise = [](const Mark &mark) {
        return mark.kind == Mark::Kind::Lost || mark.kind == Mark::Kind::Taken || mark.kind == Mark::Kind::Refused;
    };
    auto mark = marks.cbegin();
    for (auto entry = entries.begin(); entry != entries.end() && !builder.isOver(); ++entry) {
        for (; mark != marks.cend() && (*mark)->at < entry->at && !builder.isOver(); ++mark)
            builder.add(**mark);
        const auto next = std::next(entry);
        const auto disturbing = std::find_if(mark, marks.cend(), [&](const Mark *each) { return !isNoise(*each); });
        builder.add(*entry, next != entries.end() && next->kind == ClientEventLog::Entry::Kind::Answered
                                && next->client == entry->client
                                && (disturbing == marks.cend() || (*disturbing)->at >= next->at));
    }
    for (; mark != marks.cend() && !builder.isOver(); ++mark)
        builder.add(**mark);
}

} // namespace

base::Result<SavedScenario> savedScenarioOf(const sequence::Sequence &sequence, const ClientEventLog &eventLog)
{
    ScenarioBuilder builder(sequence);
    addSteps(builder, sequence, eventLog);
    if (builder.steps().empty())
        return base::failure(base::ErrorKind::Usage,
                             QT_TRANSLATE_NOOP("core", "no client has done anything that a story can contain"));
    QJsonArray written;
    for (const ScenarioBuilder::BuiltStep &made : builder.steps())
        written += toJson(made);
    const auto servers = std::ranges::count(sequence.lanes(), sequence::Lane::Kind::Server, &sequence::Lane::kind);
    SavedScenario saved;
    saved.leftOut = builder.leftOut();
    if (eventLog.dropped() > 0)
        saved.leftOut.prepend(Text::counted(static_cast<qint64>(eventLog.dropped()),
                                            QT_TRANSLATE_N_NOOP("core", "the first %n orders and answers, which have "
                                                                        "been given up")));
    const QString title =
        Text(QT_TRANSLATE_NOOP("core", "What %1 did"), builder.clients().join(QStringLiteral(", "))).toString();
    const QJsonObject file {
        {QStringLiteral("format"), QStringLiteral("latchkey-story")},
        {QStringLiteral("version"), 2},
        {QStringLiteral("title"), title},
        {QStringLiteral("summary"), Text(QT_TRANSLATE_NOOP("core", "Saved from a sequence diagram.")).toString()},
        {QStringLiteral("clients"), QJsonArray::fromStringList(builder.clients())},
        {QStringLiteral("servers"), static_cast<int>(servers)},
        {QStringLiteral("steps"), written}};
    saved.file = QJsonDocument(file).toJson();
    if (const auto read = readScenario(QStringLiteral("story"), saved.file); !read)
        return base::failure(read.error());
    return saved;
}

} // namespace latchkey::scenarios

#include "core/explore/reports/sarif.h"

#include "core/foundation/base/version.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTimeZone>
#include <QUrl>

#include <algorithm>

namespace latchkey::reports {

using schedules::RecordedSchedule;
using schedules::ScheduleStep;
using Status = CheckedPromise::Status;

namespace {

QJsonObject messageOf(const QString &text)
{
    return {{QStringLiteral("text"), text}};
}

QJsonArray rulesOf(const ExplorationReport &report)
{
    QJsonArray rules;
    for (const CheckedPromise &promise : report.promises)
        rules += QJsonObject {
            {QStringLiteral("id"), promise.result.promise},
            {QStringLiteral("name"), promise.result.promise},
            {QStringLiteral("shortDescription"), messageOf(promise.definition)},
            {QStringLiteral("fullDescription"), messageOf(promise.definition)},
            {QStringLiteral("defaultConfiguration"), QJsonObject {{QStringLiteral("level"), QStringLiteral("error")}}},
        };
    return rules;
}

/// Returns the location of the subject: its file, if there is one, and its name. The exploration does not know lines.
QJsonObject locationOf(const ExplorationReport &report)
{
    QJsonObject location {{QStringLiteral("logicalLocations"),
                           QJsonArray {QJsonObject {{QStringLiteral("name"), report.displayName()}}}}};
    if (!report.source.isEmpty())
        location[QStringLiteral("physicalLocation")] = QJsonObject {
            {QStringLiteral("artifactLocation"),
             QJsonObject {{QStringLiteral("uri"),
                           QString::fromLatin1(QUrl::toPercentEncoding(report.source, QByteArrayLiteral("/:")))}}},
            {QStringLiteral("region"), QJsonObject {{QStringLiteral("startLine"), 1}}},
        };
    return location;
}

QJsonObject flowLocation(const ExplorationReport &report, const QString &text, int order)
{
    QJsonObject location = locationOf(report);
    location[QStringLiteral("message")] = messageOf(text);
    return {{QStringLiteral("executionOrder"), order}, {QStringLiteral("location"), location}};
}

/// Returns the steps as a flow per client; executionOrder is the order of all steps. Faults have a separate flow.
QJsonArray codeFlowsOf(const ExplorationReport &report, const RecordedSchedule &schedule)
{
    struct Flow
    {
        QString id;
        QJsonArray locations;
    };
    std::vector<Flow> flows;
    int order = 0;
    const auto add = [&](const QString &id, const QString &text) {
        auto flow = std::ranges::find(flows, id, &Flow::id);
        if (flow == flows.end())
            flow = flows.insert(flows.end(), {id, {}});
        flow->locations += flowLocation(report, text, ++order);
    };
    for (const resp::Command &command : schedule.setupCommands)
        add(QStringLiteral("beforehand"), command.toText());
    for (const ScheduleStep &step : schedule.steps)
        add(step.client.isEmpty() ? QStringLiteral("faults") : step.client, step.toText(schedule.servers).english());
    QJsonArray threads;
    for (const Flow &flow : flows)
        threads += QJsonObject {{QStringLiteral("id"), flow.id}, {QStringLiteral("locations"), flow.locations}};
    return {QJsonObject {{QStringLiteral("threadFlows"), threads}}};
}

QString fingerprintOf(const ExplorationReport &report, const CheckedPromise &promise)
{
    const QStringList parts {report.subject, report.form, promise.result.promise};
    return QString::fromLatin1(
        QCryptographicHash::hash(parts.join(QChar(0)).toUtf8(), QCryptographicHash::Sha256).toHex());
}

QJsonObject propertiesOf(const CheckedPromise &promise)
{
    QJsonObject object {
        {QStringLiteral("promise"), promise.result.promise},
        {QStringLiteral("verdict"), statusId(promise.status())},
    };
    if (!promise.isAnswered)
        return object;
    object[QStringLiteral("claimed")] = promise.result.claimed;
    object[QStringLiteral("clients")] = promise.result.clients;
    object[QStringLiteral("complete")] = promise.result.complete;
    object[QStringLiteral("schedules")] = promise.result.schedules;
    object[QStringLiteral("states")] = static_cast<qint64>(promise.result.states);
    object[QStringLiteral("summary")] = promise.summary;
    return object;
}

QJsonObject resultOf(const ExplorationReport &report, const CheckedPromise &promise, qsizetype rule)
{
    const bool isFailure = promise.status() == Status::Broken || promise.status() == Status::Known;
    QString text = QStringLiteral("%1: %2 is broken: %3")
                       .arg(report.displayName(), promise.result.promise, promise.result.violation);
    QJsonObject properties = propertiesOf(promise);
    properties[QStringLiteral("bounds")] = report.bounds;
    QJsonObject result {
        {QStringLiteral("ruleId"), promise.result.promise},
        {QStringLiteral("ruleIndex"), rule},
        // SARIF requires the level `none` for every kind but `fail`.
        {QStringLiteral("kind"), isFailure ? QStringLiteral("fail") : QStringLiteral("informational")},
        {QStringLiteral("level"), isFailure ? QStringLiteral("error") : QStringLiteral("none")},
        {QStringLiteral("locations"), QJsonArray {locationOf(report)}},
        {QStringLiteral("partialFingerprints"),
         QJsonObject {{QStringLiteral("latchkeyPromise/v1"), fingerprintOf(report, promise)}}},
        {QStringLiteral("properties"), properties},
    };
    if (const auto &schedule = promise.result.counterexample) {
        text += u'\n' + stepLines(*schedule).join(u'\n');
        result[QStringLiteral("codeFlows")] = codeFlowsOf(report, *schedule);
    }
    if (promise.status() == Status::Known)
        result[QStringLiteral("suppressions")] =
            QJsonArray {QJsonObject {{QStringLiteral("kind"), QStringLiteral("external")},
                                     {QStringLiteral("justification"), QStringLiteral("listed in the baseline")}}};
    result[QStringLiteral("message")] = messageOf(text);
    return result;
}

QJsonObject notificationOf(const QString &id, const QString &level, const QString &text)
{
    return {
        {QStringLiteral("descriptor"), QJsonObject {{QStringLiteral("id"), id}}},
        {QStringLiteral("level"), level},
        {QStringLiteral("message"), messageOf(text)},
    };
}

QJsonArray notificationsOf(const ExplorationReport &report)
{
    const auto noVerdict = QStringLiteral("no-verdict");
    const auto error = QStringLiteral("error");
    QJsonArray notifications;
    for (std::size_t i = 0; i < report.promises.size(); ++i) {
        const CheckedPromise &promise = report.promises[i];
        if (promise.isFixed())
            notifications +=
                notificationOf(QStringLiteral("mended"), QStringLiteral("note"),
                               promise.result.promise + QStringLiteral(": holds; it can be removed from the baseline"));
        if (promise.status() != Status::Unknown)
            continue;
        QJsonObject notification =
            notificationOf(noVerdict, error, promise.result.promise + QStringLiteral(": ") + report.reasonFor(promise));
        notification[QStringLiteral("associatedRule")] =
            QJsonObject {{QStringLiteral("id"), promise.result.promise}, {QStringLiteral("index"), qint64(i)}};
        notifications += notification;
    }
    if (!report.failure.isEmpty())
        notifications += notificationOf(QStringLiteral("failure"), error, report.failure);
    return notifications;
}

QJsonObject invocationOf(const ExplorationReport &report)
{
    const auto began = QDateTime::fromMSecsSinceEpoch(report.began.time_since_epoch().count(), QTimeZone::utc());
    const bool isSuccessful = report.failure.isEmpty() && std::ranges::none_of(report.promises, [](const auto &one) {
                                  return one.status() == Status::Unknown;
                              });
    return {
        {QStringLiteral("executionSuccessful"), isSuccessful},
        {QStringLiteral("startTimeUtc"), began.toString(QStringLiteral("yyyy-MM-dd'T'HH:mm:ss.zzz'Z'"))},
        {QStringLiteral("toolExecutionNotifications"), notificationsOf(report)},
    };
}

QJsonObject runOf(const ExplorationReport &report)
{
    QJsonArray results;
    QJsonArray verdicts;
    for (std::size_t i = 0; i < report.promises.size(); ++i) {
        const CheckedPromise &promise = report.promises[i];
        verdicts += propertiesOf(promise);
        if (promise.isAnswered && promise.result.verdict == races::Verdict::Broken)
            results += resultOf(report, promise, static_cast<qsizetype>(i));
    }
    const QJsonArray notifications {QJsonObject {{QStringLiteral("id"), QStringLiteral("no-verdict")}},
                                    QJsonObject {{QStringLiteral("id"), QStringLiteral("failure")}},
                                    QJsonObject {{QStringLiteral("id"), QStringLiteral("mended")}}};
    const QJsonObject driver {
        {QStringLiteral("name"), QStringLiteral("Latchkey")},
        {QStringLiteral("version"), base::programVersion()},
        {QStringLiteral("rules"), rulesOf(report)},
        {QStringLiteral("notifications"), notifications},
    };
    return {
        {QStringLiteral("tool"), QJsonObject {{QStringLiteral("driver"), driver}}},
        // Runs of one file need different categories.
        {QStringLiteral("automationDetails"),
         QJsonObject {{QStringLiteral("id"), QStringLiteral("latchkey-explore/%1/").arg(report.displayName())}}},
        {QStringLiteral("columnKind"), QStringLiteral("utf16CodeUnits")},
        {QStringLiteral("invocations"), QJsonArray {invocationOf(report)}},
        {QStringLiteral("results"), results},
        {QStringLiteral("properties"), QJsonObject {{QStringLiteral("bounds"), report.bounds},
                                                    {QStringLiteral("promises"), verdicts},
                                                    {QStringLiteral("seconds"), report.seconds}}},
    };
}

} // namespace

QByteArray toSarif(const std::vector<ExplorationReport> &reports)
{
    QJsonArray runs;
    for (const ExplorationReport &report : reports)
        runs += runOf(report);
    return QJsonDocument(
               QJsonObject {
                   {QStringLiteral("$schema"), QStringLiteral("https://json.schemastore.org/sarif-2.1.0.json")},
                   {QStringLiteral("version"), QStringLiteral("2.1.0")},
                   {QStringLiteral("runs"), runs},
               })
        .toJson();
}

} // namespace latchkey::reports

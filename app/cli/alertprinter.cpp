#include "app/cli/alertprinter.h"

#include "app/cli/colours.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/base/terminaltext.h"
#include "core/foundation/files/json.h"
#include "core/inspect/history/holdjson.h"

#include <QDateTime>

#include <cstdio>

namespace latchkey::cli {

using alerts::Alert;
using alerts::AlertEnd;
using help::CommandLine;

namespace {

/// Returns the word for the end of the hold; absent if the lock is still held.
std::optional<QLatin1String> endOf(const AlertEnd &end)
{
    if (!end.isLockGone)
        return std::nullopt;
    return end.hold ? history::endWord(*end.hold) : QLatin1String("ended");
}

qint64 unixTime(const base::Clock &clock, base::MonotonicTime time)
{
    return clock.wallAt(time).time_since_epoch().count();
}

QString reasonOf(const Alert &alert, const AlertEnd *end)
{
    if (end == nullptr)
        return alert.reason.toString();
    const QString lasted = base::displayDuration(end->at - alert.raisedAt);
    if (const auto word = endOf(*end))
        return CommandLine::tr("%1, after %2").arg(*word, lasted);
    return alert.key ? CommandLine::tr("still held, after %1").arg(lasted) : CommandLine::tr("after %1").arg(lasted);
}

} // namespace

base::Result<std::vector<alerts::AlertRule>> AlertPrinter::rulesFrom(const Arguments &arguments)
{
    std::vector<alerts::AlertRule> rules;
    for (const QString &text : arguments.texts("alert")) {
        const auto rule = alerts::parseAlertRule(text);
        if (!rule)
            return base::failure(rule.error().during(QStringLiteral("--alert: \"%1\"").arg(text)));
        rules.push_back(*rule);
    }
    return rules;
}

QJsonObject AlertPrinter::toJson(const Event &event) const
{
    const auto &[alert, end, node] = event;
    QJsonObject line;
    line[QStringLiteral("at_ms")] = unixTime(m_clock, end == nullptr ? alert.raisedAt : end->at);
    line[QStringLiteral("event")] = QLatin1String(end == nullptr ? "alert" : "over");
    line[QStringLiteral("rule")] = alert.rule.text;
    line[QStringLiteral("key")] = QJsonValue::Null;
    if (alert.key)
        files::insertBytes(line, QStringLiteral("key"), *alert.key);
    line[QStringLiteral("holder")] = QJsonValue::Null;
    if (alert.holder)
        files::insertBytes(line, QStringLiteral("holder"), *alert.holder);
    line[QStringLiteral("reason")] = reasonOf(alert, end);
    if (!node.isEmpty())
        line[QStringLiteral("node")] = node;
    if (end == nullptr) {
        line[QStringLiteral("held_ms")] =
            alert.heldFor ? QJsonValue(qint64(std::chrono::floor<std::chrono::milliseconds>(*alert.heldFor).count()))
                          : QJsonValue();
    } else {
        line[QStringLiteral("raised_ms")] = unixTime(m_clock, alert.raisedAt);
        const auto word = endOf(*end);
        line[QStringLiteral("end")] = word ? QJsonValue(*word) : QJsonValue();
    }
    return line;
}

QJsonObject AlertPrinter::print(const Event &event) const
{
    const auto &[alert, end, node] = event;
    const QJsonObject line = toJson(event);
    if (m_json) {
        printBytes(files::toLine(line) + '\n');
    } else {
        const bool isOver = end != nullptr;
        const QString word = QStringLiteral("%1").arg(QLatin1String(isOver ? "over" : "alert"), -11);
        const QString text = QStringLiteral("%1  %2  %3  %4  (%5: %6)\n")
                                 .arg(QDateTime::fromMSecsSinceEpoch(line[QStringLiteral("at_ms")].toInteger())
                                          .toString(QStringLiteral("HH:mm:ss.zzz")),
                                      coloured(word, isOver ? Colour::Good : Colour::Caution))
                                 .arg(alert.holder ? base::printable(*alert.holder) : QStringLiteral("-"), -36)
                                 .arg(alert.key        ? base::printable(*alert.key)
                                      : node.isEmpty() ? QStringLiteral("-")
                                                       : node,
                                      base::terminalText(alert.rule.text), line[QStringLiteral("reason")].toString());
        printBytes(text.toUtf8());
    }
    std::fflush(stdout);
    return line;
}

} // namespace latchkey::cli

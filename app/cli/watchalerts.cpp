#include "app/cli/watchalerts.h"

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

/// Returns a variable of the command's environment. A value with a null byte cannot be passed: it is in the JSON only.
process::Launch::Variable variable(const char *name, const std::optional<QByteArray> &value)
{
    return {QByteArray("LATCHKEY_ALERT_") + name, value && !value->contains('\0') ? value : std::nullopt};
}

} // namespace

base::Result<WatchAlerts::Options> WatchAlerts::optionsFrom(const Arguments &arguments)
{
    Options options;
    for (const QString &text : arguments.texts("alert")) {
        const auto rule = alerts::parseAlertRule(text);
        if (!rule)
            return base::failure(rule.error().during(QStringLiteral("--alert: \"%1\"").arg(text)));
        options.rules.push_back(*rule);
    }
    options.command = arguments.bytes("exec");
    if (arguments.isSet("exec") && options.rules.empty())
        return base::failure(base::ErrorKind::Usage, CommandLine::tr("--exec: for alerts, so with --alert"));
    if (arguments.isSet("exec") && options.command.trimmed().isEmpty())
        return base::failure(base::ErrorKind::Usage, CommandLine::tr("--exec: the command is empty"));
    const auto longest = arguments.duration("exec-timeout");
    if (!longest)
        return base::failure(longest.error());
    if (*longest && !arguments.isSet("exec"))
        return base::failure(base::ErrorKind::Usage, CommandLine::tr("--exec-timeout: of a command, so with --exec"));
    options.maxCallTime = longest->value_or(options.maxCallTime);
    if (options.maxCallTime.count() <= 0)
        return base::failure(base::ErrorKind::Usage, CommandLine::tr("--exec-timeout: it must be longer than zero"));
    return options;
}

QList<QCommandLineOption> WatchAlerts::options()
{
    return {
        makeOption("alert", "RULE",
                   CommandLine::tr("print a line when a lock meets RULE, and when that is over; see below. Can be "
                                   "repeated. Events of locks are then printed only with --event")),
        makeOption("exec", "COMMAND",
                   CommandLine::tr("run COMMAND with /bin/sh for each alert and its end; its data are in the "
                                   "environment and the standard input, see below")),
        makeOption("exec-timeout", "DURATION", CommandLine::tr("kill COMMAND after this time; default 30s")),
    };
}

WatchAlerts::WatchAlerts(WatchedServers &servers, const base::Clock &clock, const Options &options,
                         const base::Globs &globs, bool json, std::function<void(bool)> printed)
    : m_clock(clock)
    , m_json(json)
    , m_server(servers.first().endpoint().toUrl())
    , m_printed(std::move(printed))
    , m_alerts(servers, clock, options.rules, globs)
{
    connect(&m_alerts, &ServerAlerts::raised, this,
            [this](const Alert &alert, const QString &node) { report({alert, nullptr, node}); });
    connect(&m_alerts, &ServerAlerts::over, this,
            [this](const Alert &alert, const AlertEnd &end, const QString &node) { report({alert, &end, node}); });
}

base::Result<void> WatchAlerts::prepareCommand(const Options &options)
{
    if (options.command.isEmpty())
        return {};
    auto hook = AlertHook::start(options.command, options.maxCallTime);
    if (!hook)
        return base::failure(
            base::ErrorKind::Local,
            CommandLine::tr("--exec: cannot start a process: %1").arg(QString::fromStdString(hook.error().message())));
    m_hook = std::move(*hook);
    return {};
}

void WatchAlerts::finish(bool isStopped, std::function<void()> done)
{
    m_isFinished = true;
    if (m_hook && isStopped)
        m_hook->stop();
    if (!m_hook || m_hook->isIdle())
        return done();
    connect(m_hook.get(), &AlertHook::idle, this, std::move(done), Qt::SingleShotConnection);
}

ExitCode WatchAlerts::exitCode(ExitCode seen) const
{
    if (m_alerts.isIncomplete())
        printError(CommandLine::tr("watch: there are more locks than can be followed; alerts may be missing"));
    const bool isMissing = m_alerts.isIncomplete() || (m_hook && m_hook->hasFailed());
    return isMissing ? ExitCode::Error : seen;
}

void WatchAlerts::report(const Event &event)
{
    if (m_isFinished)
        return;
    const QJsonObject line = toJson(event);
    print(event, line);
    if (m_hook)
        callHook(event, line);
    m_printed(event.end == nullptr);
}

QJsonObject WatchAlerts::toJson(const Event &event) const
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

void WatchAlerts::print(const Event &event, const QJsonObject &line) const
{
    const auto &[alert, end, node] = event;
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
                                      base::terminalText(alert.rule.text), reasonOf(alert, end));
        printBytes(text.toUtf8());
    }
    std::fflush(stdout);
}

void WatchAlerts::callHook(const Event &event, const QJsonObject &line)
{
    const auto &[alert, end, node] = event;
    AlertHook::Call call;
    call.alert = alert.rule.text.toUtf8() + '\0' + alert.key.value_or(node.toUtf8());
    call.title = alert.key ? QStringLiteral("%1 \"%2\"").arg(alert.rule.text, base::printable(*alert.key, 100))
                           : alert.rule.text;
    call.environment = {
        variable("EVENT", QByteArray(end == nullptr ? "alert" : "over")),
        variable("RULE", alert.rule.text.toUtf8()),
        variable("KEY", alert.key),
        variable("HOLDER", alert.holder),
        variable("REASON", reasonOf(alert, end).toUtf8()),
        variable("AT_MS", QByteArray::number(line[QStringLiteral("at_ms")].toInteger())),
        variable("SERVER", m_server.toUtf8()),
        variable("NODE", node.isEmpty() ? std::nullopt : std::optional(node.toUtf8())),
    };
    call.input = files::toLine(line) + '\n';
    m_hook->call(std::move(call));
}

} // namespace latchkey::cli

#include "app/cli/watchalerts.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/base/terminaltext.h"
#include "core/foundation/files/json.h"

namespace latchkey::cli {

using alerts::Alert;
using alerts::AlertEnd;
using help::CommandLine;

namespace {

/// Returns a variable of the command's environment. A value with a null byte cannot be passed: it is in the JSON only.
process::Launch::Variable variable(const char *name, const std::optional<QByteArray> &value)
{
    return {QByteArray("LATCHKEY_ALERT_") + name, value && !value->contains('\0') ? value : std::nullopt};
}

} // namespace

base::Result<WatchAlerts::Options> WatchAlerts::optionsFrom(const Arguments &arguments)
{
    Options options;
    auto rules = AlertPrinter::rulesFrom(arguments);
    if (!rules)
        return base::failure(rules.error());
    options.rules = std::move(*rules);
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
    : m_printer(clock, json)
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

void WatchAlerts::report(const AlertPrinter::Event &event)
{
    if (m_isFinished)
        return;
    const QJsonObject line = m_printer.print(event);
    if (m_hook)
        callHook(event, line);
    m_printed(event.end == nullptr);
}

void WatchAlerts::callHook(const AlertPrinter::Event &event, const QJsonObject &line)
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
        variable("REASON", line[QStringLiteral("reason")].toString().toUtf8()),
        variable("AT_MS", QByteArray::number(line[QStringLiteral("at_ms")].toInteger())),
        variable("SERVER", m_server.toUtf8()),
        variable("NODE", node.isEmpty() ? std::nullopt : std::optional(node.toUtf8())),
    };
    call.input = files::toLine(line) + '\n';
    m_hook->call(std::move(call));
}

} // namespace latchkey::cli

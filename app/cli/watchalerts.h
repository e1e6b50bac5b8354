#pragma once

#include "app/cli/alerthook.h"
#include "app/cli/alertprinter.h"
#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"
#include "app/cli/serveralerts.h"

#include <functional>

namespace latchkey::cli {

/// The alerts of `watch --alert`. Prints a line when an alert is raised and when it ends, and passes both events to the
/// command of --exec. Owned by the command; servers and clock are not owned.
class WatchAlerts final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WatchAlerts)

public:
    /// The options --alert, --exec and --exec-timeout.
    struct Options
    {
        std::vector<alerts::AlertRule> rules;
        QByteArray command; ///< Empty: none.
        std::chrono::milliseconds maxCallTime = AlertHook::defaultTimeout;
    };
    /// Reads the options. Error (Usage): an invalid rule, or --exec without a rule.
    [[nodiscard]] static base::Result<Options> optionsFrom(const Arguments &arguments);
    [[nodiscard]] static QList<QCommandLineOption> options();

    /// `printed`: called after each line; its argument is true for a line about a raised alert.
    WatchAlerts(WatchedServers &servers, const base::Clock &clock, const Options &options, const base::Globs &globs,
                bool json, std::function<void(bool isRaised)> printed);

    /// Prepares the command of --exec, if there is one. Error (Local): the system cannot start a process.
    [[nodiscard]] base::Result<void> prepareCommand(const Options &options);
    /// Stops printing. Calls `done` when no command runs: at once if `isStopped`, which kills the running commands.
    void finish(bool isStopped, std::function<void()> done);
    /// Returns the exit code, which also reports failures of the command and missing locks. `seen`: exit code of the
    /// events.
    [[nodiscard]] ExitCode exitCode(ExitCode seen) const;

private:
    void report(const AlertPrinter::Event &event);
    void callHook(const AlertPrinter::Event &event, const QJsonObject &line);

    const AlertPrinter m_printer;
    const QString m_server; ///< URL without the password.
    const std::function<void(bool)> m_printed;
    ServerAlerts m_alerts;
    std::unique_ptr<AlertHook> m_hook; ///< Null without --exec.
    bool m_isFinished = false;
};

} // namespace latchkey::cli

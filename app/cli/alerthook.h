#pragma once

#include "core/foundation/process/child.h"
#include "core/foundation/process/orphanreaper.h"

#include <QTimer>

#include <deque>
#include <memory>
#include <vector>

namespace latchkey::cli {

/// The command of `watch --exec`, which is run for each alert and its end.
///
/// The shell receives the command unchanged. The data of the alert are in environment variables and, as a line of JSON,
/// in its standard input, so no key can inject code. Its output goes to standard error. Number and time are limited: at
/// most `mostAtOnce` run at once, those of one alert in order, each for a limited time; at most `mostWaiting` wait.
/// A failure is told. All processes end with this object. Owned by a WatchAlerts.
class AlertHook final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AlertHook)

public:
    static constexpr std::size_t mostAtOnce = 4;
    static constexpr std::size_t mostWaiting = 100;
    static constexpr std::chrono::seconds usualLongest {30};

    /// A run of the command.
    struct Call
    {
        QByteArray alert; ///< Identity of the alert: calls with the same one run in order.
        QString title;    ///< The alert in messages.
        QList<process::Launch::Variable> environment;
        QByteArray input;
    };

    /// `longest`: the time after which a call is killed. Error: the system cannot start a process.
    [[nodiscard]] static tl::expected<std::unique_ptr<AlertHook>, std::error_code> start(
        const QByteArray &command, std::chrono::milliseconds longest);
    ~AlertHook() override;

    void call(Call call);
    [[nodiscard]] bool isIdle() const { return m_running.empty() && m_waiting.empty(); }
    /// Whether a call failed, took too long or was dropped.
    [[nodiscard]] bool hasFailed() const { return m_hasFailed; }
    /// Kills the running calls and drops the waiting ones. Tells their number.
    void stop();

Q_SIGNALS:
    /// No call runs or waits any more.
    void idle();

private:
    /// A call that runs.
    struct Running
    {
        Call call;
        process::Child child;
        QTimer limit;
    };

    AlertHook(QByteArray command, std::chrono::milliseconds longest, process::OrphanReaper reaper);

    void next();
    void run(Call call);
    void ended(const Running *running);
    void fail(const QString &message);

    const QByteArray m_command;
    const std::chrono::milliseconds m_longest;
    process::OrphanReaper m_reaper; ///< Outlives the calls.
    std::deque<Call> m_waiting;
    std::vector<std::unique_ptr<Running>> m_running;
    bool m_isFullSaid = false; ///< Whether the present overflow of the queue was told.
    bool m_hasFailed = false;
};

} // namespace latchkey::cli

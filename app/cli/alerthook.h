#pragma once

#include "core/foundation/process/child.h"
#include "core/foundation/process/orphanreaper.h"

#include <QTimer>

#include <deque>
#include <memory>
#include <vector>

namespace latchkey::cli {

/// The command of `watch --exec`, which runs for each raised alert and for its end.
///
/// The shell receives the command unchanged. The alert data are passed in environment variables and as a JSON line on
/// standard input, so no key can inject code. The output of the command goes to standard error. At most `maxConcurrent`
/// calls run at once, each for a limited time; calls for the same alert run in order. At most `maxWaiting` calls wait,
/// and further alerts are dropped. Failures are printed to standard error. The destructor kills all processes. Owned by
/// a WatchAlerts.
class AlertHook final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AlertHook)

public:
    static constexpr std::size_t maxConcurrent = 4;
    static constexpr std::size_t maxWaiting = 100;
    static constexpr std::chrono::seconds defaultTimeout {30};

    /// A run of the command.
    struct Call
    {
        QByteArray alert; ///< Identity of the alert: calls with the same identity run in order.
        QString title;    ///< The alert in messages.
        QList<process::Launch::Variable> environment;
        QByteArray input;
    };

    /// Creates the hook. `longest`: time after which a call is killed. Error: the system cannot start a process.
    [[nodiscard]] static tl::expected<std::unique_ptr<AlertHook>, std::error_code> start(
        const QByteArray &command, std::chrono::milliseconds longest);
    ~AlertHook() override;

    /// Queues a call, and starts it as soon as possible. Drops it if too many calls wait.
    void call(Call call);
    [[nodiscard]] bool isIdle() const { return m_running.empty() && m_waiting.empty(); }
    /// Returns whether a call failed, took too long or was dropped.
    [[nodiscard]] bool hasFailed() const { return m_hasFailed; }
    /// Kills the running calls and drops the waiting ones. Prints their number.
    void stop();

Q_SIGNALS:
    /// Emitted when no call runs or waits.
    void idle();

private:
    /// A running call.
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
    process::OrphanReaper m_reaper; ///< Outlives the running calls.
    std::deque<Call> m_waiting;
    std::vector<std::unique_ptr<Running>> m_running;
    bool m_isOverflowReported = false; ///< Whether the current overflow of the queue was reported.
    bool m_hasFailed = false;
};

} // namespace latchkey::cli

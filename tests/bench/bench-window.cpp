// The window, offscreen.
//   bench-window first-paint URL STARTED   prints the milliseconds from STARTED (CLOCK_BOOTTIME, in ns) to the first
//                                          frame
//   bench-window million URL               watches a server with very many keys; prints as JSON the time of the scan,
//                                          the delay of the event loop during it, and the cost of the countdown
//   bench-window flush URL                 watches the same keys, deletes them with FLUSHALL, and prints the
//                                          milliseconds from the server's reply until the table is empty
//   bench-window idle URL                  prints as JSON the share of a core that the window uses while idle, before
//                                          and after the Playground has been opened and left again

#include "tests/bench/benchwindow.h"
#include "tests/bench/loopdelay.h"

#include <QAbstractButton>
#include <QApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>

using namespace bench;
using ui::keytable::KeyTableView;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

/// A meter that prints the time until the window's first frame is painted, and ends the program.
class FirstPaint final : public QObject
{
public:
    FirstPaint(QWidget &window, base::MonotonicTime started)
        : m_started(started)
    {
        window.installEventFilter(this);
    }

    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Paint && !m_seen) {
            m_seen = true;
            // Wait for the rest of the frame.
            QMetaObject::invokeMethod(
                this,
                [this] {
                    const std::chrono::duration<double, std::milli> passed = now() - m_started;
                    std::printf("%.3f\n", passed.count());
                    std::fflush(stdout);
                    QCoreApplication::quit();
                },
                Qt::QueuedConnection);
        }
        return QObject::eventFilter(watched, event);
    }

private:
    const base::MonotonicTime m_started;
    bool m_seen = false;
};

/// A counter of frames: counts the paint events of a widget.
class Frames final : public QObject
{
public:
    explicit Frames(QWidget &widget) { widget.installEventFilter(this); }
    bool eventFilter(QObject *, QEvent *event) override
    {
        count += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }
    int count = 0;
};

class Million final : public QObject
{
public:
    Million(ui::shell::MainWindow &window, ui::shell::Workspace &workspace, const net::Endpoint &endpoint)
        : m_workspace(workspace)
        , m_endpoint(endpoint)
        , m_table(*window.findChild<ui::inspector::InspectorPage *>()->findChild<KeyTableView *>())
        , m_frames(*m_table.viewport())
    {
        m_workspace.open(endpoint);
        Watcher &watcher = m_workspace.inspected()->watcher();
        connect(&watcher, &Watcher::phaseChanged, this, [this](Watcher::Phase phase) {
            if (phase != Watcher::Phase::FirstScan)
                return;
            m_scanStart = now();
            m_delay.start();
        });
        connect(&watcher, &Watcher::ticked, this, &Million::look);
        // The countdown changes all the time, sixty times a second.
        m_repaint.setTimerType(Qt::PreciseTimer);
        connect(&m_repaint, &QTimer::timeout, this, [this] { updateCountdown(); });
        m_repaint.start(16ms);
    }

private:
    void updateCountdown()
    {
        constexpr int column = ui::keytable::KeyTableModel::TimeLeftColumn;
        m_table.viewport()->update(m_table.columnViewportPosition(column), 0, m_table.columnWidth(column),
                                   m_table.viewport()->height());
    }

    void look()
    {
        if (m_isDone || m_workspace.inspected()->watcher().phase() != Watcher::Phase::Watching)
            return;
        const rows::RowList &rows = m_table.keyModel()->rows();
        if (rows.isSorting() || rows.rowCount() != rows.store().liveCount())
            return;
        // All keys have arrived and are sorted.
        m_isDone = true;
        m_delay.stop();
        m_repaint.stop();
        const std::chrono::duration<double> seconds = now() - m_scanStart;
        m_result[QStringLiteral("scan_seconds")] = seconds.count();
        m_result[QStringLiteral("keys")] = static_cast<qint64>(rows.rowCount());
        m_result[QStringLiteral("frames_during_scan")] = m_frames.count;
        m_result[QStringLiteral("loop_delay_p99_ms")] = m_delay.quantile(0.99);
        m_result[QStringLiteral("loop_delay_max_ms")] = m_delay.quantile(1.0);
        m_result[QStringLiteral("loop_delay_samples")] = static_cast<qint64>(m_delay.samples());
        waitForLocks();
    }

    /// Waits until the locks are recognised. All keys have names of locks, so the maximum number of values is read.
    void waitForLocks()
    {
        const detection::LockFinder &locks = m_workspace.inspected()->locks();
        if (!locks.isIdle()) {
            QTimer::singleShot(100ms, this, &Million::waitForLocks);
            return;
        }
        const std::chrono::duration<double> seconds = now() - m_scanStart;
        m_result[QStringLiteral("recognised_seconds")] = seconds.count();
        m_result[QStringLiteral("locks")] = static_cast<qint64>(locks.lockCount());
        writeUrgentKeys();
        // Wait until the keys are found and the window is idle.
        QTimer::singleShot(3s, this, &Million::measureCountdown);
    }

    /// Writes a screenful of leases that expire soon. Their milliseconds are shown, so sixty frames a second are due.
    void writeUrgentKeys()
    {
        const auto connection = dial(m_endpoint);
        for (int i = 0; i < 60; ++i)
            (void)ask(*connection,
                      {"SET", "bench:urgent:" + QByteArray::number(i), "v", "PX", QByteArray::number(13'000 + i)});
    }

    void measureCountdown()
    {
        // The poll has a cost that is not part of the countdown.
        m_workspace.inspected()->watcher().setPaused(true);
        QTimer::singleShot(1s, this, [this] {
            m_frames.count = 0;
            m_cpuStart = cpuSeconds();
            QTimer::singleShot(measured, Qt::PreciseTimer, this, [this] {
                m_withCountdown = cpuSeconds() - m_cpuStart;
                m_result[QStringLiteral("countdown_frames_per_second")] =
                    m_frames.count / std::chrono::duration<double>(measured).count();
                m_table.viewport()->setUpdatesEnabled(false);
                m_cpuStart = cpuSeconds();
                QTimer::singleShot(measured, Qt::PreciseTimer, this, &Million::finish);
            });
        });
    }

    void finish()
    {
        const double without = cpuSeconds() - m_cpuStart;
        m_result[QStringLiteral("countdown_core_share")] =
            (m_withCountdown - without) / std::chrono::duration<double>(measured).count();
        std::printf("%s\n", QJsonDocument(m_result).toJson(QJsonDocument::Compact).constData());
        std::fflush(stdout);
        QCoreApplication::quit();
    }

    static constexpr std::chrono::milliseconds measured = 4s;

    ui::shell::Workspace &m_workspace;
    const net::Endpoint m_endpoint;
    KeyTableView &m_table;
    Frames m_frames;
    LoopDelay m_delay;
    QTimer m_repaint;
    base::MonotonicTime m_scanStart;
    double m_cpuStart = 0;
    double m_withCountdown = 0;
    bool m_isDone = false;
    QJsonObject m_result;
};

/// Measures how long deleted keys stay on screen after a FLUSHALL.
class Flush final : public QObject
{
public:
    Flush(ui::shell::MainWindow &window, ui::shell::Workspace &workspace, const net::Endpoint &endpoint)
        : m_workspace(workspace)
        , m_endpoint(endpoint)
        , m_table(*window.findChild<ui::inspector::InspectorPage *>()->findChild<KeyTableView *>())
    {
        m_workspace.open(endpoint);
        connect(&m_workspace.inspected()->watcher(), &Watcher::ticked, this, &Flush::look);
    }

private:
    void look()
    {
        const rows::RowList &rows = m_table.keyModel()->rows();
        if (m_flushed) {
            if (rows.rowCount() > 0)
                return;
            const std::chrono::duration<double, std::milli> passed = now() - *m_flushed;
            std::printf("%.1f\n", passed.count());
            std::fflush(stdout);
            QCoreApplication::quit();
            return;
        }
        const Watcher &watcher = m_workspace.inspected()->watcher();
        if (watcher.phase() != Watcher::Phase::Watching || rows.isSorting()
            || rows.rowCount() != rows.store().liveCount() || m_isWaiting)
            return;
        m_isWaiting = true;
        QTimer::singleShot(1s, this, [this] {
            (void)ask(*dial(m_endpoint), {"FLUSHALL"});
            m_flushed = now();
        });
    }

    ui::shell::Workspace &m_workspace;
    const net::Endpoint m_endpoint;
    KeyTableView &m_table;
    bool m_isWaiting = false;
    std::optional<base::MonotonicTime> m_flushed;
};

/// Measures the CPU time of the idle window.
class Idle final : public QObject
{
public:
    Idle(ui::shell::MainWindow &window, ui::shell::Workspace &workspace, const net::Endpoint &endpoint)
        : m_window(window)
    {
        workspace.open(endpoint);
        QTimer::singleShot(2s, this, [this] {
            measure(QStringLiteral("without_playground"), [this] {
                press("playgroundButton");
                for (int i = 0; i < 4; ++i)
                    press("addClient");
                QTimer::singleShot(3s, this, [this] {
                    // One of the clients holds the lock, the others wait for it.
                    for (auto *acquire : m_window.findChildren<QAbstractButton *>(QStringLiteral("acquire")))
                        acquire->click();
                    press("inspectorButton");
                    QTimer::singleShot(1s, this, [this] {
                        measure(QStringLiteral("with_playground"), [this] {
                            std::printf("%s\n", QJsonDocument(m_result).toJson(QJsonDocument::Compact).constData());
                            std::fflush(stdout);
                            QCoreApplication::quit();
                        });
                    });
                });
            });
        });
    }

private:
    void press(const char *name) { m_window.findChild<QAbstractButton *>(QLatin1String(name))->click(); }
    void measure(const QString &name, std::function<void()> then)
    {
        const double start = cpuSeconds();
        QTimer::singleShot(measured, Qt::PreciseTimer, this, [this, name, start, then = std::move(then)] {
            m_result[name] = (cpuSeconds() - start) / std::chrono::duration<double>(measured).count();
            then();
        });
    }

    static constexpr std::chrono::milliseconds measured = 6s;
    ui::shell::MainWindow &m_window;
    QJsonObject m_result;
};

} // namespace

int main(int argc, char *argv[])
{
    if (argc < 3)
        fail(QStringLiteral("see the comment at the top of its source"));
    QApplication application(argc, argv);
    const auto endpoint = net::Endpoint::fromUrl(QString::fromLocal8Bit(argv[2]));
    if (!endpoint)
        fail(endpoint.error().message());
    Window all(application);
    ui::shell::Workspace &workspace = all.workspace;
    ui::shell::MainWindow &window = all.window;

    if (QByteArrayView(argv[1]) == "first-paint") {
        const FirstPaint firstPaint(window, base::MonotonicTime(std::chrono::nanoseconds(std::atoll(argv[3]))));
        window.show();
        workspace.open(*endpoint);
        return QApplication::exec();
    }
    window.show();
    if (QByteArrayView(argv[1]) == "flush") {
        const Flush flush(window, workspace, *endpoint);
        return QApplication::exec();
    }
    if (QByteArrayView(argv[1]) == "idle") {
        const Idle idle(window, workspace, *endpoint);
        return QApplication::exec();
    }
    const Million million(window, workspace, *endpoint);
    return QApplication::exec();
}

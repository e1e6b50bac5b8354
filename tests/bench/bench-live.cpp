// The window, offscreen, while the server changes. Each measurement prints one JSON object.
//   bench-live changes URL   1,000 changes a second, keys created and deleted: the time of each change from before
//                            sending it until its row appears or disappears
//   bench-live lapses URL    200 leases that expire: the time from the expiry until the row disappears
//   bench-live watch URL     the share of a core that the server needs for being watched, by its own statistics
//   bench-live scroll URL    scrolls the table while 1,000 keys a second expire: the time from the moment a frame is
//                            due until it is painted

#include "tests/bench/benchwindow.h"

#include <QApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScrollBar>
#include <QTimer>

#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>

using namespace bench;
using base::MonotonicTime;
using std::chrono::milliseconds;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

using Ms = std::chrono::duration<double, std::milli>;

/// Prints the result and ends the process at once, without destroying the objects of the measurement.
[[noreturn]] void finish(const QJsonObject &result)
{
    std::printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
    std::fflush(stdout);
    std::_Exit(0);
}

constexpr int perSecond = 1000;

/// A load generator: sends a command every millisecond from a separate thread.
class Traffic final
{
public:
    using Step = std::function<resp::Command(int number)>;

    Traffic(const net::Endpoint &endpoint, int count, Step step)
        : m_thread([this, endpoint, count, step = std::move(step)] {
            const auto connection = dial(endpoint);
            const MonotonicTime start = now();
            for (int i = 0; i < count && !m_isStopped; ++i) {
                std::this_thread::sleep_until(std::chrono::steady_clock::now() + (start + i * 1ms - now()));
                (void)ask(*connection, step(i));
            }
            m_isDone = true;
        })
    {}
    ~Traffic()
    {
        m_isStopped = true;
        m_thread.join();
    }
    Q_DISABLE_COPY_MOVE(Traffic)

    [[nodiscard]] bool isDone() const { return m_isDone; }

private:
    std::atomic<bool> m_isStopped = false;
    std::atomic<bool> m_isDone = false;
    std::thread m_thread;
};

/// A view of the key store that reports each created and deleted key. It is registered after the rows, so it reports a
/// key after the rows have changed.
class KeyEvents final : public keys::KeyStoreObserver
{
public:
    using Handler = std::function<void(QByteArrayView key, bool exists)>;

    KeyEvents(keys::KeyStore &store, Handler handler)
        : m_store(store)
        , m_handler(std::move(handler))
    {
        m_store.addObserver(*this);
    }
    ~KeyEvents() override { m_store.removeObserver(*this); }
    Q_DISABLE_COPY_MOVE(KeyEvents)

private:
    [[nodiscard]] bool isBusy() const override { return false; }
    void work(QDeadlineTimer) override {}
    void aboutToChange(std::span<const keys::KeyId> ids) override { m_changing.assign(ids.begin(), ids.end()); }
    void changed(std::span<const keys::KeyId> added) override
    {
        const keys::KnownKeys &known = m_store.known();
        for (const keys::KeyId id : m_changing) {
            if (!known.isLive(id))
                m_handler(known.table.key(id), false);
        }
        for (const keys::KeyId id : added)
            m_handler(known.table.key(id), true);
        m_changing.clear();
    }
    void aboutToClear() override {}

    keys::KeyStore &m_store; // Not owned.
    Handler m_handler;
    std::vector<keys::KeyId> m_changing;
};

/// Returns the number at the end of a name such as `change:17`; absent for other keys.
std::optional<int> numberOf(QByteArrayView key, QByteArrayView prefix)
{
    return key.startsWith(prefix) ? std::optional(key.sliced(prefix.size()).toInt()) : std::nullopt;
}

/// Measures creations and deletions. Change 2n creates key n, and change 2n + 101 deletes it.
void measureChanges(Window &window, const net::Endpoint &endpoint)
{
    constexpr int seconds = 10;
    constexpr int count = seconds * perSecond;
    constexpr int warmUp = perSecond;
    constexpr int lifetime = 50; // In pairs of changes.
    static std::array<std::atomic<qint64>, count> sent {};
    static std::vector<double> samples;
    inspection::InspectedServer &server = *window.workspace.inspected();
    // The default limit equals the number of changes, which would leave no commands for anything else.
    server.watcher().setCommandsPerSecond(10 * perSecond);
    static const KeyEvents events(server.store(), [](QByteArrayView key, bool exists) {
        const auto number = numberOf(key, "change:");
        if (!number)
            return;
        const int change = exists ? 2 * *number : 2 * (*number + lifetime) + 1;
        if (change >= warmUp && change < count)
            samples.push_back(
                Ms(now().time_since_epoch() - std::chrono::nanoseconds(sent[static_cast<std::size_t>(change)]))
                    .count());
    });
    static const Traffic traffic(endpoint, count, [](int change) {
        sent[static_cast<std::size_t>(change)] = now().time_since_epoch().count();
        const auto key = [](int number) { return "change:" + QByteArray::number(number); };
        return change % 2 == 0 ? resp::Command {"SET", key(change / 2), "v", "PX", "600000"}
                               : resp::Command {"DEL", key(change / 2 - lifetime)};
    });
    static QTimer end;
    QObject::connect(&end, &QTimer::timeout, [&server] {
        if (!traffic.isDone())
            return;
        end.stop();
        QTimer::singleShot(1s, [&server] {
            QJsonObject result;
            reportSamples(result, samples);
            result[QStringLiteral("expected")] = count - warmUp;
            result[QStringLiteral("means")] = static_cast<int>(server.events().mechanism());
            finish(result);
        });
    });
    end.start(100ms);
}

void measureLapses(Window &window, const net::Endpoint &endpoint)
{
    constexpr int count = 200;
    static std::array<MonotonicTime, count> due {};
    static std::vector<double> samples;
    inspection::InspectedServer &server = *window.workspace.inspected();
    static const KeyEvents events(server.store(), [](QByteArrayView key, bool exists) {
        if (const auto number = numberOf(key, "lapse:"); number && !exists)
            samples.push_back(Ms(now() - due[static_cast<std::size_t>(*number)]).count());
    });
    const auto connection = dial(endpoint);
    for (int i = 0; i < count; ++i) {
        const milliseconds left(3000 + i * 37 % 5000);
        // The key expires no earlier than this. A measured delay is therefore too long by at most the time of the
        // request.
        due[static_cast<std::size_t>(i)] = now() + left;
        (void)ask(*connection, {"SET", "lapse:" + QByteArray::number(i), "v", "PX", QByteArray::number(left.count())});
    }
    QTimer::singleShot(12s, [] {
        QJsonObject result;
        reportSamples(result, samples);
        result[QStringLiteral("expected")] = count;
        finish(result);
    });
}

double serverCpu(net::BlockingConnection &connection)
{
    double seconds = 0;
    for (const QByteArray &line : ask(connection, {"INFO", "cpu"}).bytes().split('\n')) {
        if (line.startsWith("used_cpu_sys:") || line.startsWith("used_cpu_user:"))
            seconds += line.sliced(line.indexOf(':') + 1).trimmed().toDouble();
    }
    return seconds;
}

/// Measures the server's CPU time for 20 s. Starts 5 s later, after the window has read all keys.
void measureWatch(const net::Endpoint &endpoint)
{
    static const auto connection = dial(endpoint);
    QTimer::singleShot(5s, [] {
        static const double before = serverCpu(*connection);
        static const MonotonicTime start = now();
        QTimer::singleShot(20s, [] {
            const std::chrono::duration<double> passed = now() - start;
            finish({{QStringLiteral("share"), (serverCpu(*connection) - before) / passed.count()}});
        });
    });
}

void measureScroll(Window &window, const net::Endpoint &endpoint)
{
    static constexpr auto frame = 16'667us;
    constexpr int frames = 600;
    static const Traffic traffic(endpoint, 60 * perSecond, [](int number) {
        return resp::Command {"SET", "passing:" + QByteArray::number(number), "v", "PX", "1500"};
    });
    static std::vector<double> samples;
    static QTimer timer;
    static int number = 0;
    static MonotonicTime start;
    timer.setTimerType(Qt::PreciseTimer);
    timer.setSingleShot(true);
    QObject::connect(&timer, &QTimer::timeout, [&table = window.table()] {
        const MonotonicTime due = start + number * frame;
        QScrollBar &bar = *table.verticalScrollBar();
        // Mostly small steps as by the wheel; every tenth step jumps to a distant place that is not painted yet.
        bar.setValue(number % 10 == 9 ? (number * 7919 * 13) % std::max(1, bar.maximum()) : bar.value() + 3);
        table.viewport()->repaint();
        samples.push_back(Ms(now() - due).count());
        if (++number == frames) {
            QJsonObject result;
            reportSamples(result, samples);
            finish(result);
        }
        // A frame that could not be painted in time is skipped, as a screen does.
        if (now() > start + number * frame)
            start = now() - number * frame + 1ms;
        timer.start(std::max(0ms, std::chrono::ceil<milliseconds>(start + number * frame - now())));
    });
    QTimer::singleShot(3s, [] {
        start = now();
        timer.start(0ms);
    });
}

} // namespace

int main(int argc, char *argv[])
{
    if (argc != 3)
        fail(QStringLiteral("see the comment at the top of its source"));
    QApplication application(argc, argv);
    const auto endpoint = net::Endpoint::fromUrl(QString::fromLocal8Bit(argv[2]));
    if (!endpoint)
        fail(endpoint.error().message());
    Window window(application);
    window.window.show();
    window.workspace.open(*endpoint);
    const QByteArray what = argv[1];
    bool hasBegun = false;
    QTimer begin;
    QObject::connect(&begin, &QTimer::timeout, [&] {
        const inspection::InspectedServer &server = *window.workspace.inspected();
        const rows::RowList &rows = window.table().keyModel()->rows();
        if (hasBegun || window.workspace.inspected()->watcher().phase() != Watcher::Phase::Watching || rows.isSorting()
            || rows.rowCount() != rows.store().liveCount()
            || server.events().mechanism() == watching::EventSource::Mechanism::None)
            return;
        hasBegun = true;
        begin.stop();
        if (what == "changes")
            measureChanges(window, *endpoint);
        else if (what == "lapses")
            measureLapses(window, *endpoint);
        else if (what == "watch")
            measureWatch(*endpoint);
        else if (what == "scroll")
            measureScroll(window, *endpoint);
        else
            fail(QStringLiteral("no such measurement"));
    });
    begin.start(50ms);
    return QApplication::exec();
}

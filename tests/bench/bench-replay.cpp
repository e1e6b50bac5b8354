// The times for opening a recording and for showing any moment of it.
//   bench-replay write FILE SECONDS   writes the recording of a busy server: 1,000 locks, 30 changes a second
//   bench-replay measure FILE         prints a JSON object, times in milliseconds:
//     open     until its first second is shown
//     whole    from the start to the end, at full speed
//     seek     the longest seek to a moment, after intermediate replays are stored along the recording
//     json     the time of a JSON parser that only parses the same lines

#include "core/foundation/base/random.h"
#include "core/inspect/recording/recordingwriter.h"
#include "core/inspect/recording/replaycache.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace latchkey;
using namespace latchkey::recording;
using base::Deadline;
using base::MonotonicTime;
using events::Observation;
using events::Observations;
using events::Source;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

constexpr int locks = 1000;
constexpr int changesPerSecond = 30;

/// Writes the recording of one server, one line per entry.
class Hour final
{
public:
    explicit Hour(RecordingWriter &writer)
        : m_writer(writer)
        , m_encoder(m_zero)
        , m_ends(locks, Deadline::never())
    {}

    void write(int seconds)
    {
        m_writer.write(Encoder::heading({QStringLiteral("bench"), QStringLiteral("redis://db.example:6379"),
                                         base::WallTime(1'700'000'000'000ms), true}));
        WatchState watched;
        watched.phase = watching::Watcher::Phase::Watching;
        watched.mechanism = watching::EventSource::Mechanism::Notifications;
        watched.hasChangeEvents = true;
        watched.server = QStringLiteral("Redis 7.2.4");
        watched.eventDelay = 100us;
        line(WatchState(watched));
        line(events::EventCoverage {events::EventCoverage::Depth::Events, true, m_now});
        answerWhatIsAsked();
        for (int i = 0; i < seconds * changesPerSecond; ++i) {
            m_now += 1'000'000us / changesPerSecond;
            watched.eventDelay = 100us + nanoseconds(i % 997);
            line(WatchState(watched));
            change(i);
            line(ReceivedUpTo {m_now + 300us});
            line(DisplayMark {});
        }
        line(EndMarker {});
    }

private:
    template<typename What>
    void line(What &&what)
    {
        m_writer.write(m_encoder.line({m_now + 400us, std::forward<What>(what)}));
    }
    /// Writes the reply to a recorder's initial request: none of the known scripts exists in the server.
    void answerWhatIsAsked()
    {
        resp::Command scripts {QByteArrayLiteral("SCRIPT"), QByteArrayLiteral("EXISTS")};
        std::vector<resp::Reply> answers;
        for (const QByteArray &script : recognition::Dialects::builtIn().scripts()) {
            scripts << script;
            answers.push_back(resp::Reply::integer(0));
        }
        net::Connection::Delivery delivery;
        delivery.replies = {resp::Reply::array(answers)};
        delivery.sent = delivery.received = m_now;
        line(ReplyEntry {{scripts}, delivery});
    }
    /// Writes one change. The locks take turns: each lock is acquired, then extended, then deleted at its later turns.
    void change(int i)
    {
        const auto lock = static_cast<std::size_t>((i * 7919LL) % locks);
        const QByteArray key = "lock:orders:" + QByteArray::number(100'000 + static_cast<qint64>(lock));
        const int turn = i / locks % 3;
        const auto look = [&](events::ObservationContent content, Source source) {
            return Observation {key, std::move(content), m_now + 100us, m_now + 250us, source};
        };
        const QByteArray event = turn == 0 ? "set" : turn == 1 ? "expire" : "del";
        line(Observations {look(events::ChangeNotification {event}, Source::Notification)});
        if (turn == 2) {
            line(Observations {look(events::Gone {}, Source::NotifiedRead)});
            return;
        }
        m_ends[lock] = Deadline(m_now + 100s, 100us);
        Observations seen {look(events::Exists {m_ends[lock], turn == 0}, Source::NotifiedRead)};
        seen.push_back(look(events::TypeReply {keys::KeyType::String}, Source::NotifiedRead));
        seen.push_back(look(events::ValueReply {{keys::KeyType::String, 32, {tokenOf(i / locks / 3, lock)}}},
                            Source::NotifiedRead));
        line(std::move(seen));
    }
    static QByteArray tokenOf(int hold, std::size_t lock)
    {
        const auto mixed = static_cast<quint64>(hold * locks + static_cast<int>(lock)) * 0x9E3779B97F4A7C15ULL;
        return QByteArray::number(mixed, 16).rightJustified(16, '0')
             + QByteArray::number(~mixed, 16).rightJustified(16, '0');
    }

    RecordingWriter &m_writer;
    const MonotonicTime m_zero {1000s};
    MonotonicTime m_now = m_zero;
    Encoder m_encoder;
    std::vector<Deadline> m_ends;
};

int write(const QString &path, int seconds)
{
    auto writer = RecordingWriter::create(path, true);
    if (!writer)
        return 1;
    Hour(**writer).write(seconds);
    return (*writer)->error() ? 1 : 0;
}

double since(const QElapsedTimer &timer)
{
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

double parseJson(const QString &path)
{
    QFile file(path);
    QElapsedTimer timer;
    timer.start();
    qsizetype lines = 0;
    if (file.open(QIODevice::ReadOnly)) {
        while (!file.atEnd())
            lines += QJsonDocument::fromJson(file.readLine()).isObject() ? 1 : 0;
    }
    return lines > 0 ? since(timer) : -1;
}

int measure(const QString &path)
{
    auto &random = base::SystemRandom::instance();
    QElapsedTimer timer;
    timer.start();
    const auto replayCache = ReplayCache::open(path, random);
    if (!replayCache)
        return 1;
    (void)(*replayCache)->shown().advance(1s);
    const double open = since(timer);

    ReplayClock clock;
    timer.start();
    const auto whole = Replay::open(path, clock, random);
    if (!whole)
        return 1;
    (void)(*whole)->advance((*whole)->length());
    const double wholeTime = since(timer);
    if ((*whole)->problem() || (*whole)->server().holds().history().holdCount() == 0)
        return 1;

    while ((*replayCache)->prepare(QDeadlineTimer(100ms))) {}
    double seek = 0;
    constexpr int moments = 40;
    for (int i = 1; i <= moments; ++i) {
        const nanoseconds moment = (*whole)->length() * (i * 17 % moments) / moments;
        timer.start();
        if (!(*replayCache)->moveTo(moment))
            return 1;
        (void)(*replayCache)->shown().advance(moment);
        seek = std::max(seek, since(timer));
    }
    std::printf("{\"open\":%.2f,\"whole\":%.1f,\"seek\":%.1f,\"json\":%.1f}\n", open, wholeTime, seek, parseJson(path));
    return 0;
}

} // namespace

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    const QByteArrayView what(argc > 2 ? argv[1] : "");
    if (what == "write" && argc > 3)
        return write(QString::fromLocal8Bit(argv[2]), std::atoi(argv[3]));
    if (what == "measure")
        return measure(QString::fromLocal8Bit(argv[2]));
    std::fprintf(stderr, "bench-replay: see its source\n");
    return 2;
}

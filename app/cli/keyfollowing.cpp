#include "app/cli/keyfollowing.h"

#include "app/cli/recognitionoutput.h"
#include "app/cli/watchedlocks.h"
#include "core/foundation/base/unixsignals.h"
#include "core/inspect/inspection/serverregistry.h"
#include "core/inspect/inspection/watchedkey.h"

#include <QCoreApplication>

#include <csignal>
#include <cstdio>

namespace latchkey::cli {

using base::SystemClock;
using events::KeyRequests;
using inspection::WatchedKey;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// An observation of a key, for some time or until a signal.
class Following final : public QObject
{
public:
    Following(const FollowRequest &followed, const Limits &limits)
        : m_registry(SystemClock::instance(), base::SystemRandom::instance())
        , m_server(m_registry.open(followed.endpoint, false))
        , m_key(*m_server, followed.key,
                [this](const QByteArray &name, const keys::RawValue &value) { return holderOf(name, value); })
        , m_signals(std::in_place, std::initializer_list<int> {SIGINT, SIGTERM, SIGHUP})
        , m_time(followed.time)
        , m_existed(followed.existed)
    {
        limits.applyTo(m_server->watcher());
        limits.applyTo(m_server->session());
        m_server->locks().setDialects(userDialects());
        if (!followed.key.bytes().isEmpty())
            m_server->watcher().setKeyFilter({base::Glob::exactly(followed.key.bytes())});
        // The recognition is stored during the observation, because the key may not exist at the end.
        connect(&m_server->locks(), &detection::LockFinder::recognised, this, [this](const QByteArray &name) {
            if (name == m_key.key() && m_server->locks().isLock(name))
                m_recognition = m_server->locks().recognise(name);
        });
        connect(&*m_signals, &base::UnixSignals::received, this, [this] {
            m_isInterrupted = true;
            finish();
        });
        connect(&m_server->session(), &net::Session::stateChanged, this, &Following::sessionChanged);
    }

    /// Observes the key for the time, starting with its first read, or with the connection if the key does not exist.
    /// The total time is limited in case the first read never succeeds. Returns the error that prevented the first
    /// read.
    [[nodiscard]] base::Result<void> watch()
    {
        constexpr auto atTheMost = 10s;
        connect(&m_key, &WatchedKey::began, this, [this] {
            if (m_existed)
                QTimer::singleShot(m_time, Qt::PreciseTimer, this, &Following::finish);
        });
        QTimer::singleShot(m_time + atTheMost, this, &Following::finish);
        m_server->start();
        QCoreApplication::exec();
        m_signals.reset(); // From here on, a signal ends the process.
        if (m_error)
            return base::failure(*m_error);
        return {};
    }
    /// Returns the timeout for a last read of the key: after a signal, as long as a new connection to a server that
    /// answers needs; a server that does not answer must not delay the end.
    [[nodiscard]] milliseconds lastTimeout(milliseconds timeout) const
    {
        constexpr auto afterSignal = 200ms;
        constexpr int roundTrips = 8;
        const auto roundTrip = m_server->session().roundTrip().value_or(0ns);
        return m_isInterrupted
                 ? std::min(timeout, afterSignal + std::chrono::ceil<milliseconds>(roundTrips * roundTrip))
                 : timeout;
    }
    [[nodiscard]] events::Coverage coverage() const
    {
        using events::KeyRequest;
        return m_server->watcher().coverage().narrowedTo(KeyRequests(KeyRequest::Expiry) | KeyRequest::Type
                                                         | KeyRequest::Value | KeyRequest::Changes);
    }
    [[nodiscard]] ObservedHolds observed() const
    {
        const auto &clock = SystemClock::instance();
        const auto now = clock.now();
        history::Statistics statistics = m_key.history().statistics({m_key.key(), 0});
        if (!m_key.holds().empty() && !m_key.holds().back().isOver()) // The statistics count only ended holds.
            statistics.extensions += m_key.holds().back().extensionCount;
        return {m_key.holds(),
                m_key.gaps(),
                m_server->events().mechanism(),
                std::move(statistics),
                now - (m_existed ? m_key.since() : m_connected).value_or(now),
                now,
                clock.wallNow(),
                m_recognition};
    }

private:
    /// Returns the holder in this value. The recognition is stored here too, because a hold may be over before the lock
    /// finder examines the key.
    [[nodiscard]] std::optional<QByteArray> holderOf(const QByteArray &name, const keys::RawValue &value)
    {
        const recognition::Recognition recognised = m_server->locks().recogniseWithValue(name, value);
        if (recognised.isLock() && name == m_key.key())
            m_recognition = recognised;
        const auto description = LockDescription::of(recognised);
        return description ? description->holder : std::nullopt;
    }
    void sessionChanged(net::Session::State state)
    {
        // If a server refuses all reads, the observation never begins.
        if (state == net::Session::State::Ready) {
            m_connected = m_connected.value_or(SystemClock::instance().now());
            QTimer::singleShot(m_time, Qt::PreciseTimer, this, [this] {
                if (!m_existed || !m_key.since())
                    finish();
            });
        }
        if (state == net::Session::State::Waiting && !m_key.since() && m_server->session().lastError()) {
            m_error = m_server->session().lastError();
            finish();
        }
    }
    void finish()
    {
        QMetaObject::invokeMethod(QCoreApplication::instance(), &QCoreApplication::quit, Qt::QueuedConnection);
    }

    inspection::ServerRegistry m_registry;
    std::shared_ptr<inspection::InspectedServer> m_server;
    recognition::Recognition m_recognition;
    WatchedKey m_key;
    std::optional<base::UnixSignals> m_signals; ///< Absent after the observation.
    bool m_isInterrupted = false;               ///< Whether a signal has ended the observation.
    const milliseconds m_time;
    const bool m_existed;
    std::optional<base::MonotonicTime> m_connected; ///< Time of the first connection.
    std::optional<base::Error> m_error;
};

} // namespace

ExitCode followKey(const FollowRequest &followed, const Limits &limits, const PrintFollowed &print)
{
    Following following(followed, limits);
    if (const auto watched = following.watch(); !watched)
        return printError(watched.error().during(followed.name));
    const events::Coverage coverage = following.coverage();
    print(following.observed(), coverage, following.lastTimeout(limits.timeout));
    std::fflush(stdout); // Flushed before the missing parts are printed to standard error.
    return exitCodeFor(followed.name, coverage, CoverageForm::Sentences);
}

} // namespace latchkey::cli

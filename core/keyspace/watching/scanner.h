#pragma once

#include "core/foundation/base/glob.h"
#include "core/keyspace/budget/commandcosts.h"
#include "core/keyspace/events/observation.h"
#include "core/keyspace/keys/knownkeys.h"
#include "core/redis/net/requestscope.h"

#include <QObject>
#include <QSet>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>

namespace latchkey::watching {

/// A scanner of all keys of a server. It sends SCAN, and PTTL for each key, and delivers the observations to the
/// dispatcher.
///
/// The next SCAN is sent before the requests about the keys of the last one. So the server works while the program
/// processes the reply, which saves a third of the time. With Pace::AsFastAsPossible, a scanner queries all keys, for a
/// first scan. With Pace::OnDemand, it sends as many commands at a time as the caller permits, and queries only unknown
/// keys, to find new ones. A complete scan has returned every key that existed during the whole scan. A key that was
/// not returned was absent at some time during the scan, even if it exists again. Owned by the ServerWatcher. Known
/// keys, dispatcher and connection are not owned; the scan fails if the connection ends.
class Scanner final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Scanner)

public:
    enum class Pace : quint8 { AsFastAsPossible, OnDemand };
    struct Options
    {
        Pace pace = Pace::AsFastAsPossible;
        base::Glob match;              ///< Pattern of the keys; the server does the matching.
        bool readsTypes = false;       ///< Whether TYPE is sent as well for every queried key.
        int count = 1000;              ///< COUNT of each SCAN.
        qsizetype maxKeys = 5'000'000; ///< Limit of known keys; further keys are not queried.
        /// Timeout of each request.
        std::chrono::milliseconds timeout = std::chrono::seconds(30);
    };

    Scanner(const keys::KnownKeys &known, const events::ObservationDispatcher &dispatcher, const base::Clock &clock,
            QObject *parent = nullptr);
    ~Scanner() override;

    /// A function that is called with the reply for each key. Returns true if another object reads the key together
    /// with its value; the scanner then reports nothing about it.
    using ReadDelegate = std::function<bool(const QByteArray &key, const events::ObservationContent &content)>;
    void setReadDelegate(ReadDelegate readDelegate) { m_readDelegate = std::move(readDelegate); }

    /// A predicate for the names of keys; an empty function accepts every key.
    using NamePredicate = std::function<bool(QByteArrayView name)>;
    /// Sets the estimates for spent(); not owned. Null: each command counts as one.
    void setCosts(const budget::CommandCosts *costs) { m_costs = costs; }
    /// Restricts requests to these keys; all names are still scanned.
    void setFilter(NamePredicate isWanted) { m_isWanted = std::move(isWanted); }
    /// Sets the keys that are queried before others; only for Pace::OnDemand.
    void setPreferred(NamePredicate isFirst) { m_isFirst = std::move(isFirst); }

    /// Starts a new scan, and drops the scan under way.
    void begin(net::Connection &connection, const Options &options);
    /// Sets the number of keys of the database, if known. A scan with far more steps is treated as endless.
    void setExpected(std::optional<qint64> keys) { m_expected = keys; }
    /// Stops the scan; replies under way are dropped.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_isRunning; }
    [[nodiscard]] Pace pace() const { return m_options.pace; }

    /// Sends no further SCAN until resume(); requests under way are still processed. Only for Pace::AsFastAsPossible.
    void pause() { m_isPaused = true; }
    void resume();

    /// Continues with at most this number of commands; only for Pace::OnDemand.
    void step(int commands);
    [[nodiscard]] bool canStep() const;

    /// Returns the start of the scan under way, or of the last one.
    [[nodiscard]] base::MonotonicTime started() const { return m_started; }
    /// Returns whether the key was observed since the scan began, by this scan or by other requests. Valid for keys
    /// that were known before.
    [[nodiscard]] bool wasScanned(keys::KeyId id) const;

    /// Returns the number of keys that SCAN has returned so far; a key returned twice counts twice.
    [[nodiscard]] quint64 keysScanned() const { return m_scannedKeys; }
    /// Returns the number of those keys that do not wait for their query or its reply.
    [[nodiscard]] quint64 keysAnswered() const
    {
        return m_scannedKeys - std::min<quint64>(m_scannedKeys, m_queue.size() + m_portion.size() + m_underWay);
    }
    /// Returns the number of keys that the server has walked through, whether they match or not. An estimate.
    [[nodiscard]] quint64 keysTraversed() const;
    /// Returns whether there were more keys than may be known.
    [[nodiscard]] bool isIncomplete() const { return m_isIncomplete; }
    /// Returns the number of commands sent so far.
    [[nodiscard]] quint64 commandsSent() const { return static_cast<quint64>(m_spent.commands); }
    /// Returns the cost of these commands.
    [[nodiscard]] const budget::CommandCost &spent() const { return m_spent; }
    /// Returns why the server refuses to answer for some keys; absent: no refusal. The scan continues without these
    /// keys.
    [[nodiscard]] const std::optional<base::Error> &denial() const { return m_denial; }
    /// Adds a key about which another reader was refused an answer. The key is queried again when the server answers
    /// for one of the refused keys: it may have ended meanwhile, and then no scan returns it.
    void addRefused(const QByteArray &key);

Q_SIGNALS:
    /// Emitted when SCAN has returned every key that existed during the whole scan, and every reply was delivered.
    void finished();
    /// Emitted when the server refuses SCAN or answers it wrongly, the scan is endless, or a request got no reply.
    void failed(const latchkey::base::Error &error);
    /// Emitted with Pace::OnDemand when a page of names has arrived, so that step() may have more to do.
    void pageScanned();

private:
    using Keys = std::vector<QByteArray>;

    void scan();
    void scanned(const net::Connection::Delivery &delivery);
    [[nodiscard]] bool isEndless();
    void processPage(const std::vector<resp::Reply> &names, const net::Connection::Delivery &delivery);
    void want(const QByteArray &key);
    void forgetRefusals();
    void tryRefusals();
    void retryAllRefused();
    void requestQueued();
    void requestTtls(Keys keys);
    void existenceReceived(const Keys &keys, const net::Connection::Delivery &delivery);
    [[nodiscard]] bool isRefused(const QByteArray &key, const resp::Reply &reply);
    void send(const resp::Commands &commands, std::function<void(const net::Connection::Delivery &)> handle);
    void fail(const base::Error &error);
    void finishIfDone();

    const keys::KnownKeys &m_known;                    // Not owned.
    const events::ObservationDispatcher &m_dispatcher; // Not owned.
    const base::Clock &m_clock;                        // Not owned.
    net::RequestScope m_requests;
    Options m_options;
    base::MonotonicTime m_started;
    QByteArray m_cursor;
    bool m_isRunning = false;
    bool m_isPaused = false;
    bool m_isScanning = false;
    bool m_atEnd = false;
    int m_pendingBatches = 0;              ///< Number of batches sent and not yet answered.
    std::size_t m_underWay = 0;            ///< Number of keys in these batches.
    qsizetype m_remainingKeys = 0;         ///< Number of keys that may still be queried.
    Keys m_portion;                        ///< As fast as possible: the next keys to ask about.
    std::deque<QByteArray> m_queue;        ///< On demand: keys that wait for their request.
    std::vector<bool> m_returned;          ///< With Pace::OnDemand, by id: known keys that the scan has returned.
    QSet<QByteArray> m_refused;            ///< Keys for which the server refuses to answer.
    std::deque<QByteArray> m_refusedOrder; ///< The order in which they are tried; it may contain others.
    base::MonotonicTime m_refusalsTried;
    quint64 m_scannedKeys = 0;
    ReadDelegate m_readDelegate;
    NamePredicate m_isWanted;
    NamePredicate m_isFirst;
    quint64 m_pages = 0;                           ///< Number of SCAN replies of the scan under way.
    QByteArray m_markedCursor;                     ///< Earlier cursor; if it is returned again, the scan does not
                                                   ///< terminate.
    std::optional<qint64> m_expected;              ///< Number of keys of the database; absent: unknown.
    const budget::CommandCosts *m_costs = nullptr; // Not owned.
    budget::CommandCost m_spent;
    bool m_isIncomplete = false;
    std::optional<base::Error> m_denial;
};

} // namespace latchkey::watching

#pragma once

#include "core/keys/glob.h"
#include "core/keys/knownkeys.h"
#include "core/keyspace/observation.h"
#include "core/resp/connection.h"

#include <QObject>
#include <QPointer>
#include <QSet>

#include <deque>
#include <functional>
#include <optional>

namespace latchkey::keyspace {

/// Walks a server's keys once: SCAN, and PTTL for each key, and says what it has observed.
///
/// The next SCAN is on its way before the keys of the last one are asked about, so the server works on one while we
/// digest the other: that is worth a third of the time.
/// Two ways: everything as fast as it goes, for a first look; or so many commands at a time as the caller grants,
/// asking only about keys that are not known, to find what is new. When it is through, every key that was there all the
/// time has been met: what has not been met has gone meanwhile, even if it may have come back. Owned by the Watcher.
/// What is known, fan-out and connection are not owned; it ends by itself if the connection does.
class Scanner final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Scanner)

public:
    enum class Pace : quint8 { AsFastAsPossible, OnDemand };
    struct Options
    {
        Pace pace = Pace::AsFastAsPossible;
        keys::Glob match;               ///< Only keys that match; the server does the matching.
        bool readsTypes = false;        ///< TYPE as well, for every key that is asked about.
        int count = 1000;               ///< Of each SCAN.
        qsizetype mostKeys = 5'000'000; ///< No key is asked about once so many are known.
        /// Of each request.
        std::chrono::milliseconds timeout = std::chrono::seconds(30);
    };

    Scanner(const keys::KnownKeys &known, const FanOut &fanOut, const base::Clock &clock, QObject *parent = nullptr);
    ~Scanner() override;

    /// Asked of each key that exists: true where somebody reads it together with its value, so that nothing is said of
    /// it here.
    using ReadsInstead = std::function<bool(const QByteArray &key, const Knowledge &what)>;
    void setReadsInstead(ReadsInstead readsInstead) { m_readsInstead = std::move(readsInstead); }

    /// Tells of a key by its name; empty: of every key.
    using OfName = std::function<bool(QByteArrayView name)>;
    /// No other keys are asked about; they are met all the same.
    void setWanted(OfName isWanted) { m_isWanted = std::move(isWanted); }
    /// On demand: these keys are asked about before others.
    void setFirst(OfName isFirst) { m_isFirst = std::move(isFirst); }

    /// Starts anew, whatever is under way.
    void begin(resp::Connection &connection, const Options &options);
    /// Keys of the database, as far as is known: a scan that goes far beyond them has no end.
    void setExpected(std::optional<qint64> keys) { m_expected = keys; }
    /// Stops asking; answers that are still to come are dropped.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_isRunning; }
    [[nodiscard]] Pace pace() const { return m_options.pace; }

    /// Sends no further SCAN until goOn(); what is under way is still answered.
    void hold() { m_isHeld = true; }
    void goOn();

    /// On demand: goes on with at most so many commands.
    void step(int commands);
    [[nodiscard]] bool canStep() const;

    /// When the scan under way, or the last one, began.
    [[nodiscard]] base::MonotonicTime started() const { return m_started; }
    /// Whether this scan has found the key to be there. Of a key that was known before it began.
    [[nodiscard]] bool hasMet(keys::KeyId id) const;

    /// Keys met so far, those met twice counted twice.
    [[nodiscard]] quint64 keysMet() const { return m_keysMet; }
    /// There were more keys than may be known.
    [[nodiscard]] bool isIncomplete() const { return m_isIncomplete; }
    /// Commands sent so far.
    [[nodiscard]] quint64 commandsSent() const { return m_commandsSent; }
    /// Why the server would not tell about some keys; the scan goes on without them.
    [[nodiscard]] const std::optional<base::Error> &denial() const { return m_denial; }

Q_SIGNALS:
    /// Every key that was there all the time has been met, and every answer has been handed on.
    void finished();
    /// The server will not have it, or the connection ended.
    void failed(const latchkey::base::Error &error);

private:
    using Keys = std::vector<QByteArray>;

    void scan();
    void scanned(const resp::Connection::Delivery &delivery);
    [[nodiscard]] bool isEndless();
    void digest(const std::vector<resp::Reply> &names, const resp::Connection::Delivery &delivery);
    void want(const QByteArray &key);
    void forgetRefusals();
    void tryRefusals();
    void ask(Keys keys);
    void asked(const Keys &keys, const resp::Connection::Delivery &delivery);
    [[nodiscard]] bool isRefused(const QByteArray &key, const resp::Reply &reply);
    void send(const resp::Commands &commands, std::function<void(const resp::Connection::Delivery &)> handle);
    void fail(const base::Error &error);
    void finishIfDone();

    const keys::KnownKeys &m_known;          // Not owned.
    const FanOut &m_fanOut;                  // Not owned.
    const base::Clock &m_clock;              // Not owned.
    QPointer<resp::Connection> m_connection; // Not owned.
    Options m_options;
    quint64 m_run = 0; ///< Answers to an earlier run are not for this one.
    base::MonotonicTime m_started;
    QByteArray m_cursor;
    bool m_isRunning = false;
    bool m_isHeld = false;
    bool m_isScanning = false;
    bool m_atEnd = false;
    int m_batchesAsked = 0;         ///< And not yet answered.
    qsizetype m_room = 0;           ///< So many keys more may be asked about.
    Keys m_portion;                 ///< As fast as possible: the next keys to be asked about.
    std::deque<QByteArray> m_queue; ///< On demand: keys that wait until they may be asked about.
    std::vector<bool> m_met;        ///< On demand, by id: known keys that the scan has met.
    QSet<QByteArray> m_refused;     ///< Keys of which the server says nothing to us.
    base::MonotonicTime m_refusalsTried;
    quint64 m_keysMet = 0;
    ReadsInstead m_readsInstead;
    OfName m_isWanted;
    OfName m_isFirst;
    quint64 m_pages = 0;              ///< Of the scan under way.
    QByteArray m_markedCursor;        ///< A cursor that comes back means that there is no end.
    std::optional<qint64> m_expected; ///< Keys of the database.
    quint64 m_commandsSent = 0;
    bool m_isIncomplete = false;
    std::optional<base::Error> m_denial;
};

} // namespace latchkey::keyspace

#pragma once

#include "core/keys/glob.h"
#include "core/resp/connection.h"
#include "core/rows/rowstore.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <optional>

namespace latchkey::keyspace {

/// What the server has just said of a key.
struct Sample
{
    keys::KeyId id;
    base::Deadline deadline;
};

/// Walks a server's keys once: SCAN, and PTTL for each key, into the store.
///
/// The next SCAN is on its way before the keys of the last one are asked about, so the server works on one while we
/// digest the other: that is worth a third of the time.
/// Two ways: everything as fast as it goes, for a first look; or a SCAN at a time when the caller says so, asking only
/// about keys that the store does not know, to find what is new. A key that a scan meets is marked in the store.
/// Owned by the Watcher. Store and connection are not owned; it ends by itself if the connection does.
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
        quint8 mark = 0;                ///< See RowStore::mark().
        int count = 1000;               ///< Of each SCAN.
        qsizetype mostKeys = 5'000'000; ///< No more keys than these are put into the store.
    };

    explicit Scanner(rows::RowStore &store, QObject *parent = nullptr);
    ~Scanner() override;

    /// Starts anew, whatever is under way.
    void begin(resp::Connection &connection, const Options &options);
    /// Stops asking; answers that are still to come are dropped.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_isRunning; }

    /// On demand: one more SCAN, unless one is under way.
    void step();
    [[nodiscard]] bool canStep() const { return m_isRunning && !m_isScanning && !m_atEnd; }

    /// Keys met so far, those met twice counted twice.
    [[nodiscard]] quint64 keysMet() const { return m_keysMet; }
    /// There were more keys than the store may hold.
    [[nodiscard]] bool isIncomplete() const { return m_isIncomplete; }
    /// Commands sent so far.
    [[nodiscard]] quint64 commandsSent() const { return m_commandsSent; }
    /// Why the server would not tell about some keys; the scan goes on without them.
    [[nodiscard]] const std::optional<base::Error> &denial() const { return m_denial; }

Q_SIGNALS:
    /// Every key that was there all the time has been met, and every answer is in the store.
    void finished();
    /// The server will not have it, or the connection ended.
    void failed(const latchkey::base::Error &error);
    /// A batch of keys has been asked about.
    void sampled(const std::vector<latchkey::keyspace::Sample> &samples, latchkey::base::MonotonicTime at);

private:
    using Keys = std::vector<QByteArray>;

    void scan();
    void scanned(const resp::Connection::Delivery &delivery);
    void ask(Keys keys);
    void asked(const Keys &keys, const resp::Connection::Delivery &delivery);
    void send(const resp::Commands &commands, std::function<void(const resp::Connection::Delivery &)> handle);
    void fail(const base::Error &error);
    void finishIfDone();

    rows::RowStore &m_store;                 // Not owned.
    QPointer<resp::Connection> m_connection; // Not owned.
    Options m_options;
    quint64 m_run = 0; ///< Answers to an earlier run are not for this one.
    QByteArray m_cursor;
    bool m_isRunning = false;
    bool m_isScanning = false;
    bool m_atEnd = false;
    int m_batchesAsked = 0; ///< And not yet answered.
    quint64 m_keysMet = 0;
    quint64 m_commandsSent = 0;
    bool m_isIncomplete = false;
    std::optional<base::Error> m_denial;
};

} // namespace latchkey::keyspace

#pragma once

#include "app/cli/flushwatch.h"
#include "app/cli/scansample.h"
#include "core/keyspace/budget/commandcosts.h"
#include "core/keyspace/events/coveragemeter.h"
#include "core/keyspace/watching/scanner.h"
#include "core/keyspace/watching/valuereader.h"
#include "core/redis/net/session.h"

#include <memory>

namespace latchkey::cli {

/// The scan of one server, or of one node of a cluster: its session, its key scan and its reads of values.
///
/// A lost node keeps its error, so that the coverage can name the node; the other nodes continue. Owned by the
/// ClusterScan, which decides when a scan begins. It does not own the keys.
class NodeScan final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NodeScan)

public:
    /// The objects that all nodes share; not owned. `isMeasured`: whether traffic counts for the coverage now.
    struct Shared
    {
        const keys::KnownKeys &known;
        const events::ObservationDispatcher &dispatcher;
        const budget::CommandCosts &costs;
        std::function<bool()> isMeasured;
        watching::Scanner::NamePredicate isWanted; ///< Filter of the key names; empty for every key.
        std::chrono::milliseconds timeout {};
        /// Called for a key with an expiry that the server refuses to report. Returns false for a key that is noted.
        std::function<bool(const QByteArray &key)> noteUnknownExpiry {};
    };

    NodeScan(const net::Endpoint &endpoint, Shared shared);
    ~NodeScan() override;

    /// Connects once. Emits ready() or failed().
    void start() { m_session.start(); }
    /// Starts a scan, after ready(). Emits scanned() or failed().
    void begin(const watching::Scanner::Options &options);
    /// After the scan, reads a sample of the found keys, the number of keys and that of the flushes again, and emits
    /// verified(). So a flush during the scan is noticed, which leaves it with an arbitrary part of the keys.
    void verify();
    [[nodiscard]] bool isVerifying() const { return m_isVerifying; }
    void stop();
    /// Ends the scan with an error.
    void fail(const base::Error &error);

    [[nodiscard]] std::chrono::milliseconds timeout() const { return m_shared.timeout; }
    [[nodiscard]] net::Session &session() { return m_session; }
    [[nodiscard]] watching::Scanner &scanner() { return m_scanner; }
    [[nodiscard]] const watching::Scanner &scanner() const { return m_scanner; }
    [[nodiscard]] watching::ValueReader &reader() { return m_reader; }
    /// Sends one command. Ignores a lost connection.
    void send(const resp::Command &command, std::function<void(const resp::Reply &)> answered);

    /// Returns the number of keys of the node. Absent if unknown.
    [[nodiscard]] const std::optional<qint64> &databaseSize() const { return m_databaseSize; }
    /// Returns the error that ended the scan early. Absent without an error.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }
    /// Returns the deletion of many keys that verify() has noticed. Absent: none.
    [[nodiscard]] const std::optional<events::Coverage::Deletion> &deletion() const { return m_deletion; }
    /// Returns whether all keys were delivered.
    [[nodiscard]] bool isWhole() const { return !m_error && !m_hasScanFailed && !m_scanner.isIncomplete(); }
    /// Returns the number of FLUSHALL, FLUSHDB and SWAPDB that verify() has noticed: those in any database, or 0 if the
    /// database of the scan had no part in them.
    [[nodiscard]] qint64 flushes() const { return m_flushes; }
    /// Returns the number of RENAME and RENAMENX that verify() has noticed, in any database.
    [[nodiscard]] qint64 renames() const { return m_renames; }
    [[nodiscard]] const events::CoverageMeter &meter() const { return *m_meter; }
    [[nodiscard]] budget::CommandCost spent() const;

Q_SIGNALS:
    void ready();
    /// Emitted at the end of the scan: all keys were delivered, or the server refuses SCAN, as noted in the meter.
    void scanned();
    /// Emitted when a batch of values was read.
    void read();
    void verified();
    /// Emitted when the connection could not be established, or was lost.
    void failed(const latchkey::base::Error &error);

private:
    void sessionChanged(net::Session::State state);
    void scanFailed(const base::Error &error);
    [[nodiscard]] net::Connection::ReplyObserver observeExpiries(const resp::Commands &commands);
    void judgeStatistics(const resp::Reply &statistics, bool isWatchedKeyUnchanged);
    void judgeDeletion(const std::vector<resp::Reply> &sample, const resp::Reply &size);
    void noteRefusedExpiries(const std::vector<QByteArray> &keys, bool hasTypes,
                             const net::Connection::Delivery &delivery);

    const Shared m_shared;
    net::Session m_session;
    std::unique_ptr<events::CoverageMeter> m_meter; ///< A new one for each scan.
    watching::Scanner m_scanner;
    watching::ValueReader m_reader;
    std::optional<qint64> m_databaseSize;
    ScanSample m_sample; ///< Of the keys that the scan has found.
    FlushWatch m_flushWatch;
    std::optional<events::Coverage::Deletion> m_deletion;
    std::optional<qint64> m_flushCount;  ///< That of the server before the scan; absent: unknown.
    std::optional<qint64> m_swapCount;   ///< Likewise; part of m_flushCount.
    std::optional<qint64> m_renameCount; ///< Likewise.
    qint64 m_flushes = 0;
    qint64 m_renames = 0;
    budget::CommandCost m_verifyCost;
    bool m_isVerifying = false;
    std::optional<base::Error> m_error;
    bool m_hasScanFailed = false;
};

} // namespace latchkey::cli

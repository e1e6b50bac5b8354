#pragma once

#include "core/inspect/inspection/inspectedserver.h"

#include <QSet>
#include <QTimer>

#include <functional>

namespace latchkey::voting {

/// Why a server has no vote.
struct MissingVote
{
    QString why; ///< Empty: the server has a vote, or its key is being read.
    std::optional<base::MonotonicTime> since {};

    friend bool operator==(const MissingVote &, const MissingVote &) = default;
};

/// The observation of one of several independent servers, as far as its votes depend on it.
///
/// A server that is not observed votes neither for a holder nor against it. After a gap, and after each new connection,
/// the vote for a lock counts again when its key was read again. This class requests these reads. Owned by the counter
/// of the votes; server and clock are not owned.
class VotingServer final : public QObject, private events::ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(VotingServer)

public:
    /// The part of a key that must be read again before its vote counts.
    enum class Reread : quint8 {
        Expiry, ///< The expiry, if the caller itself knows which values are outdated.
        Value,
    };
    /// Returns the names of the locks that the server is known to have.
    using LockNames = std::function<QList<QByteArray>()>;

    VotingServer(inspection::InspectedServer &server, const base::Clock &clock, Reread reread, LockNames lockNames);
    ~VotingServer() override;

    [[nodiscard]] inspection::InspectedServer &server() const { return m_server; }
    /// Returns why no vote of the server is known. Absent: the server is observed.
    [[nodiscard]] std::optional<MissingVote> silence() const;
    /// Returns whether the knowledge about the lock is from before the last gap.
    [[nodiscard]] bool isOutdated(const QByteArray &key) const;
    /// Returns why the vote about an outdated lock is not known.
    [[nodiscard]] static MissingVote outdatedVote();
    /// Returns why the server has no vote for a key that was not found. The silence is empty if the server was read to
    /// the end: then it has no such key.
    [[nodiscard]] MissingVote missingVoteForAbsentKey() const;
    /// Returns why the value of a key cannot be read; empty if it is permitted.
    [[nodiscard]] MissingVote missingVoteForUnreadKey() const;

Q_SIGNALS:
    /// Emitted when the votes for all locks may have changed.
    void allChanged();
    /// Emitted when this lock was read again after a gap.
    void readAgain(const QByteArray &key);

private:
    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex, base::MonotonicTime, base::MonotonicTime) override {}
    void markOutdated();
    void noteGap();
    void requestOutdated();
    void recheckOutdated();
    [[nodiscard]] bool wasRead(const QByteArray &key) const;

    inspection::InspectedServer &m_server; // Not owned.
    const base::Clock &m_clock;            // Not owned.
    const Reread m_reread;
    const LockNames m_lockNames;
    std::optional<events::Coverage::Gap> m_gap; ///< The current gap.
    base::MonotonicTime m_observedSince;        ///< End of the last gap, or start of the present connection.
    QSet<QByteArray> m_outdated;                ///< Locks that were not read since then.
    QSet<QByteArray> m_valuesArrived;           ///< Outdated locks with a value that is not in the store yet.
    QSet<QByteArray> m_valuesRead;              ///< Outdated locks with a value in the store, read since then.
    QTimer m_readTimer;                         ///< Active while keys must be read again.
};

} // namespace latchkey::voting

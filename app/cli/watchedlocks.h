#pragma once

#include "core/history/history.h"
#include "core/inspection/inspectedserver.h"
#include "core/keys/glob.h"

#include <QMap>
#include <QSet>

namespace latchkey::cli {

/// What the command line takes for a lock, and whose it takes it to be: the one place that asks for that.
struct LockFacts
{
    QString kind;
    std::optional<QByteArray> holder; ///< Absent where the value does not say.

    /// As a History takes it: whose a lock is; absent also for what is none.
    [[nodiscard]] static history::History::HolderOf holderOf(const inspection::InspectedServer &server);
    /// Absent where it is none.
    [[nodiscard]] static std::optional<LockFacts> of(const inspection::InspectedServer &server, const QByteArray &key,
                                                     const keys::RawValue &value);
    [[nodiscard]] static std::optional<LockFacts> of(const recognition::Recognition &recognised);
};

/// Finds the locks of a server, by the dialects that its LockFinder has, as they come, has the ledger follow them, and
/// keeps their history.
///
/// They are the same locks that the LockFinder finds: what it recognises by other signs than the name is adopted from
/// it. A name makes a candidate, which is followed at once, so that nothing is missed; its value, which is read then,
/// makes it a lock or has it left alone again. What has been a lock once is taken for one again, so that a hold which
/// nobody could read in time is told all the same. Locks that are there when it begins are told as seen. The first of a
/// fan-out's listeners: it has a key followed before the ledger hears of it. Owned by the command; the server is not
/// owned.
class WatchedLocks final : public QObject, private keyspace::ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WatchedLocks)

public:
    WatchedLocks(inspection::InspectedServer &server, keys::Glob glob);
    ~WatchedLocks() override;

    [[nodiscard]] const history::History &history() const { return m_history; }
    /// The locks that are there now, with what is known of them.
    struct Held
    {
        LockFacts facts;
        std::optional<base::Deadline> deadline;
    };
    [[nodiscard]] const QHash<QByteArray, Held> &held() const { return m_held; }
    /// Of how many keys it is known that they match, where all of them have been looked at and none is a lock, nor has
    /// one been since it began; else 0.
    [[nodiscard]] qsizetype matchesWithoutLock() const;

Q_SIGNALS:
    /// A lock that was there before anybody looked.
    void seen(const QByteArray &key, const latchkey::cli::LockFacts &facts,
              const std::optional<latchkey::base::Deadline> &deadline, latchkey::base::MonotonicTime at);
    /// Something has happened to a lock. facts: as of before it, of one that has appeared as of after.
    void happened(const latchkey::keyspace::Happening &happening, const latchkey::cli::LockFacts &facts);

private:
    /// A key that may be a lock and is followed, until its value tells.
    struct Candidate
    {
        std::optional<base::Deadline> deadline;
        std::optional<keyspace::Happening> appeared; ///< What is told as soon as it is known to be a lock.
        std::optional<LockFacts> was;                ///< It has been one before: it is one whenever it comes.
        bool isNew = false;
        bool isAskedAgain = false;
    };

    void observed(const keyspace::Observations &observations) override;
    void emptied(keyspace::NodeIndex, base::MonotonicTime, base::MonotonicTime) override {}
    [[nodiscard]] bool mayBeLock(const keyspace::Observation &observation) const;
    void consider(const keyspace::Observation &observation);
    [[nodiscard]] bool isWorthReading(const QByteArray &key, const base::Deadline &deadline) const;
    void valueRead(const keyspace::Observation &observation, const keys::RawValue &value);
    void take(const keyspace::Happening &happening);
    void takeOfCandidate(const keyspace::Happening &happening);
    void tell(const keyspace::Happening &happening);
    void drop(const QByteArray &key);
    void attend();
    void adopt(const QByteArray &key);
    void noteSight();

    inspection::InspectedServer &m_server; // Not owned.
    const keys::Glob m_glob;
    history::History m_history;
    QHash<QByteArray, Candidate> m_candidates;
    QHash<QByteArray, Held> m_held;
    QSet<QByteArray> m_rejected; ///< Read, and no locks; until something happens to them.
    QTimer m_attend;
    bool m_hasLock = false; ///< There was one.
};

} // namespace latchkey::cli

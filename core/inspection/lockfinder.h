#pragma once

#include "core/base/uniquequeue.h"
#include "core/inspection/companions.h"
#include "core/inspection/guesses.h"
#include "core/inspection/samevalues.h"
#include "core/inspection/surroundingsasker.h"
#include "core/recognition/recogniser.h"

#include <QDeadlineTimer>
#include <QObject>

#include <functional>

namespace latchkey::inspection {

/// Finds the locks among a server's keys, and keeps what is worked out about them beside the keys, as their facts.
///
/// Names choose which values are worth reading, on screen or off; recognition says what they are, and what else to read
/// to be surer. So all locks are found, and a million plain keys cost one look at each name. Whose name says nothing is
/// read too where there are few keys, and among many, when there is time for it, if it ends as soon as a lease does.
/// What changes is looked at again.
/// Owned by an InspectedServer, which calls lookOn() after each commit; store, watcher, fan-out and clock are not
/// owned.
class LockFinder final : public QObject, private keys::KeyView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockFinder)

public:
    /// More keys than these with a lock's name are not read.
    static constexpr qsizetype mostCandidates = 100'000;
    /// Among no more keys than these, those are read as well whose names could be anything.
    static constexpr qsizetype fewKeys = 20'000;

    LockFinder(keys::KeyStore &store, keyspace::Watcher &watcher, keyspace::FanOut &fanOut, const base::Clock &clock,
               QObject *parent = nullptr);
    ~LockFinder() override;

    [[nodiscard]] const recognition::Recogniser &recogniser() const { return m_recogniser; }
    /// Other dialects: everything is looked at anew.
    void setDialects(const recognition::Dialects &dialects);
    /// See Recogniser::setTold().
    void setTold(const recognition::Recogniser::Told &told);

    /// What was read of a key, and what it is recognised as.
    struct Looked
    {
        recognition::Sighting sighting;
        recognition::Recognition recognition;
    };
    /// By all that is known now; absent where the key is not known.
    [[nodiscard]] std::optional<Looked> lookUp(const QByteArray &key) const;
    /// Only what it is recognised as; without candidates where it is no lock, or not known.
    [[nodiscard]] recognition::Recognition recognise(const QByteArray &key) const;

    /// Counts what is wrong with a lock: see Judge. None unless set.
    using CountFindings = std::function<int(const Looked &looked)>;
    void setCountFindings(CountFindings count) { m_countFindings = std::move(count); }
    /// How far the server's clock is ahead of ours: what a value says of times is reckoned by that one.
    void setServerAhead(std::chrono::milliseconds ahead) { m_serverAhead = ahead; }
    /// Something that all locks are judged by has changed.
    void lookAtAll();
    /// Something that these keys are judged by has changed.
    void lookAgain(const QSet<QByteArray> &keys);
    /// Its end was moved from here, to this one: nobody has renewed it.
    void endMovedHere(const QByteArray &key, const base::Deadline &deadline, base::MonotonicTime at);
    /// How its time left has moved while it was watched in this hold; nothing for a key that is no candidate.
    [[nodiscard]] const recognition::Rhythm *rhythm(const QByteArray &key) const;

    /// How many of the keys are locks, as far as is known now.
    [[nodiscard]] qsizetype lockCount() const { return m_locks.size(); }
    /// How many keys something is wrong with.
    [[nodiscard]] qsizetype findingCount() const { return m_findings.size(); }
    /// Not all keys with a lock's name are read: there are too many.
    [[nodiscard]] bool isIncomplete() const { return m_isIncomplete; }
    /// Nothing is waiting to be read or looked at.
    [[nodiscard]] bool isIdle() const;

    /// Looks at what has come and changed, until the deadline; true if more is waiting.
    bool lookOn(const QDeadlineTimer &deadline);

    /// Keys that the first scan has met are still to be looked at: what comes now may have been there before.
    [[nodiscard]] bool isCatchingUp() const { return m_isCatchingUp; }

    /// Whether it is a lock, as far as is known now.
    [[nodiscard]] bool isLock(const QByteArray &key) const { return m_locks.contains(key); }

Q_SIGNALS:
    /// A key has come that may be a lock by its name.
    void candidateMet(const QByteArray &key);
    /// This key has been looked at: see isLock().
    void recognised(const QByteArray &key);

private:
    /// A key that may be a lock.
    struct Candidate
    {
        keys::RawValue value; ///< As it was last looked at.
        recognition::Rhythm rhythm;
        base::MonotonicTime sampled; ///< Up to when the rhythm knows.
        base::Deadline deadline;
    };

    [[nodiscard]] bool isBusy() const override { return false; }
    void work(QDeadlineTimer) override {}
    void aboutToChange(std::span<const keys::KeyId> ids) override;
    void changed(std::span<const keys::KeyId> added) override;
    void aboutToClear() override;

    [[nodiscard]] bool areKeysFew() const;
    void screen(keys::KeyId id);
    void screenAll();
    void take(keys::KeyId id);
    void look(keys::KeyId id, const QByteArray &key);
    void forget(const QByteArray &key);
    void ask(const QByteArray &key, const std::vector<recognition::Question> &questions);
    void readInTurn();
    void readGuesses();
    void dropWrongGuess(const QByteArray &key);
    [[nodiscard]] recognition::Sighting sightingOf(keys::KeyId id, const QByteArray &key) const;

    keys::KeyStore &m_store;      // Not owned.
    keyspace::Watcher &m_watcher; // Not owned.
    keyspace::FanOut &m_fanOut;   // Not owned.
    const base::Clock &m_clock;   // Not owned.
    recognition::Recogniser m_recogniser;
    recognition::Recogniser::Told m_told;
    Companions m_companions;
    SurroundingsAsker m_surroundings;

    Guesses m_guesses;
    std::vector<keys::KeyId> m_unscreened;  ///< Have come, and their names have not been looked at.
    base::UniqueQueue<keys::KeyId> m_dirty; ///< Their values are known, or something else about them has changed.
    std::vector<keys::KeyId> m_changing;    ///< During a commit.
    QHash<QByteArray, Candidate> m_candidates;
    QSet<QByteArray> m_locks;
    QSet<QByteArray> m_findings; ///< Of the locks, those with which something is wrong.
    SameValues m_sameValues;
    bool m_isIncomplete = false;
    bool m_isCatchingUp = true;
    QList<QByteArray> m_turn; ///< Locks that are read again one after the other, where nobody tells of changes.
    base::MonotonicTime m_nextTurn;
    CountFindings m_countFindings;
    std::chrono::milliseconds m_serverAhead {};
};

} // namespace latchkey::inspection

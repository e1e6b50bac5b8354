#pragma once

#include "core/foundation/base/uniquequeue.h"
#include "core/inspect/detection/lockcandidatequeue.h"
#include "core/inspect/detection/lockcandidates.h"
#include "core/inspect/detection/servercontextreader.h"
#include "core/inspect/findings/finding.h"
#include "core/inspect/recognition/recogniser.h"

#include <QDeadlineTimer>
#include <QObject>

#include <QVarLengthArray>

#include <functional>

namespace latchkey::detection {

/// A finder of locks among the keys of a server. It writes its results to the KeyAnalysis of each key.
///
/// The name of a key decides whether its value is read, whether or not the key is on screen. Recognition then
/// classifies the key and may request more reads. So all locks are found, and a million plain keys cost one name check
/// each. A key with an unclear name is also read if there are few keys. Among many keys, such a key is read in idle
/// time, and only if it expires within a usual lease. A changed key is examined again. Owned by an InspectedServer,
/// which calls continueRecognition() after each commit; store, watcher, dispatcher and clock are not owned.
class LockFinder final : public QObject, private keys::KeyStoreObserver
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockFinder)

public:
    /// Maximum number of keys that are read because they may be locks.
    static constexpr qsizetype maxCandidates = 100'000;
    /// Up to this number of keys, those with unclear names are read too.
    static constexpr qsizetype fewKeys = 20'000;

    LockFinder(keys::KeyStore &store, watching::Watcher &watcher, events::ObservationDispatcher &dispatcher,
               const base::Clock &clock, QObject *parent = nullptr);
    ~LockFinder() override;

    [[nodiscard]] const recognition::Recogniser &recogniser() const { return m_recogniser; }
    /// Sets other dialects and examines all keys again.
    void setDialects(const recognition::Dialects &dialects);
    /// See Recogniser::setRecordedRecognition().
    void setRecordedRecognition(const recognition::Recogniser::RecordedRecognition &recorded);

    /// The data that was read from a key, and its recognition.
    struct RecognisedKey
    {
        recognition::KeySample sample;
        recognition::Recognition recognition;
    };
    /// Recognises a key from the known data. Absent if the key is unknown.
    [[nodiscard]] std::optional<RecognisedKey> lookUp(const QByteArray &key) const;
    /// Returns only the recognition; without candidates if the key is unknown or not a lock.
    [[nodiscard]] recognition::Recognition recognise(const QByteArray &key) const;
    /// Recognises the key with this value instead of the stored one, such as the value of an earlier hold.
    [[nodiscard]] recognition::Recognition recogniseWithValue(const QByteArray &key, const keys::RawValue &value) const;
    /// Returns whether the key is probably a lock: by its name, or because a release of the key was seen.
    [[nodiscard]] bool isLikely(QByteArrayView name) const;

    /// A function that returns the findings of a lock, and adds the findings and the client to its analysis; see
    /// FindingsEvaluator. Default: adds nothing.
    using Evaluator =
        std::function<std::vector<findings::Finding>(const RecognisedKey &recognised, keys::KeyAnalysis &analysis)>;
    void setEvaluator(Evaluator evaluator) { m_evaluator = std::move(evaluator); }
    /// See LockCandidates::setServerAhead().
    void setServerAhead(std::chrono::milliseconds ahead) { m_candidates.setServerAhead(ahead); }
    /// Examines all locks again, after a change that affects the findings of all of them.
    void examineAll();
    /// Examines these keys again, after a change that affects their findings.
    void reexamine(const QSet<QByteArray> &keys);
    /// See LockCandidates::recordOwnExpiryChange().
    void recordOwnExpiryChange(const QByteArray &key, const base::Deadline &deadline, base::MonotonicTime at)
    {
        m_candidates.recordOwnExpiryChange(key, deadline, at);
    }
    /// Returns the history of the key's TTL during this hold. Null if the key is not a candidate. Valid until the
    /// next continueRecognition() or commit.
    [[nodiscard]] const recognition::TtlHistory *ttlHistory(const QByteArray &key) const
    {
        return m_candidates.ttlHistory(key);
    }

    /// Returns the number of keys that are recognised as locks.
    [[nodiscard]] qsizetype lockCount() const { return m_locks.size(); }
    /// Returns the number of keys with findings.
    [[nodiscard]] qsizetype findingCount() const { return m_findings.size(); }
    /// The kind and the severity of a finding.
    struct FoundKind
    {
        findings::FindingKind kind = findings::FindingKind::NoExpiry;
        findings::Severity severity = findings::Severity::Info;
    };
    using FoundKinds = QVarLengthArray<FoundKind, 4>;
    /// Returns the findings of the last examination of this lock. Evaluates nothing, so that it is cheap for all locks.
    [[nodiscard]] FoundKinds findingsOfLastExamination(const QByteArray &key) const { return m_found.value(key); }
    /// Returns whether keys that may be locks are unread, because there are more than maxCandidates.
    [[nodiscard]] bool isIncomplete() const { return !m_unrequested.isEmpty(); }
    /// Returns whether no key waits to be read or examined.
    [[nodiscard]] bool isIdle() const;

    /// Examines new and changed keys until the deadline. Returns true if more are waiting.
    bool continueRecognition(const QDeadlineTimer &deadline);

    /// Returns whether keys of the first scan still have to be examined. A lock that is found until then may be older.
    [[nodiscard]] bool isCatchingUp() const { return m_isCatchingUp; }

    /// Returns whether the key is recognised as a lock.
    [[nodiscard]] bool isLock(const QByteArray &key) const { return m_locks.contains(key); }

Q_SIGNALS:
    /// Emitted when a key was found that is probably a lock: see isLikely().
    void candidateFound(const QByteArray &key);
    /// Emitted when this key was examined: see isLock().
    void recognised(const QByteArray &key);

private:
    [[nodiscard]] bool isBusy() const override { return false; }
    void work(QDeadlineTimer) override {}
    void aboutToChange(std::span<const keys::KeyId> ids) override;
    void changed(std::span<const keys::KeyId> added) override;
    void aboutToClear() override;

    [[nodiscard]] bool areKeysFew() const;
    void classify(keys::KeyId id);
    void classifyAll();
    void take(keys::KeyId id);
    void examine(keys::KeyId id, const QByteArray &key);
    void forget(const QByteArray &key);
    void requestReads(const QByteArray &key, const std::vector<recognition::ReadRequest> &requests);
    void readInTurn();
    void readCandidates();
    void noteUnrequested();
    void dropWrongCandidate(const QByteArray &key);

    keys::KeyStore &m_store;                     // Not owned.
    watching::Watcher &m_watcher;                // Not owned.
    events::ObservationDispatcher &m_dispatcher; // Not owned.
    const base::Clock &m_clock;                  // Not owned.
    recognition::Recogniser m_recogniser;
    recognition::Recogniser::RecordedRecognition m_recordedRecognition;
    CompanionKeys m_companions;
    Releases m_releases;
    LockCandidates m_candidates;
    ServerContextReader m_serverContext;

    LockCandidateQueue m_candidateQueue;
    std::vector<keys::KeyId> m_unclassified;                ///< New keys with names that were not checked yet.
    std::optional<base::MonotonicTime> m_unclassifiedSince; ///< Absent: all names have been checked.
    base::UniqueQueue<keys::KeyId> m_dirty;                 ///< Keys to examine: with a known value, or with a change.
    std::vector<keys::KeyId> m_changing;                    ///< Set during a commit.
    QSet<QByteArray> m_locks;
    QSet<QByteArray> m_findings;                  ///< Locks with findings above the severity Info.
    QHash<QByteArray, FoundKinds> m_found;        ///< Findings of the last examination, for locks that have any.
    base::UniqueQueue<keys::KeyId> m_unrequested; ///< Keys that may be locks and wait for free space in m_candidates.
    bool m_isCatchingUp = true;
    QList<QByteArray> m_turn; ///< Locks that are re-read in turn, if the server sends no events.
    base::MonotonicTime m_nextTurn;
    Evaluator m_evaluator;
};

} // namespace latchkey::detection

#pragma once

#include "core/explore/programs/solorun.h"
#include "core/explore/races/subject.h"

namespace latchkey::programs {

/// A program as the subject of the race finder. Shared by the Subject that subjectFor() creates and its run factories.
class ExploredProgram final : public races::ExternalProgram
{
public:
    /// Creates the subject. `clients`: number of clients, not counting the next client.
    ExploredProgram(Program program, int clients);

    [[nodiscard]] schedules::FaultLimits limits() const override { return program().limits; }
    [[nodiscard]] base::Result<void> open() override;
    [[nodiscard]] bool isClockControlled() const override { return m_trees.front()->isClockControlled(); }
    [[nodiscard]] QString clockLibrary() const override { return program().clockLibrary; }
    [[nodiscard]] bool sendsTimes() const override { return m_trees.size() > 1; }
    [[nodiscard]] quint32 nextClientSections() const override { return m_nextClientSections; }
    [[nodiscard]] bool restartAfterError() override;
    [[nodiscard]] bool wasStopped() const override { return m_wasStopped; }
    [[nodiscard]] bool hasOtherClocks() const override;
    [[nodiscard]] bool hasWaited() const override;
    [[nodiscard]] std::span<const races::Rule *const> rules() const override;
    [[nodiscard]] base::Result<bool> prepare(races::EffectCache &effectCache, QDeadlineTimer deadline) override;
    [[nodiscard]] bool applies(const QString &promise) const override;
    [[nodiscard]] base::Text notApplicableReason(const QString &promise) const override;
    [[nodiscard]] std::optional<base::Error> error() const override;
    [[nodiscard]] bool hasReachedCommandLimit() const override;
    [[nodiscard]] std::optional<int> livelockRepetitions() const override;
    [[nodiscard]] bool hasBusyWait() const override;
    [[nodiscard]] std::optional<int> lateRetries() const override;
    [[nodiscard]] QString soloLivelockCommand() const override { return m_soloLivelockCommand; }
    [[nodiscard]] bool endsAlone() const override;
    [[nodiscard]] bool hasEndedClient() const override;
    [[nodiscard]] std::vector<races::FailedEnd> failedEnds() const override;
    [[nodiscard]] qint64 starts() const override;
    [[nodiscard]] races::ResourceAccess accessBy(const resp::Commands &commands, const resp::Reply &reply,
                                                 const races::Snapshot &before, const races::Snapshot &after,
                                                 const races::KeyInfluence &influence) const override;
    [[nodiscard]] bool isAuxiliary(const QByteArray &key) const override;
    [[nodiscard]] bool mayBeLock(const QByteArray &key) const override;
    [[nodiscard]] bool isHeldAlone(const QByteArray &key) const override;
    [[nodiscard]] int majorityOf(const QByteArray &key) const override;
    [[nodiscard]] std::vector<races::LockKey> lockKeys() const override { return m_lockKeys; }
    [[nodiscard]] base::Result<void> validate(races::Transitions &transitions,
                                              const races::Schedule &schedule) override;

    /// Returns whether the key must not stay without an expiry: it is neither the resource nor data of the user.
    [[nodiscard]] bool mustExpire(const QByteArray &key) const;
    /// Returns whether any process was forked from another instead of started.
    [[nodiscard]] bool hasForked() const;
    /// Returns the time spent on starting processes.
    [[nodiscard]] std::chrono::nanoseconds timeOfStarts() const;
    [[nodiscard]] races::RunFactory client(races::ClientIndex client) const;
    [[nodiscard]] const Program &program() const { return m_program; }

private:
    [[nodiscard]] base::Result<void> begin(races::EffectCache &effectCache);
    [[nodiscard]] base::Result<void> advanceAlone(races::EffectCache &effectCache);
    [[nodiscard]] base::Result<void> endAlone();

    [[nodiscard]] const std::shared_ptr<ObservationTree> &treeOf(races::ClientIndex client) const;

    Program m_program; ///< Changed only by restartAfterError().
    const int m_clients;
    /// One behaviour for all clients, or one for each client including the next one if they send times.
    std::vector<std::shared_ptr<ObservationTree>> m_trees;
    bool m_wasStopped = false;
    qint64 m_startsBefore = 0; ///< Number of starts for discarded behaviours.
    std::unique_ptr<SoloRun> m_soloRun;
    bool m_isOpen = false;
    bool m_isPrepared = false;
    std::vector<races::LockKey> m_lockKeys; ///< Keys that a client alone held when it entered.
    QString m_soloLivelockCommand;          ///< Command that a client alone repeats forever.
    bool m_usesResource = false;            ///< Whether a client alone has read or written the resource.
    quint32 m_nextClientSections = 0;
    bool m_hasCriticalSections = false; ///< Whether a client alone has reported that it was inside.
};

/// Creates the subject for the program. `clients`: 1 to maxClients - 1.
[[nodiscard]] races::Subject subjectFor(const Program &program, int clients);

} // namespace latchkey::programs

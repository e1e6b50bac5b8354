#pragma once

#include "core/keyspace/events/coverage.h"
#include "core/keyspace/events/observation.h"
#include "core/keyspace/watching/fieldlifetimes.h"

#include <QObject>

#include <optional>

namespace latchkey::watching {

/// The interface to the status of the observation of one node: progress and coverage.
///
/// A live server and a recording have the same status, so the same code draws the same conclusions from both. Its
/// requests are controlled by a Watcher. Owned by a node.
class WatchStatus : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WatchStatus)

public:
    enum class Phase : quint8 {
        Away,      ///< Not connected.
        FirstScan, ///< First scan of all keys.
        Watching,  ///< Polling within the budget.
    };
    Q_ENUM(Phase)

    explicit WatchStatus(QObject *parent = nullptr);
    ~WatchStatus() override;

    [[nodiscard]] virtual Phase phase() const = 0;
    /// Returns the number of keys that the current scan has returned.
    [[nodiscard]] virtual quint64 keysScanned() const = 0;
    /// Returns the server's number of keys, including expired keys not removed yet; 0: none or unknown.
    [[nodiscard]] virtual qint64 databaseSize() const = 0;
    /// Returns whether only a part of the keys is known: there are too many, or new keys were not scanned yet.
    [[nodiscard]] virtual bool isIncomplete() const = 0;
    /// Returns the coverage of answers about the server's keys at this time.
    [[nodiscard]] virtual events::Coverage coverage() const = 0;
    /// Returns the time of the last gapChanged().
    [[nodiscard]] virtual base::MonotonicTime gapChangedAt() const = 0;
    /// Returns whether every change is reported, so that new keys are known without a scan.
    [[nodiscard]] virtual bool hasChangeEvents() const = 0;
    /// Returns the source of the reads that find new keys.
    [[nodiscard]] events::Source discoverySource() const
    {
        return hasChangeEvents() ? events::Source::NotifiedRead : events::Source::Poll;
    }
    /// Returns the time within which a new key is found, from the duration of the last scan. Absent before the end of
    /// the second scan, and if changes are reported.
    [[nodiscard]] virtual std::optional<std::chrono::milliseconds> newKeyDelay() const = 0;
    /// Returns the longest time for which a newly found key may have existed unobserved; absent: any time.
    [[nodiscard]] virtual std::optional<std::chrono::milliseconds> unseenFor() const = 0;
    /// Returns the start of the last complete scan over this connection. That scan has returned every key that existed
    /// from then on. Absent: no scan has been completed.
    [[nodiscard]] virtual std::optional<base::MonotonicTime> lastScanBegan() const = 0;
    /// Returns the time of the server's last answer.
    [[nodiscard]] virtual base::MonotonicTime lastAnswered() const = 0;
    /// Returns the refusal that makes the known keys incomplete; absent: none.
    [[nodiscard]] virtual const std::optional<base::Error> &problem() const = 0;
    /// Returns whether the server reports lifetimes of hash fields, as far as asked.
    [[nodiscard]] virtual FieldLifetimeSupport fieldLifetimes() const { return {}; }
    /// Returns whether the first scan runs at full speed, without a limit.
    [[nodiscard]] virtual bool hasFastFirstScan() const = 0;
    /// Returns the time that the rest of the first scan takes, as far as it can be estimated; absent: unknown, or no
    /// first scan.
    [[nodiscard]] virtual std::optional<std::chrono::seconds> firstScanLeft() const { return {}; }
    /// Returns the time that the server has spent on the commands of this program, in microseconds. It is estimated
    /// from the server's statistics; absent: the server does not report them.
    [[nodiscard]] virtual std::optional<double> serverTimeSpent() const { return {}; }

Q_SIGNALS:
    /// Emitted when a gap has begun or ended, or its reason has changed; see coverage().
    void gapChanged();
    void phaseChanged(latchkey::watching::WatchStatus::Phase phase);
    /// Emitted when the scan has progressed, or databaseSize(), isIncomplete() or problem() has changed.
    void progressChanged();
    /// Emitted regularly, also while the server is away. Users show new observations and call setVisibleKeys().
    void ticked();
};

} // namespace latchkey::watching

#pragma once

#include "core/foundation/base/glob.h"
#include "core/keyspace/budget/commandlimit.h"
#include "core/keyspace/events/coverage.h"
#include "core/keyspace/watching/fieldlifetimes.h"
#include "core/keyspace/watching/valuereader.h"

#include <QPointer>

#include <functional>
#include <optional>

namespace latchkey::watching {

/// The interface of a watcher of one node: progress and coverage and, for a live server, control of the requests.
///
/// A ServerWatcher asks a server. A recording's watcher repeats a recorded observation and ignores requests, so the
/// same code draws the same conclusions from both. Owned by a node.
class Watcher : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Watcher)

public:
    enum class Phase : quint8 {
        Away,      ///< Not connected.
        FirstScan, ///< First scan of all keys.
        Watching,  ///< Polling within the budget.
    };
    Q_ENUM(Phase)

    /// Maximum number of keys for sorting by value, which reads every value.
    static constexpr qsizetype maxValuesForSorting = 100'000;

    explicit Watcher(QObject *parent = nullptr);
    ~Watcher() override;

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

    // Effective only with a real server:

    /// Sets the limit while watching; CommandLimit::ofWatching() by default.
    virtual void setLimit(const budget::CommandLimit &) {}
    [[nodiscard]] virtual budget::CommandLimit limit() const { return budget::CommandLimit::ofWatching(); }
    void setCommandsPerSecond(int commands) { setLimit(budget::CommandLimit::ofRate(commands)); }
    /// Sets the limit of the first scan; absent, as by default: none. Takes effect at once. Without this limit, reads
    /// for setCompletion() and the requests of a first scan also ignore the limit of setLimit().
    virtual void setFirstScanLimit(const std::optional<budget::CommandLimit> &) {}
    /// Returns the time of a first scan of this many keys within the limit.
    [[nodiscard]] virtual std::chrono::seconds scanTimeWithin(const budget::CommandLimit &, qint64) const { return {}; }
    /// Pauses all requests; the known keys stay.
    virtual void setPaused(bool) {}
    [[nodiscard]] virtual bool isPaused() const { return false; }
    /// Sets the visible keys, which are queried more often, and whose values are read.
    virtual void setVisibleKeys(const std::vector<keys::KeyId> &) {}
    /// Reads the types, or the values, of all keys that lack them, to sort the rows by them; absent: only of keys on
    /// screen.
    virtual void setCompletion(std::optional<ValueReader::What>) {}
    /// Reads the values of these keys, on screen or not, after the first scan and after everything more urgent. Obeys
    /// the limit, except for requests made during a first scan without limit.
    virtual void requestValues(const QList<QByteArray> &) {}
    /// Sets the number of keys whose values are wanted and are not requested, because there are too many.
    virtual void setUnrequested(qint64) {}
    /// Marks the requests after a first scan as complete; later requests obey the limit.
    virtual void markInitialRequestsComplete() {}
    /// Returns the number of requests not read yet.
    [[nodiscard]] virtual qsizetype requests() const { return 0; }
    /// Sends other commands over the same connection, within the limit, at the next tick. `answered` is not called
    /// without a connection, if the connection is lost first, or after the destruction of `context`, its receiver.
    virtual void send(resp::Commands commands, const QObject *context, net::RequestScope::Answered answered) = 0;
    /// Handles a change of these keys: queries them at once, without a tick, or as soon as the limit allows.
    virtual void keysChanged(const QList<QByteArray> &) {}
    /// Queries keys that match one of these patterns before others.
    virtual void prefer(const std::vector<base::Glob> &) {}
    /// Restricts requests to keys that match one of these patterns; all names are still scanned. For a watcher with one
    /// user; call it before the start.
    virtual void confine(const std::vector<base::Glob> &) {}

Q_SIGNALS:
    /// Emitted when a gap has begun or ended, or its reason has changed; see coverage().
    void gapChanged();
    void phaseChanged(latchkey::watching::Watcher::Phase phase);
    /// Emitted when the scan has progressed, or databaseSize(), isIncomplete() or problem() has changed.
    void progressChanged();
    /// Emitted regularly, also while the server is away. Users show new observations and call setVisibleKeys().
    void ticked();
    /// Emitted when the commands of send() have been answered.
    void answered(const latchkey::resp::Commands &commands, const latchkey::net::Connection::Delivery &delivery);

protected:
    /// A request of send().
    struct Request
    {
        resp::Commands commands;
        QPointer<const QObject> context;
        net::RequestScope::Answered answered;
    };
};

} // namespace latchkey::watching

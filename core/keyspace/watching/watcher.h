#pragma once

#include "core/foundation/base/glob.h"
#include "core/keyspace/budget/commandlimit.h"
#include "core/keyspace/watching/valuereader.h"
#include "core/keyspace/watching/watchstatus.h"

#include <QPointer>

#include <functional>

namespace latchkey::watching {

/// The interface of a watcher of one node: its status, and the control of its requests.
///
/// A ServerWatcher sends requests to a server. The watcher of a recording repeats the recorded observations; its
/// control has no effect, because a recording needs no requests. Owned by a node.
class Watcher : public WatchStatus
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Watcher)

public:
    /// Maximum number of keys for sorting by value, which reads every value.
    static constexpr qsizetype maxValuesForSorting = 100'000;

    explicit Watcher(QObject *parent = nullptr);
    ~Watcher() override;

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
    virtual void setCompletion(std::optional<ValueReader::Part>) {}
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
    virtual void setPreferredKeys(const std::vector<base::Glob> &) {}
    /// Restricts requests to keys that match one of these patterns; all names are still scanned. For a watcher with one
    /// user; call it before the start.
    virtual void setKeyFilter(const std::vector<base::Glob> &) {}

Q_SIGNALS:
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

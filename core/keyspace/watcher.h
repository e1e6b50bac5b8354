#pragma once

#include "core/keys/glob.h"
#include "core/keyspace/coverage.h"
#include "core/keyspace/fieldlifetimes.h"
#include "core/keyspace/valuereader.h"

#include <functional>
#include <optional>

namespace latchkey::keyspace {

/// Looks after one node of a server, for those who draw conclusions from what it observes: how far it has come, how
/// much it has seen, and what would be worth asking next.
///
/// A ServerWatcher asks a server. A recording's has seen what another one saw: it says the same, and lets be what it is
/// told to ask; so the same code draws the same conclusions from both.
/// Owned by a node.
class Watcher : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Watcher)

public:
    enum class Phase : quint8 {
        Away,      ///< Not connected.
        FirstScan, ///< Looking at everything.
        Watching,  ///< Polling within the budget.
    };
    Q_ENUM(Phase)

    static constexpr int defaultCommandsPerSecond = 1000;
    /// Sorting by value reads every value: not of more keys than these.
    static constexpr qsizetype mostValuesRead = 100'000;

    explicit Watcher(QObject *parent = nullptr);
    ~Watcher() override;

    [[nodiscard]] virtual Phase phase() const = 0;
    /// How many keys the scan under way has met.
    [[nodiscard]] virtual quint64 keysMet() const = 0;
    /// How many keys the server says that it has, those included that have expired and not been removed yet; 0:
    /// unknown.
    [[nodiscard]] virtual qint64 databaseSize() const = 0;
    /// Only a part of the server's keys is known: there are too many, or those that came last have not been met yet.
    [[nodiscard]] virtual bool isIncomplete() const = 0;
    /// The coverage of whatever is said of the server's keys now.
    [[nodiscard]] virtual Coverage coverage() const = 0;
    /// Whether every change is told of: then nobody has to wait for a scan to meet a new key.
    [[nodiscard]] virtual bool isToldOfChanges() const = 0;
    /// Within what time a key that is new is met, going by the last scan; absent before the first is over, and where
    /// changes are told of.
    [[nodiscard]] virtual std::optional<std::chrono::milliseconds> newKeysMetWithin() const = 0;
    /// A key that is met now has come within this time; absent: it may have been there for any time.
    [[nodiscard]] virtual std::optional<std::chrono::milliseconds> unseenFor() const = 0;
    /// When the server last answered anything.
    [[nodiscard]] virtual base::MonotonicTime lastAnswered() const = 0;
    /// Something that the server does not let us do, so that what is shown is not everything.
    [[nodiscard]] virtual const std::optional<base::Error> &problem() const = 0;
    /// Whether the server tells when the fields of hashes end, as far as it was asked.
    [[nodiscard]] virtual FieldLifetimeSupport fieldLifetimes() const { return {}; }
    /// Whether everything is read as fast as it goes before the limit holds.
    [[nodiscard]] virtual bool hasFastFirstScan() const = 0;

    // Of meaning where there is a server that can be asked:

    /// The limit of what is asked; the first scan, and what setCompletion() asks for, are held to it only where
    /// setFastFirstScan(false) says so.
    virtual void setCommandsPerSecond(int) {}
    [[nodiscard]] virtual int commandsPerSecond() const { return 0; }
    /// True unless set. Takes effect at once.
    virtual void setFastFirstScan(bool) {}
    /// How long the first scan of so many keys takes within the limit.
    [[nodiscard]] virtual std::chrono::seconds scanTimeWithinLimit(qint64) const { return {}; }
    /// While paused nothing is asked; what is known stays as it is.
    virtual void setPaused(bool) {}
    [[nodiscard]] virtual bool isPaused() const { return false; }
    /// The keys on screen: asked about more often, and their values are read.
    virtual void setAttention(const std::vector<keys::KeyId> &) {}
    /// Reads the types, or the values, of all keys that lack them, because the rows are to be sorted by them; absent:
    /// only of those on screen.
    virtual void setCompletion(std::optional<ValueReader::What>) {}
    /// Reads the values of these keys, which need not be on screen, once everything has been looked at and nothing more
    /// urgent is to be read: within the limit, but for what was wished for during a first scan that is not held to it
    /// either.
    virtual void wish(const QList<QByteArray> &) {}
    /// All that there is to wish for after a first scan has been wished for: what comes later is held to the limit.
    virtual void allWished() {}
    /// How many wishes have not been read yet.
    [[nodiscard]] virtual qsizetype wishes() const { return 0; }
    /// Asks something else over the same connection, within the limit, at the next tick. Not answered where there is no
    /// connection, or where it is lost before.
    virtual void ask(resp::Commands commands, std::function<void(const resp::Connection::Delivery &)> answered) = 0;
    /// Something has happened to these keys: they are asked about at once, without waiting for a tick, as far as the
    /// limit allows, and otherwise as soon as it does.
    virtual void touched(const QList<QByteArray> &) {}
    /// Keys that match one of these are asked about before others.
    virtual void prefer(const std::vector<keys::Glob> &) {}
    /// Only keys that match one of these are asked about; the names of all are looked at. For a watcher with one user,
    /// before it starts.
    virtual void confine(const std::vector<keys::Glob> &) {}

Q_SIGNALS:
    /// A time in which nothing is seen has begun or ended: see coverage().
    void sightChanged();
    void phaseChanged(latchkey::keyspace::Watcher::Phase phase);
    /// The scan has gone on, or databaseSize(), isIncomplete() or problem() has changed.
    void progressChanged();
    /// Regularly, also while the server is away: time to show what was observed, and to say what is on screen.
    void ticked();
    /// What ask() was for has been answered.
    void answered(const latchkey::resp::Commands &commands, const latchkey::resp::Connection::Delivery &delivery);
};

} // namespace latchkey::keyspace

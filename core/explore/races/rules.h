#pragma once

#include "core/explore/races/externalprogram.h"
#include "core/explore/races/run.h"
#include "core/explore/races/schedule.h"
#include "core/explore/schedules/serverfaultlimits.h"

#include <QString>

#include <span>

namespace latchkey::races {

/// State of a rule along a schedule, in addition to servers and clients, packed into a number.
using RuleState = quint32;

/// Leases and lifetimes that may end.
enum class Lapses : quint8 {
    None,
    Due, ///< Leases on which no living client relies: leases of dead clients, and leases with an earlier end than
         ///< requested.
    Any,
};

/// The moves that a rule permits in addition to the commands of the clients: faults, and optional operations of
/// clients that are inside. The default permits none.
struct Faults
{
    bool crashes = false;
    Lapses lapses = Lapses::None;
    bool clocksDiffer = false;  ///< Whether clocks differ by more than the leases.
    bool extendsInside = false; ///< Whether a client that is inside may extend once, if the recipe supports it.
    bool writesInside = false;  ///< Whether a client that is inside may write once to the resource behind the lock.
    bool foreignKey = false;    ///< Whether the key holds a value of another type at the start.
    bool guardStays = false;    ///< Whether guards never expire.
    bool failovers = false;     ///< Whether a replica may take over that lacks a server's last writes.
    bool restarts = false;      ///< Whether a server may restart.
    bool clockJumps = false;    ///< Whether a server's clock may jump forward.
    bool partitions = false;    ///< Whether a client may fail to reach a server for a while.

    /// Returns whether any server fault is permitted.
    [[nodiscard]] bool includeServers() const { return failovers || restarts || clockJumps || partitions; }
};

using schedules::Persistence;
using schedules::ServerFaultLimits;

/// Faults to leave out of a search, even if the rule permits them.
struct ExcludedFaults
{
    bool crashes = false;
    bool lapses = false;
};

/// Effect of a move on the lock, or on the cached key, on one server.
struct LockChange
{
    bool ended = false;
    bool valueChanged = false;
    bool lifetimeChanged = false;
    qint8 holder = noClient;  ///< Holder before the move.
    qint8 writer = noClient;  ///< Writer before the move.
    ResourceAccess access {}; ///< Use of the shared resource, if the clients are programs.
    quint8 violated = 0;      ///< Other clients whose lock the move ended or changed, one bit each.

    [[nodiscard]] bool happened() const { return ended || valueChanged || lifetimeChanged; }
};

/// A move with its circumstances, as input for a rule.
struct Transition
{
    const Move &move;
    const ClientStatus &from; ///< Status when the command was sent; after the choice of a branch, at a fork.
    const ClientStatus &to;
    const LockChange &change;
    int inside = 0; ///< Number of clients inside one of the moving client's critical sections, after the
                    ///< move; 0 for crashes and lapses.
};

/// The check in each state in which no client is under way: all have finished, crashed or not begun.
enum class AtEnd : quint8 {
    Nothing,              ///< No check.
    NextClientAcquires,   ///< After all leases have ended, a new client gets the lock.
    RequiredKeysExpire,   ///< Keys with Subject::mustExpire() have a lifetime.
    NoKeyWithoutLifetime, ///< No key is without a lifetime.
};

/// One promise as the race finder checks it: the faults to explore, and the behaviour that is forbidden.
///
/// Stateless: a rule keeps its memory in the RuleState that it receives. Rules are the exact form of the definitions in
/// the glossary of core/README.md.
class Rule
{
public:
    Rule() = default;
    virtual ~Rule();
    Q_DISABLE_COPY_MOVE(Rule)

    [[nodiscard]] virtual QString promise() const = 0;
    [[nodiscard]] virtual Faults faults() const = 0;
    /// Returns whether the move breaks the promise. May change the state of the rule.
    [[nodiscard]] virtual bool isBrokenBy(const Transition &transition, RuleState &ruleState) const = 0;
    /// Returns whether the rule needs ResourceAccess::ignoresLastRead, which takes additional processes.
    [[nodiscard]] virtual bool comparesReads() const { return false; }
    [[nodiscard]] virtual AtEnd atEnd() const { return AtEnd::Nothing; }
    /// Returns a description of the violation, as one sentence.
    [[nodiscard]] virtual QString violation() const = 0;
};

/// Returns the rules for promises of locks and of caches, in the order of the glossary.
[[nodiscard]] std::span<const Rule *const> lockRules();
[[nodiscard]] std::span<const Rule *const> cacheRules();

} // namespace latchkey::races

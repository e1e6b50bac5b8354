#pragma once

#include "core/races/foreign.h"
#include "core/races/run.h"
#include "core/races/schedule.h"

#include <QString>

#include <span>

namespace latchkey::races {

/// What a rule remembers along a schedule beside the servers and the clients, packed into a number.
using Ghost = quint32;

/// Which leases and lifetimes may end.
enum class Lapses : quint8 {
    None,
    Due, ///< Those that no living client counts on: the dead's, and one that was given an earlier end than its holder
         ///< asked for.
    Any,
};

/// What may go wrong while a promise is explored.
struct Faults
{
    bool crashes = false;
    Lapses lapses = Lapses::None;
    bool clocksDiffer = false;  ///< By more than the leases.
    bool extendsInside = false; ///< A client that is inside may extend once, where the recipe can.
    bool writesInside = false;  ///< A client that is inside may write once to the resource behind the lock.
    bool foreignKey = false;    ///< The key holds a value of another type beforehand.
    bool guardStays = false;    ///< Guards do not lapse.
};

/// Which faults are left out of a search, whatever the promise allows.
struct Without
{
    bool crashes = false;
    bool lapses = false;
};

/// What a move did to the lock, or to the cached key, on one server.
struct LockChange
{
    bool ended = false;
    bool valueChanged = false;
    bool lifetimeChanged = false;
    qint8 holder = nobody; ///< Before the move.
    qint8 writer = nobody; ///< Before the move.
    Touch touch {};        ///< Of the resource, where the clients are programs.
    quint8 robbed = 0;     ///< Likewise: others whose lock was ended or changed, a bit each.

    [[nodiscard]] bool happened() const { return ended || valueChanged || lifetimeChanged; }
};

/// A move with its circumstances, for a rule to judge.
struct Transition
{
    const Move &move;
    const Situation
        &from; ///< Of the client, as the command was sent: after it has taken its way, where it was at a fork.
    const Situation &to;
    const LockChange &change;
    int inside = 0; ///< How many clients are inside after the move, where the client itself is or nobody moves.
};

/// What is looked at whenever nobody is under way: all have finished, crashed or not begun.
enum class AtEnd : quint8 { Nothing, NextClientAcquires, WhatMustExpireDoes, NoKeyWithoutLifetime };

/// One promise as the race finder understands it: the faults under which it is explored, and what no run may show.
///
/// Stateless: what a rule has to remember is in the Ghost that it is handed. The definitions are the glossary of
/// core/README.md, made exact.
class Rule
{
public:
    Rule() = default;
    virtual ~Rule();
    Q_DISABLE_COPY_MOVE(Rule)

    [[nodiscard]] virtual QString promise() const = 0;
    [[nodiscard]] virtual Faults faults() const = 0;
    /// Whether the move breaks the promise; may change the ghost.
    [[nodiscard]] virtual bool isBrokenBy(const Transition &transition, Ghost &ghost) const = 0;
    [[nodiscard]] virtual AtEnd atEnd() const { return AtEnd::Nothing; }
    /// What a run that breaks it has shown, as one sentence.
    [[nodiscard]] virtual QString complaint() const = 0;
};

/// The rules for promises of locks and of caches, in the order of the glossary.
[[nodiscard]] std::span<const Rule *const> lockRules();
[[nodiscard]] std::span<const Rule *const> cacheRules();

} // namespace latchkey::races

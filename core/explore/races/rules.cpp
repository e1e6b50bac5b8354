#include "core/explore/races/rules.h"

#include "core/recipes/caches/catalogue.h"
#include "core/recipes/locks/catalogue.h"

#include <array>

namespace latchkey::races {

Rule::~Rule() = default;

ExternalProgram::~ExternalProgram() = default;

QString lockReasonId(LockKey::Reason reason)
{
    switch (reason) {
    case LockKey::Reason::Named:
        return QStringLiteral("named");
    case LockKey::Reason::HasToken:
        return QStringLiteral("has-token");
    case LockKey::Reason::Released:
        return QStringLiteral("released");
    case LockKey::Reason::Only:
        return QStringLiteral("only-key");
    case LockKey::Reason::Data:
        return QStringLiteral("counter");
    case LockKey::Reason::Unread:
        return QStringLiteral("unread");
    case LockKey::Reason::Kept:
        return QStringLiteral("kept");
    case LockKey::Reason::NotNamed:
        return QStringLiteral("not-named");
    case LockKey::Reason::Popped:
        return QStringLiteral("popped");
    case LockKey::Reason::Moved:
        return QStringLiteral("moved");
    }
    Q_UNREACHABLE();
}

namespace {

/// A rule: two clients are never inside at once while the requested lease of each living holder lasts.
class MutualExclusion : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return catalogue::promiseId(catalogue::Promise::MutualExclusion); }
    [[nodiscard]] Faults faults() const override
    {
        Faults faults;
        faults.crashes = true;
        faults.lapses = Lapses::Due;
        return faults;
    }
    [[nodiscard]] bool isBrokenBy(const Transition &transition, RuleState &) const override
    {
        return transition.inside > 1;
    }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(QT_TRANSLATE_NOOP("core", "two clients are inside at once"));
    }
};

/// A rule: mutual exclusion even if the clients' clocks differ.
class ClockFree final : public MutualExclusion
{
public:
    [[nodiscard]] QString promise() const override { return catalogue::promiseId(catalogue::Promise::ClockFree); }
    [[nodiscard]] Faults faults() const override
    {
        Faults faults = MutualExclusion::faults();
        faults.clocksDiffer = true;
        return faults;
    }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(QT_TRANSLATE_NOOP("core", "two clients with different clocks are inside at once"));
    }
};

/// A rule: mutual exclusion even if a server fault happens.
class ServerFaultSafe final : public MutualExclusion
{
public:
    ServerFaultSafe(catalogue::Promise promise, bool Faults::*fault, const char *violation)
        : m_promise(promise)
        , m_fault(fault)
        , m_violation(violation)
    {}

    [[nodiscard]] QString promise() const override { return catalogue::promiseId(m_promise); }
    [[nodiscard]] Faults faults() const override
    {
        Faults faults = MutualExclusion::faults();
        faults.*m_fault = true;
        return faults;
    }
    [[nodiscard]] QString violation() const override { return QLatin1String(m_violation); }

private:
    const catalogue::Promise m_promise;
    bool Faults::*const m_fault;
    const char *const m_violation;
};

/// A rule: the lock of a dead holder becomes free.
class CrashRelease final : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return catalogue::promiseId(catalogue::Promise::CrashRelease); }
    [[nodiscard]] Faults faults() const override
    {
        Faults faults;
        faults.crashes = true;
        return faults;
    }
    [[nodiscard]] bool isBrokenBy(const Transition &, RuleState &) const override { return false; }
    [[nodiscard]] AtEnd atEnd() const override { return AtEnd::NextClientAcquires; }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(QT_TRANSLATE_NOOP(
            "core", "all clients have finished or died, every lease is over, and the lock cannot be acquired"));
    }
};

/// A rule: a release or extend never ends or changes a lock that another client holds.
class OwnerOnlyRelease final : public Rule
{
public:
    [[nodiscard]] QString promise() const override
    {
        return catalogue::promiseId(catalogue::Promise::OwnerOnlyRelease);
    }
    [[nodiscard]] Faults faults() const override
    {
        Faults faults;
        faults.lapses = Lapses::Any;
        faults.extendsInside = true;
        return faults;
    }
    [[nodiscard]] bool isBrokenBy(const Transition &transition, RuleState &) const override
    {
        const bool isHolders = transition.from.stage == Stage::Releasing || transition.from.stage == Stage::Extending;
        return isHolders && transition.change.happened() && transition.change.holder != noClient
            && transition.change.holder != transition.move.client;
    }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(
            QT_TRANSLATE_NOOP("core", "a client has ended or changed a lock that another client holds"));
    }
};

/// A rule: a failed acquire does not change the holder's lock. RuleState: one bit per client, set once its acquire has
/// changed another client's lock.
class ContenderNeutral final : public Rule
{
public:
    [[nodiscard]] QString promise() const override
    {
        return catalogue::promiseId(catalogue::Promise::ContenderNeutral);
    }
    [[nodiscard]] Faults faults() const override
    {
        Faults faults;
        faults.crashes = true;
        faults.lapses = Lapses::Due;
        return faults;
    }
    [[nodiscard]] bool isBrokenBy(const Transition &transition, RuleState &ruleState) const override
    {
        if (transition.move.client == noClient || transition.from.stage != Stage::Acquiring)
            return false;
        const RuleState bit = RuleState(1) << transition.move.client;
        const LockChange &change = transition.change;
        // A lock that is being created belongs to its writer.
        const qint8 owner = change.holder != noClient ? change.holder : change.writer;
        if (change.happened() && owner != noClient && owner != transition.move.client)
            ruleState |= bit;
        if (transition.to.stage == Stage::Acquiring)
            return false;
        const bool hasTouched = (ruleState & bit) != 0;
        ruleState &= ~bit;
        return hasTouched && transition.to.hasFailed;
    }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(
            QT_TRANSLATE_NOOP("core", "a client that did not get the lock has changed or ended the holder's"));
    }
};

/// A rule: a resource that checks fencing tokens never accepts an older holder's write after a newer holder's write.
///
/// RuleState: number of acquisitions so far (3 bits); rank of each client among them (3 bits each); highest rank of an
/// accepted write (3 bits); highest number that the resource has seen (4 bits).
class Fenced final : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return catalogue::promiseId(catalogue::Promise::Fenced); }
    [[nodiscard]] Faults faults() const override
    {
        Faults faults;
        faults.lapses = Lapses::Any;
        faults.writesInside = true;
        return faults;
    }
    [[nodiscard]] bool isBrokenBy(const Transition &transition, RuleState &ruleState) const override
    {
        if (transition.move.client == noClient)
            return false;
        if (transition.from.stage == Stage::Acquiring && transition.to.isInside) {
            const RuleState rank = field(ruleState, countAt, 3) + 1;
            set(ruleState, countAt, 3, rank);
            set(ruleState, rankAt(transition.move.client), 3, rank);
        }
        if (transition.move.kind != Move::Kind::Write)
            return false;
        const RuleState seen = field(ruleState, seenAt, 4);
        const RuleState number = transition.from.fencing ? static_cast<RuleState>(*transition.from.fencing) : seen;
        if (number < seen)
            return false; // The resource refuses the write.
        set(ruleState, seenAt, 4, number);
        const RuleState rank = field(ruleState, rankAt(transition.move.client), 3);
        const RuleState newest = field(ruleState, newestAt, 3);
        set(ruleState, newestAt, 3, std::max(rank, newest));
        return rank < newest;
    }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(
            QT_TRANSLATE_NOOP("core", "the resource has taken an older holder's write after a newer holder's"));
    }

private:
    static constexpr int countAt = 0;
    static constexpr int newestAt = 3;
    static constexpr int seenAt = 6;
    static constexpr int rankAt(ClientIndex client) { return 10 + 3 * client; }
    static RuleState field(RuleState ruleState, int at, int bits)
    {
        return (ruleState >> at) & ((RuleState(1) << bits) - 1);
    }
    static void set(RuleState &ruleState, int at, int bits, RuleState value)
    {
        const RuleState mask = ((RuleState(1) << bits) - 1) << at;
        ruleState = (ruleState & ~mask) | ((value << at) & mask);
    }
};

Faults everythingButClocks()
{
    Faults faults;
    faults.crashes = true;
    faults.lapses = Lapses::Any;
    return faults;
}

class NoImmortalData final : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return catalogue::promiseId(catalogue::Promise::NoImmortalData); }
    [[nodiscard]] Faults faults() const override { return everythingButClocks(); }
    [[nodiscard]] bool isBrokenBy(const Transition &, RuleState &) const override { return false; }
    [[nodiscard]] AtEnd atEnd() const override { return AtEnd::RequiredKeysExpire; }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(QT_TRANSLATE_NOOP("core", "data is left behind that never expires"));
    }
};

class NoImmortalKey final : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return catalogue::promiseId(catalogue::Promise::NoImmortalKey); }
    [[nodiscard]] Faults faults() const override { return everythingButClocks(); }
    [[nodiscard]] bool isBrokenBy(const Transition &, RuleState &) const override { return false; }
    [[nodiscard]] AtEnd atEnd() const override { return AtEnd::NoKeyWithoutLifetime; }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(QT_TRANSLATE_NOOP("core", "a key is left behind that never expires"));
    }
};

class ForeignKeySafe final : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return catalogue::promiseId(catalogue::Promise::ForeignKeySafe); }
    [[nodiscard]] Faults faults() const override
    {
        Faults faults;
        faults.foreignKey = true;
        return faults;
    }
    [[nodiscard]] bool isBrokenBy(const Transition &transition, RuleState &) const override
    {
        return transition.change.happened();
    }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(
            QT_TRANSLATE_NOOP("core", "a key of another type has been overwritten, or its lifetime changed"));
    }
};

class NoTornRead final : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return catalogue::promiseId(catalogue::Promise::NoTornRead); }
    [[nodiscard]] Faults faults() const override { return {}; }
    [[nodiscard]] bool isBrokenBy(const Transition &transition, RuleState &) const override
    {
        return transition.move.client != noClient && transition.to.sawTornFields;
    }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(QT_TRANSLATE_NOOP("core", "a reader has seen parts of two writes, or a part of one"));
    }
};

/// A rule: at most one client recomputes a miss. RuleState: number of clients that must recompute since the value was
/// last present.
class OneRecompute final : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return catalogue::promiseId(catalogue::Promise::OneRecompute); }
    [[nodiscard]] Faults faults() const override
    {
        Faults faults = everythingButClocks();
        faults.guardStays = true;
        return faults;
    }
    [[nodiscard]] bool isBrokenBy(const Transition &transition, RuleState &ruleState) const override
    {
        if (transition.change.ended)
            ruleState = 0; // The value was present, and its end begins a new miss.
        if (transition.move.client != noClient && transition.to.mustRecompute && !transition.from.mustRecompute)
            ++ruleState;
        return ruleState > 1;
    }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(QT_TRANSLATE_NOOP("core", "two clients recompute the same miss"));
    }
};

const MutualExclusion mutualExclusion;
const CrashRelease crashRelease;
const OwnerOnlyRelease ownerOnlyRelease;
const ContenderNeutral contenderNeutral;
const ClockFree clockFree;
const Fenced fenced;
const ServerFaultSafe failoverSafe(catalogue::Promise::FailoverSafe, &Faults::failovers,
                                   QT_TRANSLATE_NOOP("core", "two clients are inside at once after a failover"));
const ServerFaultSafe restartSafe(catalogue::Promise::RestartSafe, &Faults::restarts,
                                  QT_TRANSLATE_NOOP("core", "two clients are inside at once after a server's restart"));
const ServerFaultSafe serverClockSafe(catalogue::Promise::ServerClockSafe, &Faults::clockJumps,
                                      QT_TRANSLATE_NOOP("core", "two clients are inside at once after a server's clock "
                                                                "has jumped"));
const NoImmortalData noImmortalData;
const NoImmortalKey noImmortalKey;
const ForeignKeySafe foreignKeySafe;
const NoTornRead noTornRead;
const OneRecompute oneRecompute;
const ServerFaultSafe partitionSafe(catalogue::Promise::PartitionSafe, &Faults::partitions,
                                    QT_TRANSLATE_NOOP("core", "two clients are inside at once after a client has not "
                                                              "reached a server"));

} // namespace

std::span<const Rule *const> lockRules()
{
    static const std::array<const Rule *, 10> rules {
        &mutualExclusion, &crashRelease, &ownerOnlyRelease, &contenderNeutral, &clockFree,
        &fenced,          &failoverSafe, &restartSafe,      &serverClockSafe,  &partitionSafe};
    return rules;
}

std::span<const Rule *const> cacheRules()
{
    static const std::array<const Rule *, 5> rules {&noImmortalData, &noImmortalKey, &foreignKeySafe, &noTornRead,
                                                    &oneRecompute};
    return rules;
}

} // namespace latchkey::races

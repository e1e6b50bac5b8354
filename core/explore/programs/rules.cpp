#include "core/explore/programs/rules.h"

#include "core/recipes/caches/catalogue.h"
#include "core/recipes/locks/catalogue.h"

#include <algorithm>
#include <array>

namespace latchkey::programs {

using races::AtEnd;
using races::Faults;
using races::Move;
using races::noClient;
using races::Rule;
using races::RuleState;
using races::Transition;

namespace {

Faults everyFault()
{
    Faults faults;
    faults.crashes = true;
    faults.lapses = races::Lapses::Any;
    return faults;
}

/// A rule: no client overwrites a value that another client has written since the first client's read. A write that
/// returns the overwritten value and depends on no earlier read does not count.
///
/// A later read counts instead of an earlier one, unless it returns only a property of the value, or the written value
/// does not depend on it. RuleState: six bits for each of the sets of clients below.
class LostUpdate final : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return lostUpdate(); }
    [[nodiscard]] Faults faults() const override { return everyFault(); }
    [[nodiscard]] bool comparesReads() const override { return true; }
    [[nodiscard]] bool isBrokenBy(const Transition &transition, RuleState &ruleState) const override
    {
        if (transition.move.client == noClient)
            return false;
        const RuleState own = RuleState(1) << transition.move.client;
        const auto has = [&](Set set) { return (ruleState & own << set) != 0; };
        const auto remove = [&](Set set) { ruleState &= ~(own << set); };
        if (transition.move.kind == Move::Kind::Crash) {
            for (const Set set : {ValueRead, ValueStale, PropertyRead, PropertyStale, ValueOvertaken})
                remove(set);
            return false;
        }
        const races::ResourceAccess &access = transition.change.access;
        const bool isStale = has(ValueStale) || has(PropertyStale) || (has(ValueOvertaken) && access.ignoresLastRead);
        if (access.writes) {
            remove(ValueOvertaken);
            const RuleState others = allClients & ~own;
            const RuleState readers = ruleState >> ValueRead & others;
            ruleState |= readers << ValueStale | readers << ValueOvertaken;
            ruleState |= (ruleState >> PropertyRead & others) << PropertyStale;
        }
        if (access.reads)
            ruleState |= own << (access.readsProperty ? PropertyRead : ValueRead);
        if (access.reads)
            remove(PropertyStale);
        if (access.reads && (!access.readsProperty || access.readsAbsence))
            remove(ValueStale);
        return access.overwrites && isStale;
    }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(
            QT_TRANSLATE_NOOP("core", "a client has written over what another wrote after it had read"));
    }

private:
    /// Position of a set of clients in the RuleState.
    enum Set : quint8 {
        ValueRead = 0,       ///< Clients that have read the value.
        ValueStale = 6,      ///< Clients whose last read of the value is stale.
        PropertyRead = 12,   ///< Clients that have read a property of the value.
        PropertyStale = 18,  ///< Clients whose last read of either kind is stale, after a read of a property.
        ValueOvertaken = 24, ///< Clients with any stale read of the value since their last write.
    };
    static constexpr RuleState allClients = 0x3F;
    static_assert(races::maxClients <= 6);
};

class OwnerOnlyRelease final : public Rule
{
public:
    [[nodiscard]] QString promise() const override
    {
        return catalogue::promiseId(catalogue::Promise::OwnerOnlyRelease);
    }
    [[nodiscard]] Faults faults() const override { return everyFault(); }
    [[nodiscard]] bool isBrokenBy(const Transition &transition, RuleState &) const override
    {
        return transition.move.client != noClient && transition.change.violated != 0;
    }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(
            QT_TRANSLATE_NOOP("core", "a client has ended or changed a lock that another client holds"));
    }
};

class NoImmortalKey final : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return catalogue::promiseId(catalogue::Promise::NoImmortalKey); }
    [[nodiscard]] Faults faults() const override { return everyFault(); }
    [[nodiscard]] bool isBrokenBy(const Transition &, RuleState &) const override { return false; }
    [[nodiscard]] AtEnd atEnd() const override { return AtEnd::RequiredKeysExpire; }
    [[nodiscard]] QString violation() const override
    {
        return QLatin1String(QT_TRANSLATE_NOOP("core", "a key is left behind that never expires"));
    }
};

const LostUpdate lostUpdateRule;
const OwnerOnlyRelease ownerOnlyRelease;
const NoImmortalKey noImmortalKey;

const Rule *lockRule(catalogue::Promise promise)
{
    const auto all = races::lockRules();
    return *std::ranges::find_if(all,
                                 [&](const Rule *rule) { return rule->promise() == catalogue::promiseId(promise); });
}

} // namespace

QString lostUpdate()
{
    return QStringLiteral("lost-update");
}

std::span<const Rule *const> rules()
{
    static const std::array all {
        lockRule(catalogue::Promise::MutualExclusion), static_cast<const Rule *>(&lostUpdateRule),
        static_cast<const Rule *>(&ownerOnlyRelease),  static_cast<const Rule *>(&noImmortalKey),
        lockRule(catalogue::Promise::CrashRelease),    lockRule(catalogue::Promise::FailoverSafe),
        lockRule(catalogue::Promise::RestartSafe),     lockRule(catalogue::Promise::ServerClockSafe),
        lockRule(catalogue::Promise::PartitionSafe)};
    return all;
}

} // namespace latchkey::programs

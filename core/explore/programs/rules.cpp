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
/// returns the overwritten value and depends on no earlier read does not count. RuleState: bits 0 to 7 are the clients
/// that have read the resource; bits 8 to 15 are the clients with a stale read.
class LostUpdate final : public Rule
{
public:
    [[nodiscard]] QString promise() const override { return lostUpdate(); }
    [[nodiscard]] Faults faults() const override { return everyFault(); }
    [[nodiscard]] bool isBrokenBy(const Transition &transition, RuleState &ruleState) const override
    {
        if (transition.move.client == noClient)
            return false;
        const RuleState own = RuleState(1) << transition.move.client;
        if (transition.move.kind == Move::Kind::Crash) {
            ruleState &= ~(own | own << staleBits);
            return false;
        }
        const races::ResourceAccess &access = transition.change.access;
        const bool isLost = access.overwrites && (ruleState & own << staleBits) != 0;
        if (access.writes)
            ruleState |= (ruleState & allClients & ~own) << staleBits;
        if (access.reads)
            ruleState = (ruleState | own) & ~(own << staleBits);
        return isLost;
    }
    [[nodiscard]] QString complaint() const override
    {
        return QLatin1String(
            QT_TRANSLATE_NOOP("core", "a client has written over what another wrote after it had read"));
    }

private:
    static constexpr int staleBits = 8;
    static constexpr RuleState allClients = 0xFF;
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
    [[nodiscard]] QString complaint() const override
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
    [[nodiscard]] AtEnd atEnd() const override { return AtEnd::WhatMustExpireDoes; }
    [[nodiscard]] QString complaint() const override
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
    static const std::array<const Rule *, 5> all {lockRule(catalogue::Promise::MutualExclusion), &lostUpdateRule,
                                                  &ownerOnlyRelease, &noImmortalKey,
                                                  lockRule(catalogue::Promise::CrashRelease)};
    return all;
}

} // namespace latchkey::programs

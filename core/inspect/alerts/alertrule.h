#pragma once

#include "core/foundation/base/error.h"
#include "core/foundation/base/glob.h"
#include "core/inspect/findings/finding.h"

#include <chrono>

namespace latchkey::alerts {

/// A parsed alert rule: a condition of a lock, and the pattern of the keys to which the rule applies.
///
///     no-expiry [GLOB]
///     two-holders [GLOB]
///     older-than=TIME [GLOB]
///     finding=ID [GLOB]
///     blind[=TIME]
///
/// `blind` is a condition of the observation itself: for that time the server has not replied. A value, independent of
/// a server. An AlertWatch evaluates it.
struct AlertRule
{
    enum class Condition : quint8 {
        NoExpiry,   ///< The lock has no expiry.
        TwoHolders, ///< More clients hold the lock than it admits, or a client has replaced the holder.
        OlderThan,  ///< The current hold lasts longer than `limit`, with or without renewals.
        Finding,    ///< The lock has the finding `finding`.
        Blind,      ///< The server was not observed for `limit`.
    };

    QString text; ///< The original text, trimmed. It identifies the rule in the output.
    Condition condition = Condition::NoExpiry;
    std::chrono::milliseconds limit {};
    findings::FindingKind finding = findings::FindingKind::NoExpiry;
    base::Glob glob; ///< Pattern for the whole key; empty: all keys.

    friend bool operator==(const AlertRule &, const AlertRule &) = default;
};

/// Parses a rule. Error (Usage): the fault and its character, counted from 1.
[[nodiscard]] base::Result<AlertRule> parseAlertRule(const QString &text);

} // namespace latchkey::alerts

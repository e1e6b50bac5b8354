#pragma once

#include "core/explore/programs/tokenplaceholders.h"

#include <set>
#include <utility>
#include <vector>

namespace latchkey::programs {

/// A table of substitutes for other clients' tokens in replies to a process. The observed behaviour contains only names
/// such as `token-of-A`. A process receives a value of similar form instead, so that it can parse the value.
///
/// Grows with the known values. Owned by the ObservationTree.
class TokenSubstitution final
{
public:
    /// Adds substitutes for all values that two processes have sent so far. `prefixes`: the prefix of the name of each.
    void add(const QList<QByteArray> &values, const QList<QByteArray> &others, const QList<QByteArray> &prefixes);

    /// Replaces substitutes by names in commands that a process has sent.
    [[nodiscard]] std::vector<races::Offer> named(std::vector<races::Offer> offers) const;
    /// Replaces names by substitutes in a reply to a process.
    [[nodiscard]] resp::Reply shown(const resp::Reply &reply) const;

private:
    struct Substitute
    {
        int n = 0; ///< Number of the value of its client.
        QByteArray name;
        QByteArray value;
    };
    std::vector<Substitute> m_substitutes;          ///< No name contains a later one.
    std::set<std::pair<int, QByteArray>> m_handled; ///< Values by number and prefix, where a substitute was possible.
};

} // namespace latchkey::programs

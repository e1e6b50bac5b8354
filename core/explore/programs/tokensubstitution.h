#pragma once

#include "core/explore/programs/tokenplaceholders.h"

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
    /// Adds substitutes for all values that two processes have sent so far.
    void add(const QList<QByteArray> &values, const QList<QByteArray> &others);

    /// Replaces substitutes by names in commands that a process has sent.
    [[nodiscard]] std::vector<races::Offer> named(std::vector<races::Offer> offers) const;
    /// Replaces names by substitutes in a reply to a process.
    [[nodiscard]] resp::Reply shown(const resp::Reply &reply) const;

private:
    std::vector<std::pair<QByteArray, QByteArray>> m_pairs; ///< Names with their substitutes, longest name first.
    qsizetype m_values = 0; ///< Number of values per client with a substitute, where one was possible.
};

} // namespace latchkey::programs

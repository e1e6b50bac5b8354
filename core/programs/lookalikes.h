#pragma once

#include "core/programs/ownvalues.h"

#include <utility>
#include <vector>

namespace latchkey::programs {

/// What processes are told instead of other clients' values, which have names alone where they are learned: something
/// that looks like their own, so that they can take it apart where a value has parts.
///
/// Grows with the values that are known. Owned by the Behaviour.
class Lookalikes final
{
public:
    /// For all values that these two processes have sent by now, each its own.
    void add(const QList<QByteArray> &values, const QList<QByteArray> &others);

    /// What a process has sent, with the names in place of what it was told instead.
    [[nodiscard]] std::vector<races::Offer> named(std::vector<races::Offer> offers) const;
    /// A reply, as a process is told it.
    [[nodiscard]] resp::Reply shown(const resp::Reply &reply) const;

private:
    std::vector<std::pair<QByteArray, QByteArray>> m_pairs; ///< The names, and what stands for them; the longest first.
    qsizetype m_values = 0; ///< So many values of every client have one, where they can.
};

} // namespace latchkey::programs

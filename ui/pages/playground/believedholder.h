#pragma once

#include "core/foundation/base/bytes.h"

#include <QString>

#include <map>
#include <vector>

namespace latchkey::ui::playground {

/// A client that believes that it holds a lock.
struct BelievedHolder
{
    /// The reason why the belief is wrong: the lease is over, or the server does not have the key.
    enum class Mistake : quint8 { None, LeaseOver, KeyGone };

    QString name;
    Mistake mistake = Mistake::None;

    bool operator==(const BelievedHolder &) const = default;
};
using BelievedHolders = std::map<base::Key, std::vector<BelievedHolder>>;

} // namespace latchkey::ui::playground

#pragma once

#include "core/races/model.h"

namespace latchkey::races {

/// Time that goes by for everybody at once: for the servers and, where their clocks are ours, for the clients.
///
/// Nothing that counts happens between two moments at which a lifetime ends or a client has waited for long enough, so
/// time goes from one of these to the next. Only where the clients are programs; a recipe's lapse is one key's end.
struct Passing
{
    std::chrono::milliseconds by {};
    std::vector<QByteArray> ending {}; ///< Keys whose lifetime is over by then.
    /// Of keys that stay, fields whose own lifetime is.
    std::vector<std::pair<QByteArray, QByteArray>> endingFields {};

    [[nodiscard]] bool endsNothing() const { return ending.empty() && endingFields.empty(); }
};

/// To the next end of a lifetime. Where there is none, and the clients' clocks are ours: a day, in which any moment has
/// come that a client may have written down. Who waits for less is late. Absent: nothing would come of it.
[[nodiscard]] std::optional<Passing> passingToEnd(const Model &model, const State &state);

/// To the next moment for which a client waits, where that comes before the end of any lifetime. Absent: it does not.
[[nodiscard]] std::optional<Passing> passingToTimer(const Model &model, const State &state);

/// Whether a client that is alive and has begun counts on what is over by then.
[[nodiscard]] bool isCountedOn(const Model &model, const State &state, const Passing &passing);

} // namespace latchkey::races

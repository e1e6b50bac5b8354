#pragma once

#include "core/playground/fleet.h"
#include "ui/clients/clientbelief.h"

namespace latchkey::ui::clients {

/// What several servers say of the key of a lock that a majority of them decides.
///
/// hold: the client's own, where it has one: then what counts is on how many the key is its. Else it is whoever has it
/// on most of them.
[[nodiscard]] Truth truthOfMajority(const playground::Fleet &fleet, const base::Key &key,
                                    const std::optional<playground::ClientProcess::Hold> &hold,
                                    const playground::Crew &crew);

/// What one server has under a key, in a few words: `client 1, for 8 s`.
[[nodiscard]] QString seenText(const playground::Fleet &fleet, int server, const base::Key &key,
                               const playground::Crew &crew, base::MonotonicTime now);

} // namespace latchkey::ui::clients

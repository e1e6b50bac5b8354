#pragma once

#include "core/races/foreign.h"
#include "core/races/rules.h"
#include "core/races/state.h"

namespace latchkey::races {

/// What a program's command, or the end of a lifetime (client: nobody), means for whose the keys are. What it did to
/// others' locks is added to the change.
void follow(World &world, const Foreign &foreign, const Snapshot &before, const Snapshot &after, ClientIndex client,
            LockChange &change);

/// The client has come inside: the keys that it was the last to write are its lock from now on.
void claim(World &world, ClientIndex client);
/// It is not inside any more.
void disclaim(World &world, ClientIndex client);

} // namespace latchkey::races

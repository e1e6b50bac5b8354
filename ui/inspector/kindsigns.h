#pragma once

#include "core/recognition/recogniser.h"
#include "ui/keytable/keycolumns.h"

namespace latchkey::ui::inspector {

/// The icon of each family of locks, and what it is called.
[[nodiscard]] keytable::KindSign kindSign(recognition::Family family);

/// Of the kinds that it knows at the time, by their ids; an unknown one has none. recogniser: not owned, and outlives
/// what is returned.
[[nodiscard]] keytable::KindSigns kindSigns(const recognition::Recogniser &recogniser);

} // namespace latchkey::ui::inspector

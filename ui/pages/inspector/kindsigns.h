#pragma once

#include "core/inspect/recognition/recogniser.h"
#include "ui/views/keytable/keycolumns.h"

namespace latchkey::ui::inspector {

/// Returns the icon and the name of a family of locks.
[[nodiscard]] keytable::KindSign kindSign(recognition::Family family);

/// Returns a function from the id of a lock kind to its sign. An unknown kind has no sign. `recogniser`: not owned,
/// must outlive the returned function.
[[nodiscard]] keytable::KindSigns kindSigns(const recognition::Recogniser &recogniser);

} // namespace latchkey::ui::inspector

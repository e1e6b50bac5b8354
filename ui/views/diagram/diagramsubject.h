#pragma once

#include "ui/kit/theme/theme.h"
#include "ui/views/diagram/diagramlayout.h"
#include "ui/views/diagram/textlayoutcache.h"

#include <QFont>

namespace latchkey::ui::diagram {

/// The data of a diagram to paint, and the style.
struct DiagramSubject
{
    const sequence::Sequence &sequence; // Not owned, like the other references.
    const DiagramLayout &layout;
    const theme::Theme &theme;
    QFont text; ///< Font in the size for which the layout was made.
    QFont code;
    base::MonotonicTime now;               ///< Current time, or the end of the sequence.
    std::optional<std::size_t> current {}; ///< Selected row.
    TextLayoutCache *textLayout = nullptr; ///< Null for a single painting; not owned.
};

/// Returns the colour of a client's lane. Adjacent lanes differ in colour. Red is reserved for errors.
[[nodiscard]] QColor laneColour(sequence::LaneIndex lane, const theme::Theme &theme);

} // namespace latchkey::ui::diagram

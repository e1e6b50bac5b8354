#pragma once

class QLayout;

namespace latchkey::ui::widgets {

/// Sets the order of Tab to the order of the layout, including the layouts inside it and those of its widgets. Qt uses
/// the order in which the widgets were created.
void tabInLayoutOrder(const QLayout &layout);

} // namespace latchkey::ui::widgets

#pragma once

#include "core/explore/reports/explorationreport.h"

namespace latchkey::reports {

/// Writes a page about the counterexample of a broken promise: verdict, sequence diagram and steps.
///
/// The page is one file of HTML and SVG without scripts and links, in light and dark colours. The diagram is not that
/// of the window, whose layout depends on measured fonts.
[[nodiscard]] QByteArray toHtml(const ExplorationReport &report, const CheckedPromise &promise);

} // namespace latchkey::reports

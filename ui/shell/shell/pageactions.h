#pragma once

#include "ui/kit/actions/actionregistry.h"
#include "ui/pages/playground/playgroundpage.h"

#include <functional>

namespace latchkey::ui::shell {

/// Creates the actions of the Playground and adds them to the registry before the page exists. Until then, the
/// placeholder of the page has them. `page`: number of the page; `make`: function that returns the page, and creates it
/// first if needed.
void addPlaygroundActions(actions::ActionRegistry &registry, QWidget &placeholder, int page,
                          const std::function<playground::PlaygroundPage &()> &make);

} // namespace latchkey::ui::shell

#pragma once

#include "ui/kit/actions/actionregistry.h"
#include "ui/pages/lab/labpage.h"
#include "ui/pages/playground/playgroundpage.h"
#include "ui/pages/stories/storiespage.h"

#include <functional>

namespace latchkey::ui::shell {

// The actions of the pages that are created late. They are added to the registry before their page exists. Until then,
// the placeholder of the page has them. `page`: number of the page; `make`: function that returns the page, and creates
// it first if needed.

void addPlaygroundActions(actions::ActionRegistry &registry, QWidget &placeholder, int page,
                          const std::function<playground::PlaygroundPage &()> &make);
void addStoriesActions(actions::ActionRegistry &registry, QWidget &placeholder, int page,
                       const std::function<stories::StoriesPage &()> &make);
void addLabActions(actions::ActionRegistry &registry, QWidget &placeholder, int page,
                   const std::function<lab::LabPage &()> &make);

} // namespace latchkey::ui::shell

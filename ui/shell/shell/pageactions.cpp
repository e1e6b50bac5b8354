#include "ui/shell/shell/pageactions.h"

#include "core/playground/playground/preset.h"
#include "ui/shell/shell/mainwindow.h"

#include <QAction>
#include <QCoreApplication>

namespace latchkey::ui::shell {

using actions::ActionRegistry;
using lab::LabPage;
using playground::PlaygroundPage;
using stories::StoriesPage;

namespace {

/// Adds one action of a page.
template<typename Page, typename Slot>
void addPageAction(ActionRegistry &registry, ActionRegistry::Group group, QWidget &placeholder, int page,
                   const std::function<Page &()> &make, const QString &text, const QKeySequence &keys, Slot slot)
{
    auto *action = new QAction(text, &registry); // Outlives the placeholder.
    action->setShortcut(keys);
    QObject::connect(action, &QAction::triggered, &registry, [make, slot] { slot(make()); });
    placeholder.addAction(action);
    registry.add(group, *action, page);
}

} // namespace

void addPlaygroundActions(ActionRegistry &registry, QWidget &placeholder, int page,
                          const std::function<PlaygroundPage &()> &make)
{
    const auto add = [&](const QString &text, const QKeySequence &keys, auto slot) {
        addPageAction(registry, ActionRegistry::Group::Playground, placeholder, page, make, text, keys, slot);
    };
    add(MainWindow::tr("Add a client"), QKeySequence::New, [](PlaygroundPage &shown) { shown.requestClient(); });
    for (const latchkey::playground::Preset &preset : latchkey::playground::presets())
        add(QCoreApplication::translate("core", preset.title), {},
            [&preset](PlaygroundPage &shown) { shown.startPreset(preset); });
}

void addStoriesActions(ActionRegistry &registry, QWidget &placeholder, int page,
                       const std::function<StoriesPage &()> &make)
{
    const auto add = [&](const QString &text, auto slot) {
        addPageAction(registry, ActionRegistry::Group::Stories, placeholder, page, make, text, {}, slot);
    };
    add(MainWindow::tr("Play or pause the story"), [](StoriesPage &shown) { shown.togglePlaying(); });
    add(MainWindow::tr("Take one step of the story"), [](StoriesPage &shown) { shown.takeStep(); });
    add(MainWindow::tr("Go back to the start of the story"), [](StoriesPage &shown) { shown.goToStart(); });
    add(MainWindow::tr("Find races in the recipe of the story"), [](StoriesPage &shown) { shown.findRaces(); });
    add(MainWindow::tr("Check a program for races…"), [](StoriesPage &shown) { shown.exploreProgram(); });
    add(MainWindow::tr("Open a story…"), [](StoriesPage &shown) { shown.openStory(); });
}

void addLabActions(ActionRegistry &registry, QWidget &placeholder, int page, const std::function<LabPage &()> &make)
{
    const auto add = [&](const QString &text, auto slot) {
        addPageAction(registry, ActionRegistry::Group::Lab, placeholder, page, make, text, {}, slot);
    };
    add(MainWindow::tr("Show the experiment"), [](LabPage &shown) { shown.showPart(LabPage::Experiment); });
    add(MainWindow::tr("Run or cancel the experiment"), [](LabPage &shown) { shown.requestExperiment(); });
    add(MainWindow::tr("Show the expectations"), [](LabPage &shown) { shown.showPart(LabPage::Expectations); });
    add(MainWindow::tr("Check or stop the expectations"), [](LabPage &shown) { shown.requestCheck(); });
    add(MainWindow::tr("Show the forecast"), [](LabPage &shown) { shown.showPart(LabPage::Forecast); });
}

} // namespace latchkey::ui::shell

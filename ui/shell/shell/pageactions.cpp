#include "ui/shell/shell/playgroundactions.h"

#include "ui/shell/shell/mainwindow.h"

#include <QAction>

namespace latchkey::ui::shell {

using playground::PlaygroundPage;

void addPlaygroundActions(actions::ActionRegistry &registry, QWidget &placeholder, int page,
                          const std::function<PlaygroundPage &()> &make)
{
    const auto add = [&](const QString &text, const QList<QKeySequence> &keys, void (PlaygroundPage::*act)()) {
        auto *action = new QAction(text, &registry); // Outlives the placeholder.
        action->setShortcuts(keys);
        QObject::connect(action, &QAction::triggered, &registry, [make, act] { (make().*act)(); });
        placeholder.addAction(action);
        registry.add(actions::ActionRegistry::Group::Playground, *action, page);
    };
    add(MainWindow::tr("Add a client"), {QKeySequence::New}, &PlaygroundPage::requestClient);
    add(MainWindow::tr("Present the diagram"), {Qt::Key_F11}, &PlaygroundPage::togglePresenting);
    // On some keyboards, plus needs Shift; the key without Shift is accepted too.
    add(MainWindow::tr("Larger text"), {Qt::CTRL | Qt::Key_Plus, Qt::CTRL | Qt::Key_Equal}, &PlaygroundPage::zoomIn);
    add(MainWindow::tr("Smaller text"), {Qt::CTRL | Qt::Key_Minus}, &PlaygroundPage::zoomOut);
    add(MainWindow::tr("Original text size"), {Qt::CTRL | Qt::Key_0}, &PlaygroundPage::resetZoom);
}

} // namespace latchkey::ui::shell

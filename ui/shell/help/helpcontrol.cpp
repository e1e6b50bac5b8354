#include "ui/shell/help/helpcontrol.h"

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/shell/help/aboutdialog.h"
#include "ui/shell/help/actionfinder.h"
#include "ui/shell/help/helpdialog.h"

#include <QAction>
#include <QMenu>

#include <optional>

namespace latchkey::ui::help {

using actions::ActionRegistry;

HelpControl::HelpControl(QWidget &window, ActionRegistry &registry, theme::Appearance &appearance,
                         const i18n::LanguageSwitcher &languageSwitcher, std::function<QList<PagePurpose>()> pages)
    : QObject(&window)
    , m_window(window)
    , m_registry(registry)
    , m_appearance(appearance)
    , m_languageSwitcher(languageSwitcher)
    , m_pages(std::move(pages))
{
    addAction("findAction", tr("Find an action…"), Qt::CTRL | Qt::SHIFT | Qt::Key_P, &HelpControl::findAction);
    addAction("showHelp", tr("Help"), Qt::Key_F1, &HelpControl::showHelp);
    addAction("showAbout", tr("About Latchkey"), {}, &HelpControl::showAbout);
}

void HelpControl::addAction(const char *name, const QString &text, const QKeySequence &shortcut,
                            void (HelpControl::*shows)())
{
    auto *action = new QAction(text, this);
    action->setObjectName(QLatin1String(name));
    action->setShortcut(shortcut);
    connect(action, &QAction::triggered, this, shows);
    m_window.addAction(action); // Added for the shortcut, and for a change of the language.
    m_registry.add(ActionRegistry::Group::Help, *action);
}

void HelpControl::setMenu(QMenu &menu)
{
    menu.setToolTipsVisible(true);
    connect(&menu, &QMenu::aboutToShow, this, [this, &menu] { fill(menu); });
    connect(new widgets::LanguageChangeNotifier(&menu), &widgets::LanguageChangeNotifier::changed, &menu,
            &QMenu::clear);
}

/// Fills the menu: the help at the top, then a submenu for each other group. The shortcuts are texts, because those of
/// the actions themselves would become ambiguous.
void HelpControl::fill(QMenu &menu)
{
    menu.clear();
    std::optional<ActionRegistry::Group> group;
    QMenu *part = &menu;
    const auto add = [this](QMenu &into, const ActionRegistry::Item &item) {
        QString text = item.name;
        text.replace(u'&', QStringLiteral("&&"));
        QAction *action = into.addAction(item.shortcut.isEmpty() ? text : text + u'\t' + item.shortcut);
        action->setEnabled(item.isEnabled);
        action->setToolTip(widgets::toolTipText(item.obstacle.isEmpty() ? item.name : item.obstacle));
        connect(action, &QAction::triggered, this, [this, index = item.index] { m_registry.run(index); });
    };
    const std::vector<ActionRegistry::Item> items = m_registry.items();
    for (const ActionRegistry::Item &item : items) {
        if (item.group == ActionRegistry::Group::Help)
            add(menu, item);
    }
    menu.addSeparator();
    for (const ActionRegistry::Item &item : items) {
        if (item.group == ActionRegistry::Group::Help)
            continue;
        if (item.group != group) {
            group = item.group;
            part = menu.addMenu(actions::groupText(item.group));
            part->setToolTipsVisible(true);
        }
        add(*part, item);
    }
}

void HelpControl::findAction()
{
    auto *finder = new ActionFinder(m_registry, m_appearance, &m_window);
    finder->setAttribute(Qt::WA_DeleteOnClose);
    connect(finder, &ActionFinder::chosen, &m_registry, &ActionRegistry::run);
    finder->open();
}

void HelpControl::showHelp()
{
    auto *dialog = m_window.findChild<HelpDialog *>();
    if (dialog == nullptr) {
        dialog = new HelpDialog(m_registry, m_appearance, m_languageSwitcher, m_pages, &m_window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
    }
    dialog->show(); // Not modal, so that a reader can try the actions.
    dialog->raise();
    dialog->activateWindow();
}

void HelpControl::showAbout()
{
    auto *dialog = new AboutDialog(m_appearance, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

} // namespace latchkey::ui::help

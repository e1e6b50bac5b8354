#pragma once

#include "ui/kit/actions/actionregistry.h"
#include "ui/kit/i18n/languageswitcher.h"
#include "ui/kit/theme/appearance.h"
#include "ui/shell/help/pagepurpose.h"

#include <QObject>

#include <functional>

class QMenu;

namespace latchkey::ui::help {

/// The control of the window's help. It has actions to find an action, to open the help and to show the versions, and
/// it fills the menu with all actions.
///
/// It adds its own actions to the registry and to the window. Child of the window. Registry, appearance and language
/// switcher are not owned.
class HelpControl final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HelpControl)

public:
    /// `pages`: function that returns the pages of the window in the current language.
    HelpControl(QWidget &window, actions::ActionRegistry &registry, theme::Appearance &appearance,
                const i18n::LanguageSwitcher &languageSwitcher, std::function<QList<PagePurpose>()> pages);

    /// Fills `menu` with all actions before each time it opens. The menu is not owned.
    void setMenu(QMenu &menu);
    void findAction();
    void showHelp();
    void showAbout();

private:
    void addAction(const char *name, const QString &text, const QKeySequence &shortcut, void (HelpControl::*shows)());
    void fill(QMenu &menu);

    QWidget &m_window; // Not owned, as all references here.
    actions::ActionRegistry &m_registry;
    theme::Appearance &m_appearance;
    const i18n::LanguageSwitcher &m_languageSwitcher;
    std::function<QList<PagePurpose>()> m_pages;
};

} // namespace latchkey::ui::help

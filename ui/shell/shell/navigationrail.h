#pragma once

#include "ui/kit/actions/actionregistry.h"
#include "ui/kit/i18n/languageswitcher.h"
#include "ui/kit/theme/appearance.h"
#include "ui/shell/help/pagepurpose.h"
#include "ui/shell/shell/settings.h"

#include <QFrame>
#include <QList>

class QMenu;
class QToolButton;
class QVBoxLayout;

namespace latchkey::ui::shell {

/// A column of buttons at the left for the pages. The menu is at the top; the alerts, the language and the choice of
/// light or dark are at the bottom. Owned by the main window. Appearance, language switcher and settings are not owned.
class NavigationRail final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NavigationRail)

public:
    NavigationRail(theme::Appearance &appearance, i18n::LanguageSwitcher &languageSwitcher, Settings &settings,
                   QWidget *parent = nullptr);

    /// Adds a button for a page. Pages are numbered in the order of these calls. `name`: object name, for tests and
    /// tools. `purpose`: one sentence.
    void addPage(const QString &name, const QString &icon, const QString &text, const QKeySequence &shortcut,
                 const QString &purpose);
    [[nodiscard]] QList<help::PagePurpose> pages() const;
    /// Returns the shortcuts of the pages. They have no effect while the rail is hidden.
    [[nodiscard]] QList<QKeySequence> shortcuts() const;
    /// Returns the shortcut of the alerts. It has no effect while the rail is hidden.
    [[nodiscard]] QKeySequence alertsShortcut() const;
    /// Adds the buttons of the rail to the registry.
    void addActionsTo(actions::ActionRegistry &registry) const;
    /// Returns the menu behind the logo. It is empty at first.
    [[nodiscard]] QMenu &menu() const;
    void setCurrent(int page);
    /// Sets the number of open alerts, which the alert button shows.
    void setAlertCount(qsizetype count);

Q_SIGNALS:
    void alertsRequested();
    void pageChosen(int page);
    void appearanceModeChosen(latchkey::ui::theme::Appearance::Mode mode);

private:
    void setUpLanguages();
    void retranslatePages();
    void applyAppearance();
    void chooseNextMode();

    theme::Appearance &m_appearance;
    i18n::LanguageSwitcher &m_languageSwitcher;
    Settings &m_settings; ///< Saves the choice of language.
    QVBoxLayout *m_layout;
    QList<QToolButton *> m_pages;
    QStringList m_icons;
    QToolButton *m_menu;
    QToolButton *m_alerts;
    qsizetype m_alertCount = 0;
    QToolButton *m_language;
    QToolButton *m_mode;
};

} // namespace latchkey::ui::shell

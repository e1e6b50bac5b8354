#pragma once

#include "ui/kit/actions/actionregistry.h"
#include "ui/kit/i18n/languageswitcher.h"
#include "ui/kit/theme/appearance.h"
#include "ui/shell/help/pagepurpose.h"

#include <QDialog>
#include <QUrl>

#include <functional>

class QLabel;
class QListWidget;
class QTextBrowser;

namespace latchkey::ui::help {

/// The help window: the purpose of each page, the shortcuts, and the manual in the current language.
///
/// The shortcuts come from the registry and the manual from Qt resources, so that the help fits the program without
/// installed files. Owned by the code that opens it. Registry, appearance and language switcher are not owned.
class HelpDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HelpDialog)

public:
    HelpDialog(const actions::ActionRegistry &registry, theme::Appearance &appearance,
               const i18n::LanguageSwitcher &languageSwitcher, std::function<QList<PagePurpose>()> pages,
               QWidget *parent);

private:
    void setUpLayout();
    void fill();
    void showChosen();
    void showOverview();
    void showManual(const QUrl &page);
    void openLink(const QUrl &link);
    [[nodiscard]] QString shortcutTable() const;

    const actions::ActionRegistry &m_registry;        // Not owned.
    const i18n::LanguageSwitcher &m_languageSwitcher; // Not owned.
    const std::function<QList<PagePurpose>()> m_pages;
    QListWidget *m_contents;
    QTextBrowser *m_text;
    QLabel *m_note;
    QUrl m_source; ///< Address of the shown page of the manual, for relative links.
};

} // namespace latchkey::ui::help

#pragma once

#include "ui/shell/settings.h"
#include "ui/speech/speech.h"
#include "ui/theme/appearance.h"

#include <QFrame>
#include <QList>

class QToolButton;
class QVBoxLayout;

namespace latchkey::ui::shell {

/// The pages, as a column of buttons at the left; at its foot the choice of the language, and between light
/// and dark. Owned by the main window; appearance, speech and settings are not owned.
class NavigationRail final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NavigationRail)

public:
    NavigationRail(theme::Appearance &appearance, speech::Speech &speech, Settings &settings,
                   QWidget *parent = nullptr);

    /// A page's button; pages are numbered as they are added. name: for tests and tools.
    void addPage(const QString &name, const QString &icon, const QString &text, const QKeySequence &shortcut);
    void setCurrent(int page);

Q_SIGNALS:
    void pageChosen(int page);
    void appearanceModeChosen(latchkey::ui::theme::Appearance::Mode mode);

private:
    void setUpLanguages();
    void wordPages();
    void applyAppearance();
    void chooseNextMode();

    theme::Appearance &m_appearance;
    speech::Speech &m_speech;
    Settings &m_settings; ///< Which remember the language.
    QVBoxLayout *m_layout;
    QList<QToolButton *> m_pages;
    QStringList m_icons;
    QToolButton *m_language;
    QToolButton *m_mode;
};

} // namespace latchkey::ui::shell

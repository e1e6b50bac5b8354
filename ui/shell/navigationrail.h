#pragma once

#include "ui/theme/appearance.h"

#include <QFrame>
#include <QList>

class QToolButton;
class QVBoxLayout;

namespace latchkey::ui::shell {

/// The pages, as a column of buttons at the left; at its foot the choice between light and dark.
/// Owned by the main window; the appearance is not owned.
class NavigationRail final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NavigationRail)

public:
    explicit NavigationRail(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// A page's button; pages are numbered as they are added. name: for tests and tools.
    void addPage(const QString &name, const QString &icon, const QString &text, const QKeySequence &shortcut);
    void setCurrent(int page);

Q_SIGNALS:
    void pageChosen(int page);
    void appearanceModeChosen(latchkey::ui::theme::Appearance::Mode mode);

private:
    void applyAppearance();
    void chooseNextMode();

    theme::Appearance &m_appearance;
    QVBoxLayout *m_layout;
    QList<QToolButton *> m_pages;
    QStringList m_icons;
    QToolButton *m_mode;
};

} // namespace latchkey::ui::shell

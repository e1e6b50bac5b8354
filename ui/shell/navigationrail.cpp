#include "ui/shell/navigationrail.h"

#include <QKeySequence>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace latchkey::ui::shell {

using Mode = theme::Appearance::Mode;

namespace {

constexpr int railWidth = 96;
constexpr int iconSize = 22;

QToolButton *makeButton(const QString &name, const QString &text, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setObjectName(name);
    button->setText(text);
    button->setAccessibleName(text);
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setIconSize(QSize(iconSize, iconSize));
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

} // namespace

NavigationRail::NavigationRail(theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_appearance(appearance)
    , m_layout(new QVBoxLayout(this))
    , m_mode(makeButton(QStringLiteral("appearanceMode"), QString(), this))
{
    setObjectName(QStringLiteral("rail"));
    setFixedWidth(railWidth);
    m_layout->setContentsMargins(0, 16, 0, 12);
    m_layout->setSpacing(6);
    auto *logo = new QLabel(this);
    logo->setObjectName(QStringLiteral("logo"));
    logo->setAlignment(Qt::AlignHCenter);
    m_layout->addWidget(logo);
    m_layout->addSpacing(14);
    m_layout->addStretch(1);
    m_layout->addWidget(m_mode);
    connect(m_mode, &QToolButton::clicked, this, &NavigationRail::chooseNextMode);
    connect(&m_appearance, &theme::Appearance::changed, this, &NavigationRail::applyAppearance);
    applyAppearance();
}

void NavigationRail::addPage(const QString &name, const QString &icon, const QString &text,
                             const QKeySequence &shortcut)
{
    const int page = static_cast<int>(m_pages.size());
    QToolButton *button = makeButton(name, text, this);
    button->setCheckable(true);
    button->setAutoExclusive(true);
    button->setShortcut(shortcut);
    button->setToolTip(QStringLiteral("%1 (%2)").arg(text, shortcut.toString(QKeySequence::NativeText)));
    connect(button, &QToolButton::clicked, this, [this, page] { Q_EMIT pageChosen(page); });
    m_layout->insertWidget(m_layout->count() - 2, button);
    m_pages += button;
    m_icons += icon;
    applyAppearance();
}

void NavigationRail::setCurrent(int page)
{
    m_pages[page]->setChecked(true);
    applyAppearance();
}

void NavigationRail::applyAppearance()
{
    const theme::Theme &theme = m_appearance.theme();
    findChild<QLabel *>(QStringLiteral("logo"))
        ->setPixmap(m_appearance.pixmap(QStringLiteral("logo"), theme.accent, 34, devicePixelRatioF()));
    for (qsizetype i = 0; i < m_pages.size(); ++i)
        m_pages[i]->setIcon(m_appearance.icon(m_icons[i], m_pages[i]->isChecked() ? theme.accent : theme.muted));
    switch (m_appearance.mode()) {
    case Mode::System:
        m_mode->setText(tr("As desktop"));
        m_mode->setIcon(m_appearance.icon(QStringLiteral("contrast")));
        break;
    case Mode::Light:
        m_mode->setText(tr("Light"));
        m_mode->setIcon(m_appearance.icon(QStringLiteral("sun")));
        break;
    case Mode::Dark:
        m_mode->setText(tr("Dark"));
        m_mode->setIcon(m_appearance.icon(QStringLiteral("moon")));
        break;
    }
    m_mode->setAccessibleName(tr("Colours: %1").arg(m_mode->text()));
    m_mode->setToolTip(tr("Colours: as the desktop, light or dark"));
}

void NavigationRail::chooseNextMode()
{
    const Mode next = m_appearance.mode() == Mode::System ? Mode::Light
                    : m_appearance.mode() == Mode::Light  ? Mode::Dark
                                                          : Mode::System;
    m_appearance.setMode(next);
    applyAppearance();
    Q_EMIT appearanceModeChosen(next);
}

} // namespace latchkey::ui::shell

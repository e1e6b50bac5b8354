#include "ui/shell/shell/navigationrail.h"

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/taborder.h"

#include <QActionGroup>
#include <QKeySequence>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace latchkey::ui::shell {

using Choice = i18n::LanguageSwitcher::Choice;
using Mode = theme::Appearance::Mode;

namespace {

constexpr int railWidth = 96;
constexpr int iconSize = 22;
constexpr int logoSize = 30;

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

NavigationRail::NavigationRail(theme::Appearance &appearance, i18n::LanguageSwitcher &languageSwitcher,
                               Settings &settings, QWidget *parent)
    : QFrame(parent)
    , m_appearance(appearance)
    , m_languageSwitcher(languageSwitcher)
    , m_settings(settings)
    , m_layout(new QVBoxLayout(this))
    , m_menu(makeButton(QStringLiteral("mainMenu"), tr("Menu"), this))
    , m_alerts(makeButton(QStringLiteral("alertsButton"), QString(), this))
    , m_language(makeButton(QStringLiteral("language"), QString(), this))
    , m_mode(makeButton(QStringLiteral("appearanceMode"), QString(), this))
{
    setObjectName(QStringLiteral("rail"));
    setFixedWidth(railWidth);
    m_layout->setContentsMargins(0, 8, 0, 12);
    m_layout->setSpacing(6);
    m_menu->setMenu(new QMenu(m_menu));
    m_menu->setPopupMode(QToolButton::InstantPopup);
    m_menu->setToolTip(tr("All actions of the window, and the help"));
    m_menu->setIconSize(QSize(logoSize, logoSize));
    m_layout->addWidget(m_menu);
    m_layout->addSpacing(6);
    m_layout->addStretch(1);
    m_layout->addWidget(m_alerts);
    m_layout->addWidget(m_language);
    m_layout->addWidget(m_mode);
    setUpLanguages();
    connect(m_alerts, &QToolButton::clicked, this, &NavigationRail::alertsRequested);
    connect(m_mode, &QToolButton::clicked, this, &NavigationRail::chooseNextMode);
    connect(&m_appearance, &theme::Appearance::changed, this, &NavigationRail::applyAppearance);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this, [this] {
        retranslatePages();
        applyAppearance();
    });
    applyAppearance();
}

/// Fills the language menu. Each language has its own name, for users who cannot read the other languages.
void NavigationRail::setUpLanguages()
{
    auto *menu = new QMenu(m_language);
    auto *choices = new QActionGroup(menu);
    const auto add = [&](Choice choice, const QString &text) {
        QAction *action = menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(choice == m_languageSwitcher.choice());
        action->setData(QVariant::fromValue(choice));
        choices->addAction(action);
    };
    add(Choice::System, tr("System"));
    add(Choice::English, QStringLiteral("English"));
    add(Choice::Chinese, QStringLiteral("\u7B80\u4F53\u4E2D\u6587"));
    connect(choices, &QActionGroup::triggered, this, [this](const QAction *action) {
        m_languageSwitcher.choose(action->data().value<Choice>());
        m_settings.setLanguageChoice(m_languageSwitcher.choice());
    });
    m_language->setMenu(menu);
    m_language->setPopupMode(QToolButton::InstantPopup);
}

void NavigationRail::retranslatePages()
{
    for (QToolButton *button : m_pages)
        button->setToolTip(
            QStringLiteral("%1 (%2)").arg(button->text(), button->shortcut().toString(QKeySequence::NativeText)));
}

void NavigationRail::addPage(const QString &name, const QString &icon, const QString &text,
                             const QKeySequence &shortcut, const QString &purpose)
{
    const int page = static_cast<int>(m_pages.size());
    QToolButton *button = makeButton(name, text, this);
    button->setCheckable(true);
    button->setAutoExclusive(true);
    button->setShortcut(shortcut);
    button->setWhatsThis(purpose);
    connect(button, &QToolButton::clicked, this, [this, page] { Q_EMIT pageChosen(page); });
    m_layout->insertWidget(m_layout->count() - 4, button);
    m_pages += button;
    m_icons += icon;
    widgets::tabInLayoutOrder(*m_layout);
    retranslatePages();
    applyAppearance();
}

QList<help::PagePurpose> NavigationRail::pages() const
{
    QList<help::PagePurpose> pages;
    for (const QToolButton *button : m_pages)
        pages += {button->text(), button->whatsThis()};
    return pages;
}

QList<QKeySequence> NavigationRail::shortcuts() const
{
    QList<QKeySequence> shortcuts;
    for (const QToolButton *button : m_pages)
        shortcuts += button->shortcut();
    return shortcuts;
}

QKeySequence NavigationRail::alertsShortcut() const
{
    return Qt::CTRL | Qt::SHIFT | Qt::Key_A;
}

void NavigationRail::addActionsTo(actions::ActionRegistry &registry) const
{
    for (QToolButton *button : m_pages)
        registry.add(actions::ActionRegistry::Group::Pages, *button);
    registry.add(actions::ActionRegistry::Group::Server, *m_alerts, actions::ActionRegistry::everyPage,
                 [](const QString &) { return tr("Show the alerts and their rules"); });
    registry.add(actions::ActionRegistry::Group::Window, *m_mode, actions::ActionRegistry::everyPage,
                 [](const QString &) { return tr("Change the colours: desktop, light or dark"); });
}

QMenu &NavigationRail::menu() const
{
    return *m_menu->menu();
}

void NavigationRail::setCurrent(int page)
{
    m_pages[page]->setChecked(true);
    applyAppearance();
}

void NavigationRail::setAlertCount(qsizetype count)
{
    if (std::exchange(m_alertCount, count) != count)
        applyAppearance();
}

void NavigationRail::applyAppearance()
{
    const theme::Theme &theme = m_appearance.theme();
    m_alerts->setIcon(m_appearance.icon(QStringLiteral("bell"), m_alertCount > 0 ? theme.critical : theme.muted));
    m_alerts->setText(m_alertCount > 0 ? tr("Alerts (%1)").arg(m_alertCount) : tr("Alerts"));
    m_alerts->setShortcut(alertsShortcut()); // A new text removes the shortcut.
    m_alerts->setAccessibleName(tr("Alerts: %1").arg(m_alertCount));
    m_alerts->setToolTip(
        tr("Alerts and their rules (%1)").arg(m_alerts->shortcut().toString(QKeySequence::NativeText)));
    m_menu->setIcon(m_appearance.icon(QStringLiteral("logo"), theme.accent));
    for (qsizetype i = 0; i < m_pages.size(); ++i)
        m_pages[i]->setIcon(m_appearance.icon(m_icons[i], m_pages[i]->isChecked() ? theme.accent : theme.muted));
    switch (m_appearance.mode()) {
    case Mode::System:
        m_mode->setText(tr("Desktop"));
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
    m_language->setText(m_languageSwitcher.language() == language::Language::Chinese ? QStringLiteral("\u4E2D\u6587")
                                                                                     : QStringLiteral("English"));
    m_language->setIcon(m_appearance.icon(QStringLiteral("language")));
    m_language->setAccessibleName(tr("Language: %1").arg(m_language->text()));
    m_language->setToolTip(tr("Language of the window"));
    m_mode->setAccessibleName(tr("Colours: %1").arg(m_mode->text()));
    m_mode->setToolTip(tr("Colours: desktop, light or dark"));
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

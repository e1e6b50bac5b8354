#include "ui/kit/widgets/emptystate.h"

#include "ui/kit/widgets/plaintext.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::widgets {

namespace {

constexpr int emptyIconSize = 48;
constexpr int maxTextWidth = 460;
constexpr int margin = 12;
/// Minimum height in pixels for the icon. In a lower window, the other actions use the space of the icon.
constexpr int heightForIcon = 480;

} // namespace

EmptyState::EmptyState(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_icon(new QLabel(this))
    , m_title(makePlainLabel(QStringLiteral("emptyTitle"), QString(), this))
    , m_text(makePlainLabel(QStringLiteral("secondary"), QString(), this))
    , m_actionButton(new QPushButton(this))
    , m_choiceLayout(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("emptyState"));
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignHCenter);
    m_actionButton->setObjectName(QStringLiteral("emptyAction"));
    m_actionButton->setProperty("kind", QStringLiteral("primary"));

    m_choiceLayout->setContentsMargins(margin, margin, margin, margin);
    m_choiceLayout->setSpacing(10);
    m_choiceLayout->addStretch(2);
    m_choiceLayout->addWidget(m_icon, 0, Qt::AlignHCenter);
    m_choiceLayout->addWidget(m_title, 0, Qt::AlignHCenter);
    m_choiceLayout->addWidget(m_text, 0, Qt::AlignHCenter);
    m_choiceLayout->addSpacing(6);
    m_choiceLayout->addWidget(m_actionButton, 0, Qt::AlignHCenter);
    m_choiceLayout->addStretch(3);

    connect(m_actionButton, &QPushButton::clicked, this, [this] {
        if (m_action)
            m_action();
    });
    connect(&m_appearance, &theme::Appearance::changed, this, [this] {
        applyAppearance();
        QTimer::singleShot(0, this, &EmptyState::fit); // Deferred until the text has its new font.
    });
    parent->installEventFilter(this);
    hide();
}

void EmptyState::setChoices(std::vector<Choice> choices)
{
    m_choices = std::move(choices);
    while (m_choiceButtons.size() < m_choices.size()) {
        auto *button = new QPushButton(this);
        const std::size_t index = m_choiceButtons.size();
        connect(button, &QPushButton::clicked, this, [this, index] { m_choices[index].action(); });
        m_choiceLayout->insertWidget(m_choiceLayout->indexOf(m_actionButton) + 1 + static_cast<int>(index), button);
        m_choiceLayout->setAlignment(button, Qt::AlignHCenter);
        m_choiceButtons.push_back(button);
    }
    for (std::size_t i = 0; i < m_choiceButtons.size(); ++i) {
        m_choiceButtons[i]->setVisible(i < m_choices.size());
        if (i >= m_choices.size())
            continue;
        m_choiceButtons[i]->setObjectName(m_choices[i].name);
        m_choiceButtons[i]->setText(m_choices[i].text);
        m_choiceButtons[i]->setToolTip(m_choices[i].toolTip);
    }
}

QString EmptyState::title() const
{
    return m_title->text();
}

void EmptyState::show(const QString &icon, const QString &title, const QString &text, const QString &actionText,
                      std::function<void()> action)
{
    m_action = std::move(action);
    if (!isHidden() && m_iconName == icon && m_title->text() == title && m_text->text() == text
        && m_actionButton->text() == actionText)
        return;
    m_iconName = icon;
    m_title->setText(title);
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    m_actionButton->setText(actionText);
    m_actionButton->setVisible(!actionText.isEmpty());
    setAccessibleName(title);
    setAccessibleDescription(text);
    applyAppearance();
    fit();
    raise();
    QWidget::show();
}

void EmptyState::applyAppearance()
{
    if (!m_iconName.isEmpty())
        m_icon->setPixmap(
            m_appearance.pixmap(m_iconName, m_appearance.theme().disabled, emptyIconSize, devicePixelRatioF()));
}

void EmptyState::fit()
{
    const QRect rect = parentWidget()->rect();
    m_icon->setVisible(rect.height() >= heightForIcon || m_choices.empty());
    const int width = std::clamp(rect.width() - 2 * margin, 1, maxTextWidth);
    m_text->setFixedWidth(width);
    m_text->setMinimumHeight(0); // heightForWidth() would include the minimum height for the previous text.
    // The layout centres the label and does not ask for its height for width.
    if (!m_text->text().isEmpty())
        m_text->setFixedHeight(m_text->heightForWidth(width));
    setGeometry(rect);
}

bool EmptyState::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize)
        fit();
    return QWidget::eventFilter(watched, event);
}

} // namespace latchkey::ui::widgets

#include "ui/kit/widgets/emptystate.h"

#include "ui/kit/widgets/plaintext.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::widgets {

namespace {

constexpr int emptyIconSize = 48;
constexpr int textWidth = 460;

} // namespace

EmptyState::EmptyState(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_icon(new QLabel(this))
    , m_title(makePlainLabel(QStringLiteral("emptyTitle"), QString(), this))
    , m_text(makePlainLabel(QStringLiteral("secondary"), QString(), this))
    , m_actionButton(new QPushButton(this))
{
    setObjectName(QStringLiteral("emptyState"));
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignHCenter);
    m_text->setFixedWidth(textWidth);
    m_actionButton->setObjectName(QStringLiteral("emptyAction"));
    m_actionButton->setProperty("kind", QStringLiteral("primary"));

    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addStretch(2);
    layout->addWidget(m_icon, 0, Qt::AlignHCenter);
    layout->addWidget(m_title, 0, Qt::AlignHCenter);
    layout->addWidget(m_text, 0, Qt::AlignHCenter);
    layout->addSpacing(6);
    layout->addWidget(m_actionButton, 0, Qt::AlignHCenter);
    layout->addStretch(3);

    connect(m_actionButton, &QPushButton::clicked, this, [this] {
        if (m_action)
            m_action();
    });
    connect(&m_appearance, &theme::Appearance::changed, this, &EmptyState::applyAppearance);
    parent->installEventFilter(this);
    hide();
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
    m_text->setMinimumHeight(0); // Resets the height of the previous text, which heightForWidth() would include.
    if (!text.isEmpty())
        m_text->setFixedHeight(m_text->heightForWidth(textWidth)); // The layout centres the label and does not ask for
                                                                   // its height for width.
    m_actionButton->setText(actionText);
    m_actionButton->setVisible(!actionText.isEmpty());
    setAccessibleName(title);
    setAccessibleDescription(text);
    applyAppearance();
    setGeometry(parentWidget()->rect());
    raise();
    QWidget::show();
}

void EmptyState::applyAppearance()
{
    if (!m_iconName.isEmpty())
        m_icon->setPixmap(
            m_appearance.pixmap(m_iconName, m_appearance.theme().disabled, emptyIconSize, devicePixelRatioF()));
}

bool EmptyState::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize)
        setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

} // namespace latchkey::ui::widgets

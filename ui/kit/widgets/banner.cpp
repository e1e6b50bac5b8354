#include "ui/kit/widgets/banner.h"

#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>

namespace latchkey::ui::widgets {

namespace {

constexpr int bannerIconSize = 20;

const char *toneName(Banner::Tone tone)
{
    switch (tone) {
    case Banner::Tone::Info:
        return "info";
    case Banner::Tone::Warning:
        return "warning";
    case Banner::Tone::Critical:
        return "critical";
    }
    Q_UNREACHABLE();
}

} // namespace

Banner::Banner(theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_appearance(appearance)
    , m_icon(new QLabel(this))
    , m_text(makePlainLabel(QStringLiteral("bannerText"), QString(), this))
    , m_actionButton(new QPushButton(this))
    , m_close(new QPushButton(this))
{
    setObjectName(QStringLiteral("banner"));
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_actionButton->setObjectName(QStringLiteral("bannerAction"));
    m_close->setObjectName(QStringLiteral("bannerClose"));
    m_close->setProperty("kind", QStringLiteral("quiet"));
    m_close->setAccessibleName(tr("Close this message"));

    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 8, 8, 8);
    layout->setSpacing(10);
    layout->addWidget(m_icon);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_actionButton);
    layout->addWidget(m_close);

    connect(m_close, &QPushButton::clicked, this, &Banner::dismiss);
    connect(m_actionButton, &QPushButton::clicked, this, [this] {
        const auto action = m_action; // Copied, because the action may set another message.
        dismiss();
        if (action)
            action();
    });
    connect(&m_appearance, &theme::Appearance::changed, this, &Banner::applyAppearance);
    hide();
}

QString Banner::text() const
{
    return m_text->text();
}

void Banner::show(Tone tone, const QString &text, const QString &actionText, std::function<void()> action)
{
    const bool isNews = isHidden() || m_text->text() != text;
    m_tone = tone;
    m_action = std::move(action);
    m_text->setText(text);
    m_actionButton->setText(actionText);
    m_actionButton->setVisible(!actionText.isEmpty());
    setAccessibleName(text);
    restyle(*this, "tone", QLatin1String(toneName(tone)));
    applyAppearance();
    QFrame::show();
    if (isNews) {
        QAccessibleEvent alert(this, QAccessible::Alert);
        QAccessible::updateAccessibility(&alert);
    }
}

void Banner::dismiss()
{
    Q_EMIT dismissed(); // Emitted before hiding, so that a receiver can check whether the banner has the keyboard
                        // focus.
    hide();
}

void Banner::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        dismiss();
    else
        QFrame::keyPressEvent(event);
}

void Banner::applyAppearance()
{
    const theme::Theme &theme = m_appearance.theme();
    const QColor colour = m_tone == Tone::Info    ? theme.accent
                        : m_tone == Tone::Warning ? theme.warning
                                                  : theme.critical;
    m_icon->setPixmap(m_appearance.pixmap(m_tone == Tone::Info ? QStringLiteral("info") : QStringLiteral("warning"),
                                          colour, bannerIconSize, devicePixelRatioF()));
    m_close->setIcon(m_appearance.icon(QStringLiteral("close")));
}

} // namespace latchkey::ui::widgets

#include "ui/kit/widgets/pill.h"

#include "ui/kit/widgets/plaintext.h"

#include <QPainter>

#include <algorithm>

namespace latchkey::ui::widgets {

namespace {

constexpr int pillMargin = 10;
constexpr int verticalMargin = 3;
/// Additional width in pixels, because a text may be wider than its rounded width.
constexpr int roundingOff = 4;

} // namespace

QColor colourOf(Pill::Tone tone, const theme::Theme &theme)
{
    switch (tone) {
    case Pill::Tone::Neutral:
        return theme.muted;
    case Pill::Tone::Accent:
        return theme.accent;
    case Pill::Tone::Good:
        return theme.good;
    case Pill::Tone::Warning:
        return theme.warning;
    case Pill::Tone::Critical:
        return theme.critical;
    case Pill::Tone::Endless:
        return theme.endless;
    }
    Q_UNREACHABLE();
}

Pill::Pill(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    small.setWeight(QFont::DemiBold);
    setFont(small);
    hide(); // Hidden until a text is set.
}

void Pill::set(const QString &text, Tone tone)
{
    if (text == m_text && tone == m_tone)
        return;
    m_text = text;
    m_tone = tone;
    setAccessibleName(text);
    if (m_isElided)
        setToolTip(toolTipText(text));
    setVisible(!text.isEmpty());
    updateGeometry();
    update();
}

QSize Pill::sizeHint() const
{
    const QFontMetrics metrics = fontMetrics();
    return {metrics.horizontalAdvance(m_text) + 2 * pillMargin, metrics.height() + 2 * verticalMargin};
}

QSize Pill::minimumSizeHint() const
{
    const QSize hint = sizeHint();
    constexpr int fewCharacters = 6;
    const int least = fewCharacters * fontMetrics().averageCharWidth() + 2 * pillMargin;
    return m_isElided ? QSize(std::min(hint.width(), least), hint.height()) : hint;
}

void Pill::setElided(bool isElided)
{
    m_isElided = isElided;
    setSizePolicy(isElided ? QSizePolicy::Maximum : QSizePolicy::Fixed, QSizePolicy::Fixed);
    setToolTip(isElided ? toolTipText(m_text) : QString());
}

void Pill::paintEvent(QPaintEvent *)
{
    const theme::Theme &theme = m_appearance.theme();
    const QColor colour = colourOf(m_tone, theme);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme::tint(colour, theme.surface, 0.16));
    painter.drawRoundedRect(rect(), height() / 2.0, height() / 2.0);
    painter.setPen(colour);
    const int room = width() - 2 * pillMargin + roundingOff;
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextSingleLine,
                     m_isElided ? fontMetrics().elidedText(m_text, Qt::ElideRight, room) : m_text);
}

} // namespace latchkey::ui::widgets

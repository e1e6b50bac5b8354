#include "ui/pages/playground/countdownbar.h"

#include <QPainter>

#include <algorithm>

namespace latchkey::ui::playground {

CountdownBar::CountdownBar(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
{
    setObjectName(QStringLiteral("countdownBar"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAttribute(Qt::WA_OpaquePaintEvent); // The bar paints all of its area, so that the card below is not repainted
                                           // with each change.
    connect(&m_appearance, &theme::Appearance::changed, this, qOverload<>(&QWidget::update));
}

void CountdownBar::set(std::optional<double> share, widgets::Pill::Tone tone)
{
    if (share)
        share = std::clamp(*share, 0.0, 1.0);
    // Repaints only after a visible change.
    const auto pixels = [this](std::optional<double> of) { return of ? static_cast<int>(*of * width()) : -1; };
    const bool isSame = pixels(share) == pixels(m_share) && tone == m_tone;
    m_share = share;
    m_tone = tone;
    if (!isSame)
        update();
}

void CountdownBar::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_appearance.theme().surface);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF whole = rect();
    const double round = whole.height() / 2;
    painter.setBrush(m_appearance.theme().track);
    painter.drawRoundedRect(whole, round, round);
    if (!m_share || *m_share <= 0)
        return;
    painter.setBrush(widgets::colourOf(m_tone, m_appearance.theme()));
    QRectF left = whole;
    left.setWidth(std::max(whole.height(), whole.width() * *m_share));
    if (layoutDirection() == Qt::RightToLeft)
        left.moveRight(whole.right());
    painter.drawRoundedRect(left, round, round);
}

} // namespace latchkey::ui::playground

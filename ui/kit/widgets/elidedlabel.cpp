#include "ui/kit/widgets/elidedlabel.h"

#include "ui/kit/widgets/plaintext.h"

#include <QHelpEvent>
#include <QStyle>
#include <QStyleOption>
#include <QStylePainter>
#include <QToolTip>

namespace latchkey::ui::widgets {

ElidedLabel::ElidedLabel(QWidget *parent)
    : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
}

QSize ElidedLabel::minimumSizeHint() const
{
    constexpr int fewCharacters = 8;
    return {std::min(sizeHint().width(), fewCharacters * fontMetrics().averageCharWidth()),
            QLabel::minimumSizeHint().height()};
}

bool ElidedLabel::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip && width() < sizeHint().width()) {
        QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(), toolTipText(text()), this);
        return true;
    }
    return QLabel::event(event);
}

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QStylePainter painter(this);
    QStyleOption option;
    option.initFrom(this);
    const QString fitting = fontMetrics().elidedText(text(), Qt::ElideMiddle, contentsRect().width());
    painter.drawItemText(contentsRect(), static_cast<int>(QStyle::visualAlignment(layoutDirection(), alignment())),
                         option.palette, isEnabled(), fitting, foregroundRole());
}

} // namespace latchkey::ui::widgets

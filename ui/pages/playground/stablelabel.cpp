#include "ui/pages/playground/stablelabel.h"

#include "ui/kit/widgets/plaintext.h"

#include <QEvent>
#include <QLabel>
#include <QTimer>

#include <algorithm>

namespace latchkey::ui::playground {

StableLabel::StableLabel(const QString &labelName, QWidget *parent, int minLines)
    : QWidget(parent)
    , m_label(widgets::makePlainLabel(labelName, QString(), this))
    , m_leastLines(minLines)
{
    m_label->setWordWrap(true);
    m_label->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    m_label->installEventFilter(this);
    fit();
}

void StableLabel::setText(const QString &text)
{
    if (m_label->text() == text)
        return;
    m_label->setText(text);
    fit();
}

void StableLabel::setBackground(const QColor &ground)
{
    QPalette colours = palette();
    colours.setColor(backgroundRole(), ground);
    setPalette(colours);
    setAutoFillBackground(true);
}

/// Adapts the height. A shorter text does not reduce the height, so that widgets below do not jump; the next text may
/// be long again.
void StableLabel::fit()
{
    if (width() != m_fittedWidth || m_label->font() != m_fittedFont) {
        m_fittedWidth = width();
        m_fittedFont = m_label->font();
        m_most = m_leastLines * m_label->fontMetrics().lineSpacing();
    }
    m_most = std::max(m_most, m_label->heightForWidth(m_fittedWidth));
    if (m_most != minimumHeight() || m_most != maximumHeight())
        setFixedHeight(m_most);
}

void StableLabel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_label->setGeometry(rect());
    if (width() != m_fittedWidth)
        fit();
}

/// Handles a change of colour by the style sheet, which resets the font and sets it again.
bool StableLabel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        QTimer::singleShot(0, this, [this] {
            if (m_label->font() != m_fittedFont)
                fit();
        });
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace latchkey::ui::playground

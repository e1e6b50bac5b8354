#include "ui/clients/saying.h"

#include "ui/widgets/plaintext.h"

#include <QEvent>
#include <QLabel>

#include <algorithm>

namespace latchkey::ui::clients {

Saying::Saying(const QString &labelName, QWidget *parent)
    : QWidget(parent)
    , m_label(widgets::makePlainLabel(labelName, QString(), this))
{
    m_label->setWordWrap(true);
    m_label->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    m_label->installEventFilter(this);
    fit();
}

void Saying::setText(const QString &text)
{
    if (m_label->text() == text)
        return;
    m_label->setText(text);
    fit();
}

void Saying::fit()
{
    const int least = 2 * m_label->fontMetrics().lineSpacing();
    const int height = std::max(least, m_label->heightForWidth(width()));
    if (height != minimumHeight() || height != maximumHeight())
        setFixedHeight(height);
}

void Saying::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_label->setGeometry(rect());
    fit();
}

bool Saying::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fit();
    return QWidget::eventFilter(watched, event);
}

} // namespace latchkey::ui::clients

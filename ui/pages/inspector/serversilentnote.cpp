#include "ui/pages/inspector/serversilentnote.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace latchkey::ui::inspector {

ServerSilentNote::ServerSilentNote(QWidget *parent)
    : QFrame(parent)
    , m_text(new QLabel(this))
    , m_try(new QPushButton(tr("Try now"), this))
{
    setObjectName(QStringLiteral("banner")); // Selects the style.
    setProperty("tone", QStringLiteral("warning"));
    m_text->setObjectName(QStringLiteral("outOfSight"));
    m_text->setTextFormat(Qt::PlainText);
    m_try->setObjectName(QStringLiteral("tryNow"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 8, 8, 8);
    layout->setSpacing(10);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_try);
    connect(m_try, &QPushButton::clicked, this, &ServerSilentNote::retryRequested);
    parent->installEventFilter(this);
    hide();
}

void ServerSilentNote::show(const QString &text, bool canTry)
{
    m_text->setText(text);
    setAccessibleName(text);
    m_try->setVisible(canTry);
    moveToParentEdge();
    raise();
    QFrame::show();
}

void ServerSilentNote::moveToParentEdge()
{
    constexpr int margin = 16;
    const QSize room = parentWidget()->size();
    const QSize wanted = sizeHint();
    const int width = std::min(wanted.width(), room.width() - 2 * margin);
    setGeometry((room.width() - width) / 2, (room.height() - wanted.height()) / 2, width, wanted.height());
}

bool ServerSilentNote::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible())
        moveToParentEdge();
    return QFrame::eventFilter(watched, event);
}

} // namespace latchkey::ui::inspector

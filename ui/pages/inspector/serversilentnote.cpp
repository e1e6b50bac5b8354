#include "ui/pages/inspector/serversilentnote.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>

namespace latchkey::ui::inspector {

namespace {

/// Returns the lower end of the rows, if the parent is a table; otherwise 0.
int rowsBottom(const QWidget &parent)
{
    const auto *table = qobject_cast<const QTableView *>(&parent);
    const int rows = table == nullptr || table->model() == nullptr ? 0 : table->model()->rowCount();
    if (rows == 0)
        return 0;
    const QHeaderView &header = *table->verticalHeader();
    return table->viewport()->y() + header.sectionViewportPosition(rows - 1) + header.sectionSize(rows - 1);
}

} // namespace

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
    m_text->setWordWrap(false); // A wrapped label asks for less than the width of its text.
    QSize wanted = sizeHint();
    if (const int width = room.width() - 2 * margin; wanted.width() > width) {
        m_text->setWordWrap(true);
        wanted = {width, layout()->totalHeightForWidth(width)};
    }
    // Below the rows if there is room, so that the note covers none of them.
    const int middle = (room.height() - wanted.height()) / 2;
    const int below = rowsBottom(*parentWidget()) + margin / 2;
    const int top = below + wanted.height() + margin <= room.height() ? std::max(middle, below) : middle;
    setGeometry(QRect(QPoint((room.width() - wanted.width()) / 2, top), wanted));
}

bool ServerSilentNote::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible())
        moveToParentEdge();
    return QFrame::eventFilter(watched, event);
}

} // namespace latchkey::ui::inspector

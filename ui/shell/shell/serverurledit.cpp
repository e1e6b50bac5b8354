#include "ui/shell/shell/serverurledit.h"

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QStringListModel>
#include <QStyle>
#include <QStyleOptionFrame>

namespace latchkey::ui::shell {

ServerUrlEdit::ServerUrlEdit(QWidget *parent)
    : QLineEdit(parent)
    , m_recent(new QCompleter(new QStringListModel(this), this))
{
    setObjectName(QStringLiteral("serverUrl"));
    setAccessibleName(tr("Server URL"));
    setPlaceholderText(tr("redis://host:6379 or unix:///path/to.sock"));
    showToolTip();
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &ServerUrlEdit::showToolTip);
    setUpList();
    connect(this, &QLineEdit::textChanged, this, [this] {
        m_isRefused = false;
        showKind();
        showToolTip();
    });
}

/// Sets up the list without setCompleter(). A QLineEdit with a completer restores the text of the list after Return, so
/// that the field would show a server that is not connected.
void ServerUrlEdit::setUpList()
{
    m_recent->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_recent->setWidget(this);
    m_recent->popup()->installEventFilter(this); // Installed after the completer's own filter, so it is called before
                                                 // that filter.
    connect(this, &QLineEdit::textEdited, m_recent, [this](const QString &text) {
        m_recent->setCompletionPrefix(text);
        m_recent->complete();
    });
    connect(m_recent, qOverload<const QString &>(&QCompleter::highlighted), this, &QLineEdit::setText);
    connect(m_recent, qOverload<const QString &>(&QCompleter::activated), this, [this](const QString &url) {
        setText(url);
        takeFocus();
    });
}

void ServerUrlEdit::setServer(const QString &displayUrl)
{
    const bool isDraft = text() != m_server;
    m_server = displayUrl;
    if (!isDraft || !hasFocus()) {
        setText(displayUrl);
        setCursorPosition(0);
    }
    showKind();
}

void ServerUrlEdit::setRecentServers(const QStringList &displayUrls)
{
    if (auto *model = qobject_cast<QStringListModel *>(m_recent->model()))
        model->setStringList(displayUrls);
}

void ServerUrlEdit::edit()
{
    setFocus(Qt::ShortcutFocusReason);
    selectAll();
}

void ServerUrlEdit::refuse()
{
    m_isRefused = true;
    showKind();
}

void ServerUrlEdit::takeFocus()
{
    m_recent->popup()->hide();
    Q_EMIT entered(text().trimmed());
}

void ServerUrlEdit::settle()
{
    setText(m_server);
    setCursorPosition(0);
}

void ServerUrlEdit::drop()
{
    m_recent->popup()->hide();
    if (text() == m_server)
        return;
    setText(m_server);
    setCursorPosition(0);
    Q_EMIT draftDropped();
}

void ServerUrlEdit::showKind()
{
    widgets::restyle(*this, "kind",
                     m_isRefused          ? QStringLiteral("error")
                     : text() != m_server ? QStringLiteral("draft")
                                          : QString());
}

/// Returns the area of the text, as QLineEdit places it.
QRect ServerUrlEdit::textArea() const
{
    constexpr int margin = 2;
    QStyleOptionFrame option;
    initStyleOption(&option);
    return style()
        ->subElementRect(QStyle::SE_LineEditContents, &option, this)
        .marginsRemoved(textMargins())
        .adjusted(margin, 0, -margin, 0);
}

bool ServerUrlEdit::isElided() const
{
    return !hasFocus() && !text().isEmpty() && fontMetrics().horizontalAdvance(text()) > textArea().width();
}

QString ServerUrlEdit::shownText() const
{
    return isElided() ? fontMetrics().elidedText(text(), Qt::ElideMiddle, textArea().width()) : text();
}

void ServerUrlEdit::showToolTip()
{
    const QString hint = tr("Enter another URL and press Return to connect to it (Ctrl+L)");
    setToolTip(isElided() ? widgets::toolTipText(text() + u'\n' + hint) : hint);
}

/// Paints a URL that does not fit with both ends: the end has the port and the database. A QLineEdit would cut the end
/// without a sign.
void ServerUrlEdit::paintEvent(QPaintEvent *event)
{
    if (!isElided())
        return QLineEdit::paintEvent(event);
    QStyleOptionFrame option;
    initStyleOption(&option);
    QPainter painter(this);
    style()->drawPrimitive(QStyle::PE_PanelLineEdit, &option, &painter, this);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(textArea(), Qt::AlignVCenter | Qt::AlignLeft, shownText());
}

void ServerUrlEdit::resizeEvent(QResizeEvent *event)
{
    QLineEdit::resizeEvent(event);
    showToolTip();
}

void ServerUrlEdit::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        takeFocus();
    else if (event->key() == Qt::Key_Escape) {
        drop();
        selectAll();
    } else {
        QLineEdit::keyPressEvent(event);
    }
}

void ServerUrlEdit::focusOutEvent(QFocusEvent *event)
{
    QLineEdit::focusOutEvent(event);
    // The focus is in the list of the field, or in another program from which the user may copy a URL.
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason)
        drop();
}

/// Handles keys while the list is open. Keys that enter or drop the draft go to the field; the completer would replace
/// the draft with its best match.
bool ServerUrlEdit::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_recent->popup() && event->type() == QEvent::KeyPress) {
        auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_Escape) {
            keyPressEvent(key);
            return true;
        }
        if (key->key() == Qt::Key_Tab || key->key() == Qt::Key_Backtab) {
            m_recent->popup()->hide();
            focusNextPrevChild(key->key() == Qt::Key_Tab); // Drops the draft.
            return true;
        }
    }
    return QLineEdit::eventFilter(watched, event);
}

} // namespace latchkey::ui::shell

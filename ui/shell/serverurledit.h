#pragma once

#include <QLineEdit>

class QCompleter;

namespace latchkey::ui::shell {

/// The URL of the server that the window is connected to, and the place to enter another one.
///
/// Whatever else is typed here is a draft, and looks like one: Return hands it on, Esc drops it, and so does leaving
/// the field, so that a field which nobody edits never names a server that is not the connected one. The list of recent
/// servers only ever changes the draft.
/// Owned by the connection bar; it connects nothing itself.
class ServerUrlEdit final : public QLineEdit
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerUrlEdit)

public:
    explicit ServerUrlEdit(QWidget *parent = nullptr);

    /// The connected server's URL. A draft that is being written stays until it is entered or dropped.
    void setServer(const QString &displayUrl);
    void setRecentServers(const QStringList &displayUrls);
    /// What was entered is understood and being done: it is no draft any more. The field shows the connected server
    /// until setServer() names the next one.
    void settle();
    /// Puts the keyboard here, with everything selected.
    void edit();
    /// What was entered cannot be read: it stays a draft, and is marked.
    void refuse();

Q_SIGNALS:
    /// Return, or a click into the list. Followed by settle() or refuse().
    void entered(const QString &url);
    void draftDropped();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void setUpList();
    void enter();
    void drop();
    void showKind();

    QString m_server;
    QCompleter *m_recent;
    bool m_isRefused = false;
};

} // namespace latchkey::ui::shell

#pragma once

#include <QLineEdit>

class QCompleter;

namespace latchkey::ui::shell {

/// An input field with the URL of the connected server, in which another URL can be entered.
///
/// Any other text is a draft and is displayed differently. Return submits it. Esc, or leaving the field, drops it. A
/// field that is not being edited therefore always shows the connected server. The list of recent servers changes only
/// the draft. Owned by the connection bar. The field opens no connection.
class ServerUrlEdit final : public QLineEdit
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerUrlEdit)

public:
    explicit ServerUrlEdit(QWidget *parent = nullptr);

    /// Sets the URL of the connected server. A draft stays until it is submitted or dropped.
    void setServer(const QString &displayUrl);
    void setRecentServers(const QStringList &displayUrls);
    /// Ends the draft, because the submitted URL is valid. The field shows the connected server until setServer() sets
    /// the next one.
    void settle();
    /// Moves the keyboard focus to the field and selects everything.
    void edit();
    /// Marks the draft as invalid and keeps it.
    void refuse();
    /// Returns the visible text: without the focus, a URL that does not fit is elided in the middle.
    [[nodiscard]] QString shownText() const;

Q_SIGNALS:
    /// Emitted after Return, or a click in the list. The receiver calls settle() or refuse().
    void entered(const QString &url);
    void draftDropped();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void setUpList();
    void takeFocus();
    void drop();
    void showKind();
    void showToolTip();
    [[nodiscard]] QRect textArea() const;
    [[nodiscard]] bool isElided() const;

    QString m_server;
    QCompleter *m_recent;
    bool m_isRefused = false;
};

} // namespace latchkey::ui::shell

#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace latchkey::ui::inspector {

/// A note over the middle of its parent while the server does not reply or is not connected. It shows the age of the
/// displayed data, and a button to retry now. No other message appears at this place, and no other widget moves. Owned
/// by its parent; the note follows the size of the parent.
class ServerSilentNote final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerSilentNote)

public:
    explicit ServerSilentNote(QWidget *parent);

    /// Shows the note. `canTry`: true if there is no connection from which a reply could still come.
    void show(const QString &text, bool canTry);

Q_SIGNALS:
    void retryRequested();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void moveToParentEdge();

    QLabel *m_text;
    QPushButton *m_try;
};

} // namespace latchkey::ui::inspector

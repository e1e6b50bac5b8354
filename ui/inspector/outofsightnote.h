#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace latchkey::ui::inspector {

/// A note that lies over the middle of its parent, where no other message comes, while the server is out of sight:
/// since when, and a button to try again now. Nothing moves because of it. Owned by its parent, whose size it follows.
class OutOfSightNote final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(OutOfSightNote)

public:
    explicit OutOfSightNote(QWidget *parent);

    /// canTry: there is no connection that could still answer.
    void show(const QString &text, bool canTry);

Q_SIGNALS:
    void tryWanted();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void place();

    QLabel *m_text;
    QPushButton *m_try;
};

} // namespace latchkey::ui::inspector

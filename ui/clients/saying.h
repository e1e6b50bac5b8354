#pragma once

#include <QFont>
#include <QWidget>

class QLabel;

namespace latchkey::ui::clients {

/// A sentence that changes many times a second, as a countdown does.
///
/// The one idea: a label whose text changes has all that it stands in laid out anew. This one stands in nothing that
/// could be: it has room for so many lines, takes more only when its text does, and keeps that until it is made wider
/// or narrower. Owned by its parent.
class Saying final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Saying)

public:
    Saying(const QString &labelName, QWidget *parent, int leastLines = 2);

    void setText(const QString &text);
    /// What it stands on, where that is of one colour: then nothing below it is painted again with each text.
    void setGround(const QColor &ground);
    /// For the style sheet.
    [[nodiscard]] QLabel &label() { return *m_label; }

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fit();

    QLabel *m_label;
    int m_leastLines;
    int m_most = 0; ///< The height that it has needed in this width and these letters.
    int m_fittedWidth = -1;
    QFont m_fittedFont;
};

} // namespace latchkey::ui::clients

#pragma once

#include <QFont>
#include <QWidget>

class QLabel;

namespace latchkey::ui::playground {

/// A label for a sentence that changes many times a second, such as a countdown.
///
/// A QLabel with a new text causes a new layout of its parents. This widget avoids that: it has room for a number of
/// lines and grows only if the text needs more. It keeps that height until its width or font changes. Owned by its
/// parent.
class StableLabel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StableLabel)

public:
    StableLabel(const QString &labelName, QWidget *parent, int minLines = 2);

    void setText(const QString &text);
    /// Sets the uniform, opaque background colour, so that a new text does not repaint the widgets below.
    void setBackground(const QColor &ground);
    /// Returns the label, for style sheet properties.
    [[nodiscard]] QLabel &label() { return *m_label; }

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fit();

    QLabel *m_label;
    int m_leastLines;
    int m_most = 0; ///< Greatest height needed so far at this width and font.
    int m_fittedWidth = -1;
    QFont m_fittedFont;
};

} // namespace latchkey::ui::playground

#pragma once

#include <QLabel>

namespace latchkey::ui::widgets {

/// A label for one line of plain text. If the text is wider than the label, its middle is cut, and the tool tip has the
/// full text. Owned by its parent.
class ElidedLabel final : public QLabel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ElidedLabel)

public:
    explicit ElidedLabel(QWidget *parent = nullptr);

    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
};

} // namespace latchkey::ui::widgets

#pragma once

#include <QWidget>

class QLabel;

namespace latchkey::ui::clients {

/// A sentence that changes many times a second, as a countdown does.
///
/// The one idea: a label whose text changes has all that it stands in laid out anew. This one stands in nothing that
/// could be: it has room for two lines, and takes more only when its text does. Owned by its card.
class Saying final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Saying)

public:
    Saying(const QString &labelName, QWidget *parent);

    void setText(const QString &text);
    /// For the style sheet.
    [[nodiscard]] QLabel &label() { return *m_label; }

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fit();

    QLabel *m_label;
};

} // namespace latchkey::ui::clients

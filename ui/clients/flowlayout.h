#pragma once

#include <QLayout>
#include <QList>

namespace latchkey::ui::clients {

/// Puts widgets of one width side by side, as many as fit, and the rest below; the last row is not stretched.
class FlowLayout final : public QLayout
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FlowLayout)

public:
    explicit FlowLayout(int spacing, QWidget *parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem *item) override;
    [[nodiscard]] int count() const override { return static_cast<int>(m_items.size()); }
    [[nodiscard]] QLayoutItem *itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem *takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    void setGeometry(const QRect &rect) override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSize(); }
    [[nodiscard]] QSize minimumSize() const override;

private:
    /// Places the items within the rectangle if asked to; the height they take.
    [[nodiscard]] int arrange(const QRect &rect, bool places) const;

    QList<QLayoutItem *> m_items; // Owned.
};

} // namespace latchkey::ui::clients

#pragma once

#include <QLayout>
#include <QList>

namespace latchkey::ui::clients {

/// Puts widgets of one width side by side, as many as fit, and the rest below; the last row is not stretched.
///
/// Nothing moves because something else goes: where a widget was, its place stays empty, as large as it was, until the
/// next one that is added takes it. Only empty places at the end are given up. Nor does a row become lower again, at
/// the same width, because a widget in it has less to say for a moment.
class FlowLayout final : public QLayout
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FlowLayout)

public:
    explicit FlowLayout(int spacing, QWidget *parent = nullptr);
    ~FlowLayout() override;

    /// Into the first empty place, else at the end.
    void addItem(QLayoutItem *item) override;
    /// Takes the widget out, which is the caller's then, and leaves its place empty.
    void vacate(QWidget &widget);
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
    /// Where the items stand within the rectangle.
    struct Places
    {
        QList<QRect> items;
        QList<int> rowHeights;
        int height = 0;
    };
    [[nodiscard]] Places arrange(const QRect &rect) const;

    QList<QLayoutItem *> m_items; // Owned.
    QList<int> m_rowHeights;      ///< The greatest that each row has had at m_rowWidth.
    int m_rowWidth = 0;
};

} // namespace latchkey::ui::clients

#pragma once

#include <QLayout>
#include <QList>

namespace latchkey::ui::playground {

/// A layout that places widgets of one width side by side, as many as fit, and the rest below. The last row is not
/// stretched.
///
/// The removal of a widget moves no other widget. Its cell stays empty and keeps its size until another widget is
/// added. Only empty cells at the end are removed. At the same width, a row never becomes lower, so that a shorter text
/// in a widget moves no other widget. Owned by the widget that it lays out.
class FlowLayout final : public QLayout
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FlowLayout)

public:
    explicit FlowLayout(int spacing, QWidget *parent = nullptr);
    ~FlowLayout() override;

    /// Adds an item in the first empty cell, or else at the end.
    void addItem(QLayoutItem *item) override;
    /// Removes a widget, passes its ownership to the caller, and keeps its cell empty.
    void removeKeepingCell(QWidget &widget);
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
    /// The positions of the items within a rectangle.
    struct Positions
    {
        QList<QRect> items;
        QList<int> rowHeights;
        int height = 0;
    };
    [[nodiscard]] Positions positionItems(const QRect &rect) const;

    QList<QLayoutItem *> m_items; // Owned.
    QList<int> m_rowHeights;      ///< Greatest height of each row so far, at width m_rowWidth.
    int m_rowWidth = 0;
};

} // namespace latchkey::ui::playground

#pragma once

#include "core/base/clock.h"
#include "core/keys/key.h"
#include "ui/theme/appearance.h"

#include <QStyledItemDelegate>

namespace latchkey::ui::keytable {

/// What the cells of a lease table have in common: the background of a chosen row, the line below, and how the text of
/// a key that has gone fades.
/// Owned by the view; the appearance is not.
class KeyCellDelegate : public QStyledItemDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyCellDelegate)

public:
    enum class Font : quint8 { Interface, Monospaced };

    KeyCellDelegate(theme::Appearance &appearance, Font font, QObject *parent);

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    [[nodiscard]] theme::Appearance &appearance() const { return m_appearance; }
    [[nodiscard]] QFont font(const QStyleOptionViewItem &option) const;
    void paintBackground(QPainter *painter, const QStyleOptionViewItem &option) const;
    virtual void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;

private:
    theme::Appearance &m_appearance;
    const Font m_font;
};

/// A key's type as a pill in a colour of its own.
class TypeDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TypeDelegate)

public:
    TypeDelegate(theme::Appearance &appearance, QObject *parent);

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// The time left as a bar and a text, derived from the deadline while painting.
/// Reads KeyTableModel's DeadlineRole, SpanRole and StateRole.
class CountdownDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CountdownDelegate)

public:
    CountdownDelegate(theme::Appearance &appearance, const base::Clock &clock, QObject *parent);

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    const base::Clock &m_clock; // Not owned.
    const int m_textWidth;      ///< Of the longest text, in pixels.
};

/// The colour for so much time left of so long a lease; see Theme.
[[nodiscard]] QColor urgencyColour(const theme::Theme &theme, std::chrono::nanoseconds left,
                                   std::chrono::milliseconds span);

} // namespace latchkey::ui::keytable

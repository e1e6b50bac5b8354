#pragma once

#include "core/foundation/base/deadline.h"
#include "ui/kit/theme/appearance.h"
#include "ui/views/keytable/barpixmapcache.h"
#include "ui/views/keytable/monospacedtextpainter.h"
#include "ui/views/keytable/sawtooth.h"
#include "ui/views/keytable/showntime.h"

#include <QStyledItemDelegate>

namespace latchkey::ui::keytable {

/// Returns the rectangle of the mark that opens and closes the rows of the fields, at the start of the cell. `cell`:
/// rectangle of the cell in the key column.
[[nodiscard]] QRect openMark(const QRect &cell, Qt::LayoutDirection direction);

/// Returns the width in pixels that a pill needs to show its text uncut, with the margin before it. `font`: font of the
/// table.
[[nodiscard]] int pillRoom(const QFont &font, const QString &text, bool hasIcon);

/// The base class of the delegates of a key table. It paints the background of a selected row and the line below. It
/// fades the text of ended keys, and all texts while the displayed time is frozen. It is also the delegate for plain
/// text. Owned by the view. Appearance and time are not owned.
class KeyCellDelegate : public QStyledItemDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyCellDelegate)

public:
    KeyCellDelegate(theme::Appearance &appearance, const ShownTime &time, QObject *parent);

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    [[nodiscard]] theme::Appearance &appearance() const { return m_appearance; }
    [[nodiscard]] const ShownTime &time() const { return m_time; }
    /// Returns whether the key exists, as far as is known now.
    [[nodiscard]] bool isCurrent(const QModelIndex &index) const;
    void paintBackground(QPainter *painter, const QStyleOptionViewItem &option) const;
    /// Paints a text as a pill in that colour, at the start of the cell and no wider than the cell. `icon`: name of an
    /// icon; empty without an icon.
    void paintPill(QPainter *painter, const QStyleOptionViewItem &option, const QString &text, const QColor &colour,
                   const QColor &fill, const QString &icon = {}) const;
    void paintGroup(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;
    void paintRest(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;
    /// Paints the mark that folds and unfolds a row. `rect`: start of the row.
    void paintMark(QPainter *painter, const QRect &rect, Qt::LayoutDirection direction, bool isCollapsed) const;
    virtual void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;

private:
    [[nodiscard]] static int indentOf(const QModelIndex &index);

    theme::Appearance &m_appearance;
    const ShownTime &m_time; // Not owned.
};

/// A delegate for the type of a key: a pill with a colour per type. Owned by the KeyTableView.
class TypeDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TypeDelegate)

public:
    using KeyCellDelegate::KeyCellDelegate;

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// A delegate for the kind of a lock: a pill with the icon of its family, paler if the kind is only likely. Owned by
/// the KeyTableView.
class KindDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KindDelegate)

public:
    using KeyCellDelegate::KeyCellDelegate;

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// A delegate for the holder of a lock and the hold count. If there is not enough room, the name is cut. Owned by the
/// KeyTableView.
class HolderDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HolderDelegate)

public:
    using KeyCellDelegate::KeyCellDelegate;

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// A delegate for the number of findings of a key: a conspicuous pill, or an empty cell without findings. Owned by the
/// KeyTableView.
class FindingsDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FindingsDelegate)

public:
    using KeyCellDelegate::KeyCellDelegate;

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// A delegate for the remaining time: a bar and a text, computed from the deadline while painting.
///
/// Colour and figures depend on the remaining time only, so that they agree with the order of the rows. The length of
/// the bar is the remaining share of the original TTL. If the key existed when it was first seen, the original TTL is
/// unknown. Then the share refers to the TTL at that time, and the part before it is hatched. A small saw-tooth above
/// the bar marks a renewed lease. A hash without a TTL, but with expiring fields, shows the remaining time of its first
/// field, without a bar. Reads the roles DeadlineRole, FieldEndRole, SpanRole, StartSeenRole, StateRole and
/// RenewalsRole of KeyTableModel.
class CountdownDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CountdownDelegate)

public:
    CountdownDelegate(theme::Appearance &appearance, const ShownTime &time, QObject *parent);

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    void paintFieldEnd(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index,
                       const base::Deadline &end) const;

    const int m_textWidth; ///< Width of the longest text, in pixels.
    mutable BarPixmapCache m_bars;
    mutable SawTooth m_teeth;
    mutable MonospacedTextPainter m_textPainter;
};

/// Returns the colour for the remaining time: critical below two seconds, warning while milliseconds are displayed.
[[nodiscard]] QColor urgencyColour(const theme::Theme &theme, std::chrono::nanoseconds left);

} // namespace latchkey::ui::keytable

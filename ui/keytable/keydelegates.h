#pragma once

#include "core/base/deadline.h"
#include "ui/keytable/barpictures.h"
#include "ui/keytable/figurefont.h"
#include "ui/keytable/sawtooth.h"
#include "ui/keytable/showntime.h"
#include "ui/theme/appearance.h"

#include <QStyledItemDelegate>

namespace latchkey::ui::keytable {

/// Where a key that opens has its mark: at the beginning of its cell. index: of the key's column.
[[nodiscard]] QRect openMark(const QRect &cell, Qt::LayoutDirection direction);

/// What the cells of a key table have in common: the background of a chosen row, the line below, and how the text
/// fades of a key that has gone, and of everything while the server is out of sight. A cell of text is just this.
/// Owned by the view; appearance and time are not.
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
    /// The key is there, as far as anybody can know at present.
    [[nodiscard]] bool isCurrent(const QModelIndex &index) const;
    void paintBackground(QPainter *painter, const QStyleOptionViewItem &option) const;
    /// A text as a pill in that colour, at the beginning of the cell and no wider than it. icon: its name; empty: none.
    void paintPill(QPainter *painter, const QStyleOptionViewItem &option, const QString &text, const QColor &colour,
                   const QColor &fill, const QString &icon = {}) const;
    void paintGroup(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;
    void paintRest(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;
    /// The mark that folds and unfolds what is below a row. place: where the row begins.
    void paintMark(QPainter *painter, const QRect &place, Qt::LayoutDirection direction, bool isFolded) const;
    virtual void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;

private:
    [[nodiscard]] static int indentOf(const QModelIndex &index);

    theme::Appearance &m_appearance;
    const ShownTime &m_time; // Not owned.
};

/// A key's type as a pill in a colour of its own.
class TypeDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TypeDelegate)

public:
    using KeyCellDelegate::KeyCellDelegate;

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// Which kind of lock a key is, as a pill with the icon of its family; a kind that is only likely has a pale one.
class KindDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KindDelegate)

public:
    using KeyCellDelegate::KeyCellDelegate;

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// Who has a lock, and how often: where there is no room it is the name that gives way.
class HolderDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HolderDelegate)

public:
    using KeyCellDelegate::KeyCellDelegate;

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// How many things are wrong with a key, as a pill that nobody overlooks; nothing where nothing is.
class FindingsDelegate final : public KeyCellDelegate
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FindingsDelegate)

public:
    using KeyCellDelegate::KeyCellDelegate;

protected:
    void paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// The time left as a bar and a text, derived from the deadline while painting.
///
/// Colour and figures go by what is left, so that they never contradict the order of the rows; the bar's length is the
/// share of what the key was given. Where that is not known, because the key was there already when it was first met,
/// the share is of what was left then, and the part before it is hatched.
/// Over the bar of a lease that is renewed is its saw-tooth, small.
/// Of a hash without a TTL whose fields end, what the first one has left stands there, in words and without a bar.
/// Reads KeyTableModel's DeadlineRole, FieldEndRole, SpanRole, StartSeenRole, StateRole and RenewalsRole.
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

    const int m_textWidth; ///< Of the longest text, in pixels.
    mutable BarPictures m_bars;
    mutable SawTooth m_teeth;
    mutable FigureFont m_figures;
};

/// The colour for so much time left: critical below two seconds, a warning where milliseconds are shown.
[[nodiscard]] QColor urgencyColour(const theme::Theme &theme, std::chrono::nanoseconds left);

} // namespace latchkey::ui::keytable

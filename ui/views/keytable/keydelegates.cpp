#include "ui/views/keytable/keydelegates.h"

#include "ui/views/keytable/countdowngeometry.h"
#include "ui/views/keytable/keytablemodel.h"
#include "ui/views/keytable/keytext.h"

#include <QPainter>
#include <QTableView>

#include <algorithm>

namespace latchkey::ui::keytable {

using base::Deadline;
using keys::KeyState;
using keys::KeyType;
using theme::Theme;
using namespace std::chrono_literals;

namespace {

/// Half the height of the fold mark, and the width reserved for it, in pixels.
constexpr int markSize = 4;
constexpr int markRoom = 4 * markSize;
/// Room at each side of the text of a pill, in pixels.
constexpr int pillSide = 9;

QFont pillFont(QFont font)
{
    font.setPointSizeF(font.pointSizeF() * 0.88);
    return font;
}

/// Returns the distance of the text from the start of the pill.
int pillTextStart(const QFontMetrics &metrics, bool hasIcon)
{
    return pillSide + (hasIcon ? metrics.height() - 1 + 5 : 0);
}

QColor typeColour(const Theme &theme, KeyType type)
{
    const bool isDark = theme.scheme == theme::Scheme::Dark;
    const auto hue = [isDark](int degrees) { return QColor::fromHsl(degrees, isDark ? 150 : 160, isDark ? 170 : 85); };
    switch (type) {
    case KeyType::String:
        return hue(222);
    case KeyType::Hash:
        return hue(282);
    case KeyType::List:
        return hue(150);
    case KeyType::Set:
        return hue(30);
    case KeyType::SortedSet:
        return hue(335);
    case KeyType::Stream:
        return hue(190);
    case KeyType::Other:
    case KeyType::Refused:
    case KeyType::Unknown:
        break;
    }
    return theme.muted;
}

/// Returns the flags for one line of text that is vertically centred.
int inOneLine(Qt::Alignment alignment)
{
    return static_cast<int>((alignment | Qt::AlignVCenter).toInt()) | Qt::TextSingleLine;
}

void paintRounded(QPainter *painter, const QRect &rect, const QBrush &brush)
{
    painter->setBrush(brush);
    painter->drawRoundedRect(rect, rect.height() / 2.0, rect.height() / 2.0);
}

} // namespace

QColor urgencyColour(const Theme &theme, std::chrono::nanoseconds left)
{
    if (left < 2s)
        return theme.critical;
    return left < 10s ? theme.warning : theme.good;
}

QRect openMark(const QRect &cell, Qt::LayoutDirection direction)
{
    return QStyle::visualRect(direction, cell, QRect(cell.left(), cell.top(), cellMargin + markRoom, cell.height()));
}

KeyCellDelegate::KeyCellDelegate(theme::Appearance &appearance, const ShownTime &time, QObject *parent)
    : QStyledItemDelegate(parent)
    , m_appearance(appearance)
    , m_time(time)
{}

bool KeyCellDelegate::isCurrent(const QModelIndex &index) const
{
    return !m_time.isFrozen() && index.data(KeyTableModel::StateRole).value<KeyState>() == KeyState::Live;
}

void KeyCellDelegate::paintBackground(QPainter *painter, const QStyleOptionViewItem &option) const
{
    const Theme &theme = m_appearance.theme();
    const bool isChosen = option.state.testFlag(QStyle::State_Selected);
    painter->fillRect(option.rect, isChosen ? theme.accentSoft : theme.surface);
    const QColor line = theme::tint(theme.border, theme.surface, 0.55);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), line);
}

void KeyCellDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    painter->save();
    paintBackground(painter, option);
    painter->setFont(m_appearance.monospaced());
    const Theme &theme = m_appearance.theme();
    painter->setPen(isCurrent(index) ? theme.text : theme.muted);
    // Keys, values and times run from left to right in every language; otherwise numbers and units would change places.
    painter->setLayoutDirection(Qt::LeftToRight);
    if (index.data(KeyTableModel::GroupRole).isValid())
        paintGroup(painter, option, index);
    else if (index.data(KeyTableModel::RestRole).toBool())
        paintRest(painter, option, index);
    else
        paintContent(painter, option, index);
    painter->restore();
}

/// Paints a chevron and a summary of the group. The text runs along the whole row; each cell paints its part of it.
void KeyCellDelegate::paintGroup(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const Theme &theme = m_appearance.theme();
    if (!option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, theme.raised);
    const auto *table = qobject_cast<const QTableView *>(option.widget);
    QRect row = option.rect;
    if (table != nullptr)
        row = QRect(0, row.top(), table->viewport()->width(), row.height());
    painter->setClipRect(option.rect);
    paintMark(painter, row, option.direction, index.data(KeyTableModel::FoldedRole).toBool());
    painter->setPen(theme.text);
    const QRect rect =
        QStyle::visualRect(option.direction, row, row.adjusted(cellMargin + markRoom, 0, -cellMargin, 0));
    const QString text = index.siblingAtColumn(KeyTableModel::KeyColumn).data().toString();
    painter->drawText(rect, inOneLine(QStyle::visualAlignment(option.direction, Qt::AlignLeft)),
                      painter->fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

void KeyCellDelegate::paintMark(QPainter *painter, const QRect &rect, Qt::LayoutDirection direction,
                                bool isCollapsed) const
{
    constexpr int size = markSize;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(m_appearance.theme().muted, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QRect mark(rect.left() + cellMargin, rect.center().y(), 2 * size, 1);
    const QPointF centre = QStyle::visualRect(direction, rect, mark).center();
    const double side = direction == Qt::RightToLeft ? -1 : 1;
    if (isCollapsed)
        painter->drawPolyline(QPolygonF(
            {centre + QPointF(-2 * side, -size), centre + QPointF(2 * side, 0), centre + QPointF(-2 * side, size)}));
    else
        painter->drawPolyline(
            QPolygonF({centre + QPointF(-size, -2), centre + QPointF(0, 2), centre + QPointF(size, -2)}));
}

/// Paints the note about fields that are not listed. The text runs along the row; each cell paints its part of it.
void KeyCellDelegate::paintRest(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const auto *table = qobject_cast<const QTableView *>(option.widget);
    QRect row = option.rect;
    if (table != nullptr)
        row = QRect(0, row.top(), table->viewport()->width(), row.height());
    painter->setClipRect(option.rect);
    painter->setPen(m_appearance.theme().muted);
    const QRect rect =
        QStyle::visualRect(option.direction, row, row.adjusted(cellMargin + 2 * markRoom, 0, -cellMargin, 0));
    const QString text = index.siblingAtColumn(KeyTableModel::KeyColumn).data().toString();
    painter->drawText(rect, inOneLine(QStyle::visualAlignment(option.direction, Qt::AlignLeft)),
                      painter->fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

/// Returns the indentation in pixels. If any key can be opened, all keys leave room for the mark, and fields are
/// indented further.
int KeyCellDelegate::indentOf(const QModelIndex &index)
{
    if (index.column() != KeyTableModel::KeyColumn || !index.data(KeyTableModel::HasFieldsRole).toBool())
        return 0;
    return index.data(KeyTableModel::FieldRole).isValid() ? 2 * markRoom : markRoom;
}

void KeyCellDelegate::paintContent(QPainter *painter, const QStyleOptionViewItem &option,
                                   const QModelIndex &index) const
{
    if (index.column() == KeyTableModel::KeyColumn) {
        if (const QVariant isOpen = index.data(KeyTableModel::OpenRole); isOpen.isValid()) {
            const QPen pen = painter->pen();
            paintMark(painter, option.rect, option.direction, !isOpen.toBool());
            painter->setPen(pen);
        }
    }
    const QRect rect = QStyle::visualRect(option.direction, option.rect,
                                          option.rect.adjusted(cellMargin + indentOf(index), 0, -cellMargin, 0));
    // The holder of a lock is more informative than its value.
    if (index.column() == KeyTableModel::ValueColumn
        && !index.data(KeyTableModel::AnalysisRole).value<keys::KeyAnalysis>().kind.isEmpty())
        painter->setPen(m_appearance.theme().muted);
    const QString text = index.data().toString();
    const QString fitting = painter->fontMetrics().elidedText(text, Qt::ElideRight, rect.width());
    const Qt::Alignment alignment = QStyle::visualAlignment(option.direction, traitsOf(index.column()).alignment);
    painter->drawText(rect, inOneLine(alignment), fitting);
}

void TypeDelegate::paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const QString text = index.data().toString();
    if (text.isEmpty())
        return;
    const Theme &theme = appearance().theme();
    const QColor colour =
        isCurrent(index) ? typeColour(theme, index.data(KeyTableModel::TypeRole).value<KeyType>()) : theme.muted;
    paintPill(painter, option, text, colour, theme::tint(colour, theme.surface, 0.16));
}

int pillRoom(const QFont &font, const QString &text, bool hasIcon)
{
    const QFontMetrics metrics(pillFont(font));
    return cellMargin + pillTextStart(metrics, hasIcon) + metrics.horizontalAdvance(text) + pillSide;
}

void KeyCellDelegate::paintPill(QPainter *painter, const QStyleOptionViewItem &option, const QString &text,
                                const QColor &colour, const QColor &fill, const QString &icon) const
{
    constexpr int side = pillSide;
    painter->setFont(pillFont(option.font));
    const QFontMetrics metrics = painter->fontMetrics();
    const int height = metrics.height() + 4;
    const int iconSize = icon.isEmpty() ? 0 : metrics.height() - 1;
    const int textStart = pillTextStart(metrics, !icon.isEmpty());
    const int width =
        std::min(textStart + metrics.horizontalAdvance(text) + side, std::max(option.rect.width() - cellMargin, 0));
    if (width < 2 * side)
        return; // Too narrow to be readable.
    const QRect pill = QStyle::visualRect(
        option.direction, option.rect,
        QRect(option.rect.left() + cellMargin, option.rect.center().y() - height / 2 + 1, width, height));
    const auto visual = [&](const QRect &rect) { return QStyle::visualRect(option.direction, pill, rect); };
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    paintRounded(painter, pill, fill);
    if (!icon.isEmpty() && width > textStart) {
        const QRect rect(pill.left() + side - 2, pill.center().y() - iconSize / 2, iconSize, iconSize);
        painter->drawPixmap(visual(rect).topLeft(),
                            m_appearance.pixmap(icon, colour, iconSize, painter->device()->devicePixelRatioF()));
    }
    painter->setPen(colour);
    const QRect room = visual(pill.adjusted(textStart, 0, -side + 3, 0));
    painter->drawText(room, inOneLine(QStyle::visualAlignment(option.direction, Qt::AlignLeft)),
                      metrics.elidedText(text, Qt::ElideRight, room.width()));
}

void KindDelegate::paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const auto facts = index.data(KeyTableModel::AnalysisRole).value<keys::KeyAnalysis>();
    if (facts.kind.isEmpty())
        return;
    const Theme &theme = appearance().theme();
    const QColor colour = isCurrent(index) ? theme.accent : theme.muted;
    paintPill(painter, option, index.data().toString(), colour,
              theme::tint(colour, theme.surface, facts.isCertain ? 0.18 : 0.07),
              index.data(KeyTableModel::KindIconRole).toString());
}

void HolderDelegate::paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const QString count = holdCountText(index.data(KeyTableModel::AnalysisRole).value<keys::KeyAnalysis>());
    if (count.isEmpty()) {
        KeyCellDelegate::paintContent(painter, option, index);
        return;
    }
    const QRect rect = option.rect.adjusted(cellMargin, 0, -cellMargin, 0);
    const QFontMetrics metrics = painter->fontMetrics();
    const QString all = index.data().toString();
    const int maxWidth = rect.width() - metrics.horizontalAdvance(u' ' + count);
    const QString holder = metrics.elidedText(all.chopped(count.size() + 1), Qt::ElideRight, std::max(maxWidth, 0));
    painter->drawText(rect, inOneLine(QStyle::visualAlignment(option.direction, Qt::AlignLeft)), holder + u' ' + count);
}

void FindingsDelegate::paintContent(QPainter *painter, const QStyleOptionViewItem &option,
                                    const QModelIndex &index) const
{
    const QString text = index.data().toString();
    if (text.isEmpty())
        return;
    const Theme &theme = appearance().theme();
    constexpr int error = 2;
    const bool isError = index.data(KeyTableModel::AnalysisRole).value<keys::KeyAnalysis>().severity >= error;
    const QColor grave = isError ? theme.critical : theme.warning;
    const QColor colour = isCurrent(index) ? grave : theme.muted;
    paintPill(painter, option, text, colour, theme::tint(colour, theme.surface, 0.16));
}

CountdownDelegate::CountdownDelegate(theme::Appearance &appearance, const ShownTime &time, QObject *parent)
    : KeyCellDelegate(appearance, time, parent)
    // Width of "59 min 59 s" in a monospaced font.
    , m_textWidth(QFontMetrics(appearance.monospaced()).averageCharWidth() * 12)
{}

void CountdownDelegate::paintContent(QPainter *painter, const QStyleOptionViewItem &option,
                                     const QModelIndex &index) const
{
    if (const QVariant field = index.data(KeyTableModel::FieldEndRole); field.isValid()) {
        paintFieldEnd(painter, option, index, field.value<Deadline>());
        return;
    }
    const Theme &theme = appearance().theme();
    const bool isCurrentRow = isCurrent(index);
    const auto left = index.data(KeyTableModel::DeadlineRole).value<Deadline>().remaining(time().now());
    const std::chrono::milliseconds span(index.data(KeyTableModel::SpanRole).toLongLong());
    const bool isEndless = !left;
    const bool isStartSeen = isEndless || index.data(KeyTableModel::StartSeenRole).toBool();
    const auto geometry = CountdownGeometry::of(option.rect, m_textWidth, isStartSeen);
    const auto visual = [&](const QRect &rect) { return QStyle::visualRect(option.direction, option.rect, rect); };

    QColor colour = theme.muted;
    if (isCurrentRow)
        colour = isEndless ? theme.endless : urgencyColour(theme, *left);
    m_bars.paint(*painter, visual(geometry.bar), isEndless ? theme::tint(colour, theme.surface, 0.22) : theme.track);
    m_bars.paintHatched(*painter, visual(geometry.unknown), theme.track, theme.muted);
    if (!isEndless) {
        const double share =
            span > 0ms ? std::chrono::duration<double>(*left) / std::chrono::duration<double>(span) : 0;
        m_bars.paint(*painter, visual(geometry.filled(share)), isCurrentRow ? colour : theme.faint);
    }
    if (const QVariant renewals = index.data(KeyTableModel::RenewalsRole); renewals.isValid())
        m_teeth.paint(*painter, visual(geometry.teeth), renewals.value<Renewals>().depth(),
                      isCurrentRow ? theme.accent : theme.muted);
    painter->setPen(colour == theme.good ? theme.text : colour);
    const Qt::Alignment alignment = QStyle::visualAlignment(option.direction, Qt::AlignRight);
    m_textPainter.paint(*painter, visual(geometry.text), alignment, index.data().toString());
}

/// Paints only the text. A bar would show the TTL of the key, which has none.
void CountdownDelegate::paintFieldEnd(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index,
                                      const Deadline &end) const
{
    const Theme &theme = appearance().theme();
    QColor colour = theme.muted;
    if (isCurrent(index))
        colour = urgencyColour(theme, end.remaining(time().now()).value_or(0ns));
    painter->setPen(colour == theme.good ? theme.text : colour);
    const Qt::Alignment alignment = QStyle::visualAlignment(option.direction, Qt::AlignRight);
    m_textPainter.paint(*painter, option.rect.adjusted(cellMargin, 0, -cellMargin, 0), alignment,
                        index.data().toString());
}

} // namespace latchkey::ui::keytable

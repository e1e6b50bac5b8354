#include "ui/keytable/keydelegates.h"

#include "ui/keytable/countdowngeometry.h"
#include "ui/keytable/keytablemodel.h"
#include "ui/keytable/keytext.h"

#include <QPainter>

namespace latchkey::ui::keytable {

using base::Deadline;
using keys::KeyState;
using keys::KeyType;
using theme::Theme;
using namespace std::chrono_literals;

namespace {

constexpr int margin = 12;

KeyState stateOf(const QModelIndex &index)
{
    return index.data(KeyTableModel::StateRole).value<KeyState>();
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
    case KeyType::Unknown:
        break;
    }
    return theme.muted;
}

void paintRounded(QPainter *painter, const QRect &rect, const QColor &colour)
{
    painter->setBrush(colour);
    painter->drawRoundedRect(rect, rect.height() / 2.0, rect.height() / 2.0);
}

} // namespace

QColor urgencyColour(const Theme &theme, std::chrono::nanoseconds left, std::chrono::milliseconds span)
{
    // By time where a person would have to hurry, by share for leases that are short anyway.
    if (left < 2s || left < span / 10)
        return left < 10s ? theme.critical : theme.warning;
    return left < 5s || left < span / 4 ? theme.warning : theme.good;
}

KeyCellDelegate::KeyCellDelegate(theme::Appearance &appearance, Font font, QObject *parent)
    : QStyledItemDelegate(parent)
    , m_appearance(appearance)
    , m_font(font)
{}

QFont KeyCellDelegate::font(const QStyleOptionViewItem &option) const
{
    return m_font == Font::Monospaced ? m_appearance.monospaced() : option.font;
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
    painter->setFont(font(option));
    const Theme &theme = m_appearance.theme();
    painter->setPen(stateOf(index) == KeyState::Live ? theme.text : theme.faint);
    paintContent(painter, option, index);
    painter->restore();
}

void KeyCellDelegate::paintContent(QPainter *painter, const QStyleOptionViewItem &option,
                                   const QModelIndex &index) const
{
    const QRect place = option.rect.adjusted(margin, 0, -margin, 0);
    const QString text = index.data().toString();
    const QString fitting = painter->fontMetrics().elidedText(text, Qt::ElideRight, place.width());
    painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, fitting);
}

TypeDelegate::TypeDelegate(theme::Appearance &appearance, QObject *parent)
    : KeyCellDelegate(appearance, Font::Interface, parent)
{}

void TypeDelegate::paintContent(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const QString text = index.data().toString();
    if (text.isEmpty())
        return;
    const Theme &theme = appearance().theme();
    const bool isLive = stateOf(index) == KeyState::Live;
    const QColor colour =
        isLive ? typeColour(theme, index.data(KeyTableModel::TypeRole).value<KeyType>()) : theme.faint;
    QFont small = option.font;
    small.setPointSizeF(small.pointSizeF() * 0.88);
    painter->setFont(small);
    const QFontMetrics metrics = painter->fontMetrics();
    const int height = metrics.height() + 4;
    const QRect pill(option.rect.left() + margin, option.rect.center().y() - height / 2 + 1,
                     metrics.horizontalAdvance(text) + 18, height);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    paintRounded(painter, pill, theme::tint(colour, theme.surface, 0.16));
    painter->setPen(colour);
    painter->drawText(pill, Qt::AlignCenter, text);
}

CountdownDelegate::CountdownDelegate(theme::Appearance &appearance, const base::Clock &clock, QObject *parent)
    : KeyCellDelegate(appearance, Font::Monospaced, parent)
    , m_clock(clock)
    // As wide as "59 min 59 s" in a font whose characters are all as wide.
    , m_textWidth(QFontMetrics(appearance.monospaced()).averageCharWidth() * 12)
{}

void CountdownDelegate::paintContent(QPainter *painter, const QStyleOptionViewItem &option,
                                     const QModelIndex &index) const
{
    const Theme &theme = appearance().theme();
    const auto now = m_clock.now();
    const auto deadline = index.data(KeyTableModel::DeadlineRole).value<Deadline>();
    const KeyState state = stateOf(index);
    const auto left = deadline.remaining(now);
    const std::chrono::milliseconds span(index.data(KeyTableModel::SpanRole).toLongLong());

    const auto geometry = CountdownGeometry::of(option.rect, m_textWidth);
    QColor colour = theme.faint;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    if (state == KeyState::Live && !left) {
        colour = theme.endless;
        paintRounded(painter, geometry.bar, theme::tint(colour, theme.surface, 0.22));
    } else {
        paintRounded(painter, geometry.bar, theme.track);
        if (state == KeyState::Live) {
            colour = urgencyColour(theme, *left, span);
            const double share =
                span > 0ms ? std::chrono::duration<double>(*left) / std::chrono::duration<double>(span) : 0;
            paintRounded(painter, geometry.filled(share), colour);
        }
    }
    const bool isCalm = state == KeyState::Live && colour == theme.good;
    painter->setPen(isCalm ? theme.text : colour);
    painter->drawText(geometry.text, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                      timeLeftText(deadline, state, now));
}

} // namespace latchkey::ui::keytable

#include "ui/views/keytable/columnchoices.h"

#include "ui/views/keytable/keycolumns.h"

#include <QDataStream>
#include <QIODevice>

#include <algorithm>

namespace latchkey::ui::keytable {

namespace {

constexpr int maxColumnWidth = 5000; ///< In pixels; a larger width is no choice of a user.

bool isOrder(const QList<int> &order)
{
    QList<int> sorted = order;
    std::ranges::sort(sorted);
    for (int column = 0; column < ColumnCount; ++column) {
        if (sorted.value(column, -1) != column)
            return false;
    }
    return sorted.size() == ColumnCount && order.front() == KeyColumn;
}

} // namespace

QByteArray ColumnChoices::toBytes() const
{
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << static_cast<qint32>(ColumnCount) << shown << widths << order;
    return bytes;
}

ColumnChoices ColumnChoices::fromBytes(const QByteArray &bytes)
{
    ColumnChoices choices;
    qint32 count = 0;
    QDataStream stream(bytes);
    stream >> count;
    if (count != ColumnCount)
        return {};
    stream >> choices.shown >> choices.widths >> choices.order;
    if (stream.status() != QDataStream::Ok)
        return {};
    const auto isColumn = [](int column) { return column > KeyColumn && column < ColumnCount; };
    choices.shown.removeIf([&](const auto &entry) { return !isColumn(entry.key()); });
    choices.widths.removeIf([&](const auto &entry) {
        return !isColumn(entry.key()) || entry.value() <= 0 || entry.value() > maxColumnWidth;
    });
    if (!isOrder(choices.order))
        choices.order = {};
    return choices;
}

} // namespace latchkey::ui::keytable

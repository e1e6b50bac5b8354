#pragma once

#include <QByteArray>
#include <QHash>
#include <QList>

namespace latchkey::ui::keytable {

/// The columns as the user has arranged them: shown or hidden, their widths and their order. A column without a choice
/// follows the content and the room of the table. A value type.
struct ColumnChoices
{
    QHash<int, bool> shown; ///< By column.
    QHash<int, int> widths; ///< In pixels, by column.
    QList<int> order;       ///< All columns from left to right; empty: the usual order.

    [[nodiscard]] bool isEmpty() const { return shown.isEmpty() && widths.isEmpty() && order.isEmpty(); }
    /// Returns the choices in a form for the settings.
    [[nodiscard]] QByteArray toBytes() const;
    /// Reads the result of toBytes(). Choices that are not possible, such as those of a version with other columns, are
    /// ignored.
    [[nodiscard]] static ColumnChoices fromBytes(const QByteArray &bytes);

    friend bool operator==(const ColumnChoices &, const ColumnChoices &) = default;
};

} // namespace latchkey::ui::keytable

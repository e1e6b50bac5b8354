#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QStringList>

namespace latchkey::files {

/// Returns the members of an object as the fields of a line of CSV. An object is represented by its `id`; the elements
/// of an array are joined by spaces; null and absent members are empty.
[[nodiscard]] QStringList csvFields(const QJsonObject &row, const QStringList &columns);

/// The text of a table of objects: CSV (RFC 4180) with a header, or a JSON array with a line for each object. UTF-8.
class TableText final
{
public:
    enum class Format { Csv, Json };

    /// `columns`: members that are columns of the CSV. JSON contains all members.
    TableText(Format format, const QStringList &columns);

    void add(const QJsonObject &row);
    [[nodiscard]] qsizetype rowCount() const { return m_rows; }
    /// Returns the complete text; nothing can be added afterwards.
    [[nodiscard]] QByteArray take();

private:
    const Format m_format;
    const QStringList m_columns;
    QByteArray m_text;
    qsizetype m_rows = 0;
};

} // namespace latchkey::files

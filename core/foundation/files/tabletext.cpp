#include "core/foundation/files/tabletext.h"

#include "core/foundation/base/csv.h"
#include "core/foundation/files/json.h"

#include <QJsonArray>

namespace latchkey::files {

namespace {

QString csvField(const QJsonValue &value)
{
    if (value.isObject())
        return value[QLatin1String("id")].toString();
    QStringList words;
    for (const QJsonValue &word : value.toArray())
        words += word.toString();
    return value.isArray() ? words.join(u' ') : value.toVariant().toString();
}

} // namespace

QStringList csvFields(const QJsonObject &row, const QStringList &columns)
{
    QStringList fields;
    fields.reserve(columns.size());
    for (const QString &column : columns)
        fields += csvField(row[column]);
    return fields;
}

TableText::TableText(Format format, const QStringList &columns)
    : m_format(format)
    , m_columns(columns)
    , m_text(format == Format::Csv ? base::csvLine(columns) : QByteArray("["))
{}

void TableText::add(const QJsonObject &row)
{
    if (m_format == Format::Csv)
        m_text += base::csvLine(csvFields(row, m_columns));
    else
        m_text += (m_rows == 0 ? "" : ",\n ") + toLine(row);
    ++m_rows;
}

QByteArray TableText::take()
{
    if (m_format == Format::Json)
        m_text += "]\n";
    return std::exchange(m_text, {});
}

} // namespace latchkey::files

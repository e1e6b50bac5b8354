#include "core/foundation/base/csv.h"

#include <algorithm>

namespace latchkey::base {

namespace {

QByteArray csvField(const QString &text)
{
    static const QString special = QStringLiteral(",\"\r\n");
    const bool needsQuotes = std::ranges::any_of(text, [](QChar c) { return special.contains(c); });
    return (needsQuotes ? u'"' + QString(text).replace(u'"', QLatin1String("\"\"")) + u'"' : text).toUtf8();
}

} // namespace

QByteArray csvLine(const QStringList &fields)
{
    QByteArrayList encoded;
    for (const QString &field : fields)
        encoded += csvField(field);
    return encoded.join(',') + "\r\n";
}

} // namespace latchkey::base

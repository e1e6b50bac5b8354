#include "core/foundation/base/bytesize.h"

#include <array>
#include <limits>

namespace latchkey::base {

namespace {

struct ByteUnit
{
    QLatin1String name;
    qint64 bytes = 0;
};

constexpr std::array byteUnits {
    ByteUnit {QLatin1String("B"), 1},
    ByteUnit {QLatin1String("KB"), 1LL << 10},
    ByteUnit {QLatin1String("MB"), 1LL << 20},
    ByteUnit {QLatin1String("GB"), 1LL << 30},
};

} // namespace

Result<qint64> parseByteSize(QStringView text)
{
    qsizetype digits = 0;
    while (digits < text.size() && text[digits] >= u'0' && text[digits] <= u'9')
        ++digits;
    bool isNumber = false;
    const qint64 number = text.first(digits).toLongLong(&isNumber);
    for (const ByteUnit &unit : byteUnits) {
        if (isNumber && text.sliced(digits).compare(unit.name, Qt::CaseInsensitive) == 0
            && number <= std::numeric_limits<qint64>::max() / unit.bytes)
            return number * unit.bytes;
    }
    return failure(ErrorKind::Usage,
                   QT_TRANSLATE_NOOP("core", "\"%1\" is not a size; write it like 500KB, 100MB or 2GB"),
                   text.toString());
}

QString formatByteSize(qint64 bytes)
{
    std::size_t unit = 0;
    while (unit + 1 < byteUnits.size() && bytes >= byteUnits[unit + 1].bytes)
        ++unit;
    const double number = static_cast<double>(bytes) / static_cast<double>(byteUnits[unit].bytes);
    const bool isWhole = bytes % byteUnits[unit].bytes == 0 || number >= 100;
    return QString::number(number, 'f', isWhole ? 0 : 1) + u' ' + byteUnits[unit].name;
}

} // namespace latchkey::base

#include "core/recognition/valueclass.h"

#include <algorithm>
#include <array>

namespace latchkey::recognition {

namespace {

constexpr std::array constants {"",       "0",       "1",   "true",  "yes", "ok",    "on", "lock",
                                "locked", "locking", "lck", "mutex", "x",   "dummy", "111"};

bool isLowerHex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool isUuid(QByteArrayView value)
{
    if (value.size() != 36)
        return false;
    for (qsizetype i = 0; i < value.size(); ++i) {
        const bool wantsDash = i == 8 || i == 13 || i == 18 || i == 23;
        if (wantsDash ? value[i] != '-' : !isLowerHex(value[i]))
            return false;
    }
    return true;
}

bool isUnixSeconds(QByteArrayView value)
{
    return value.size() == 10 && value[0] == '1' && value[1] >= '4' && value[1] <= '9'
        && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

ValueClass classify(QByteArrayView value)
{
    if (std::ranges::any_of(constants, [&](const char *constant) {
            return value.toByteArray().compare(constant, Qt::CaseInsensitive) == 0;
        }))
        return ValueClass::Constant;
    if (isUnixSeconds(value))
        return ValueClass::UnixSeconds;
    if (value.size() == 32 && std::ranges::all_of(value, isLowerHex))
        return ValueClass::Hex32;
    return isUuid(value) ? ValueClass::Uuid : ValueClass::Other;
}

QString describe(ValueClass valueClass)
{
    switch (valueClass) {
    case ValueClass::Other:
        return QStringLiteral("the value is nothing that is known");
    case ValueClass::Constant:
        return QStringLiteral("the value is a word that textbooks write into locks");
    case ValueClass::UnixSeconds:
        return QStringLiteral("the value is a Unix time");
    case ValueClass::Hex32:
        return QStringLiteral("the value is 32 hexadecimal digits");
    case ValueClass::Uuid:
        return QStringLiteral("the value is a UUID");
    }
    Q_UNREACHABLE();
}

} // namespace latchkey::recognition

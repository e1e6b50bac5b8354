#include "core/inspect/recognition/unwrap.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <array>
#include <optional>

namespace latchkey::recognition {

namespace {

/// Maximum length in bytes of a value to unwrap; no lock has a longer one.
constexpr qsizetype longest = 4096;

quint64 bigEndian(QByteArrayView bytes)
{
    quint64 number = 0;
    for (const char c : bytes)
        number = number << 8 | static_cast<uchar>(c);
    return number;
}

quint64 littleEndian(QByteArrayView bytes)
{
    quint64 number = 0;
    for (qsizetype i = bytes.size() - 1; i >= 0; --i)
        number = number << 8 | static_cast<uchar>(bytes[i]);
    return number;
}

/// Returns the text of the given length if it is complete and only `end` follows.
std::optional<QByteArray> textOf(QByteArrayView bytes, quint64 length, QByteArrayView end = {})
{
    if (length > static_cast<quint64>(bytes.size()))
        return std::nullopt;
    const auto size = static_cast<qsizetype>(length);
    if (bytes.sliced(size) != end)
        return std::nullopt;
    return bytes.first(size).toByteArray();
}

/// Reads a TC_STRING with a length of two bytes.
std::optional<QByteArray> fromJava(QByteArrayView bytes)
{
    constexpr QByteArrayView head("\xAC\xED\x00\x05t", 5);
    if (!bytes.startsWith(head) || bytes.size() < 7)
        return std::nullopt;
    return textOf(bytes.sliced(7), bigEndian(bytes.sliced(5, 2)));
}

std::optional<QByteArray> fromJson(QByteArrayView bytes)
{
    if (bytes.size() < 2 || !bytes.startsWith('"') || !bytes.endsWith('"'))
        return std::nullopt;
    const QJsonDocument document = QJsonDocument::fromJson('[' + bytes.toByteArray() + ']');
    if (!document.isArray() || document.array().size() != 1 || !document.array().at(0).isString())
        return std::nullopt;
    return document.array().at(0).toString().toUtf8();
}

/// Reads `s:16:"…";` or `i:7;`.
std::optional<QByteArray> fromPhp(QByteArrayView bytes)
{
    if (bytes.size() < 4 || !bytes.endsWith(';') || bytes[1] != ':')
        return std::nullopt;
    if (bytes[0] == 'i') {
        const QByteArray number = bytes.sliced(2, bytes.size() - 3).toByteArray();
        bool isNumber = false;
        (void)number.toLongLong(&isNumber);
        return isNumber ? std::optional(number) : std::nullopt;
    }
    const qsizetype colon = bytes.indexOf(':', 2);
    if (bytes[0] != 's' || colon < 0)
        return std::nullopt;
    bool isNumber = false;
    const quint64 length = bytes.sliced(2, colon - 2).toByteArray().toULongLong(&isNumber);
    if (!isNumber || colon + 1 >= bytes.size() || bytes[colon + 1] != '"')
        return std::nullopt;
    return textOf(bytes.sliced(colon + 2), length, "\";");
}

/// Reads version 2: a string with a length of one or two bytes.
std::optional<QByteArray> fromIgbinary(QByteArrayView bytes)
{
    constexpr QByteArrayView head("\x00\x00\x00\x02", 4);
    if (!bytes.startsWith(head) || bytes.size() < 6)
        return std::nullopt;
    if (bytes[4] == 0x11)
        return textOf(bytes.sliced(6), bigEndian(bytes.sliced(5, 1)));
    if (bytes[4] == 0x12 && bytes.size() >= 7)
        return textOf(bytes.sliced(7), bigEndian(bytes.sliced(5, 2)));
    return std::nullopt;
}

/// Reads a pickle of a single text, small number or boolean. At most one memo (q with a number, or MEMOIZE) and STOP
/// follow.
std::optional<QByteArray> fromPickle(QByteArrayView bytes)
{
    if (bytes.size() < 4 || bytes[0] != '\x80' || bytes[1] < 2 || bytes[1] > 5 || !bytes.endsWith('.'))
        return std::nullopt;
    bytes = bytes.sliced(2);
    if (bytes[0] == '\x95' && bytes.size() > 9) // A frame and its length.
        bytes = bytes.sliced(9);
    bytes.chop(1);
    if (bytes.endsWith('\x94'))
        bytes.chop(1);
    else if (bytes.size() >= 3 && bytes[bytes.size() - 2] == 'q')
        bytes.chop(2);
    if (bytes.isEmpty())
        return std::nullopt;
    switch (bytes[0]) {
    case '\x8c': // SHORT_BINUNICODE
    case 'U':    // SHORT_BINSTRING
    case 'C':    // SHORT_BINBYTES
        return bytes.size() < 2 ? std::nullopt : textOf(bytes.sliced(2), littleEndian(bytes.sliced(1, 1)));
    case 'X': // BINUNICODE
    case 'B': // BINBYTES
        return bytes.size() < 5 ? std::nullopt : textOf(bytes.sliced(5), littleEndian(bytes.sliced(1, 4)));
    case 'K': // BININT1
        return bytes.size() == 2 ? std::optional(QByteArray::number(littleEndian(bytes.sliced(1)))) : std::nullopt;
    case 'J': // BININT
        return bytes.size() == 5 ? std::optional(QByteArray::number(static_cast<qint32>(littleEndian(bytes.sliced(1)))))
                                 : std::nullopt;
    case '\x88':
        return QByteArray("true");
    case '\x89':
        return QByteArray("false");
    default:
        return std::nullopt;
    }
}

/// Reads a text with a length of one byte, with or without its encoding, and true.
std::optional<QByteArray> fromMarshal(QByteArrayView bytes)
{
    constexpr QByteArrayView utf8("\x06:\x06"
                                  "ET",
                                  5);
    constexpr QByteArrayView ascii("\x06:\x06"
                                   "EF",
                                   5);
    if (!bytes.startsWith(QByteArrayView("\x04\x08", 2)) || bytes.size() < 3)
        return std::nullopt;
    bytes = bytes.sliced(2);
    if (bytes == QByteArrayView("T"))
        return QByteArray("true");
    const bool isEncoded = bytes.startsWith("I\"");
    if (!isEncoded && !bytes.startsWith('"'))
        return std::nullopt;
    bytes = bytes.sliced(isEncoded ? 2 : 1);
    if (bytes.isEmpty())
        return std::nullopt;
    const int coded = bytes[0]; // The length plus five, or zero.
    if (coded != 0 && coded < 6)
        return std::nullopt;
    const auto length = static_cast<quint64>(coded == 0 ? 0 : coded - 5);
    const QByteArrayView rest = bytes.sliced(1);
    if (!isEncoded)
        return textOf(rest, length);
    const auto text = textOf(rest, length, utf8);
    return text ? text : textOf(rest, length, ascii);
}

struct Wrapper
{
    const char *id;
    std::optional<QByteArray> (*takeOff)(QByteArrayView);
};
constexpr std::array wrappers {Wrapper {"java", &fromJava},     Wrapper {"json", &fromJson},
                               Wrapper {"php", &fromPhp},       Wrapper {"igbinary", &fromIgbinary},
                               Wrapper {"pickle", &fromPickle}, Wrapper {"marshal", &fromMarshal}};

} // namespace

UnwrappedValue unwrap(const QByteArray &bytes)
{
    if (bytes.size() <= longest) {
        for (const Wrapper &wrapper : wrappers) {
            if (auto inner = wrapper.takeOff(bytes))
                return {std::move(*inner), wrapper.id};
        }
    }
    return {bytes, {}};
}

} // namespace latchkey::recognition

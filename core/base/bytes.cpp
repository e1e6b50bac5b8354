#include "core/base/bytes.h"

#include <QStringDecoder>
#include <algorithm>

namespace latchkey::base {

namespace {

constexpr char16_t ellipsis = u'\u2026';

/// Length of the well-formed UTF-8 sequence at the front of bytes, 0 where there is none.
qsizetype utf8SequenceLength(QByteArrayView bytes)
{
    const auto lead = static_cast<uchar>(bytes.front());
    const qsizetype length = lead < 0x80                 ? 1
                           : lead >= 0xC2 && lead < 0xE0 ? 2
                           : lead >= 0xE0 && lead < 0xF0 ? 3
                           : lead >= 0xF0 && lead < 0xF5 ? 4
                                                         : 0;
    if (length == 0 || length > bytes.size())
        return 0;
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decoder(bytes.first(length));
    return decoder.hasError() ? 0 : length;
}

void appendEscaped(QString &text, char byte)
{
    constexpr char digits[] = "0123456789abcdef";
    const auto value = static_cast<uchar>(byte);
    text += QLatin1String("\\x");
    text += QLatin1Char(digits[value >> 4]);
    text += QLatin1Char(digits[value & 15]);
}

bool isPlain(char byte)
{
    return byte >= 0x20 && byte < 0x7F && byte != '\\';
}

} // namespace

std::optional<QString> utf8Text(QByteArrayView bytes)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    QString text = decoder(bytes);
    return decoder.hasError() ? std::nullopt : std::optional(std::move(text));
}

QString printable(QByteArrayView bytes)
{
    if (std::ranges::all_of(bytes, isPlain))
        return QString::fromLatin1(bytes);

    QString text;
    text.reserve(bytes.size());
    while (!bytes.isEmpty()) {
        const char lead = bytes.front();
        qsizetype length = 1;
        if (isPlain(lead)) {
            text += QLatin1Char(lead);
        } else if (lead == '\\') {
            text += QLatin1String("\\\\");
        } else if (length = utf8SequenceLength(bytes); length > 1) {
            const QString character = QString::fromUtf8(bytes.first(length));
            const bool visible = std::ranges::all_of(character, [](QChar c) { return c.isSurrogate() || c.isPrint(); });
            if (visible) {
                text += character;
            } else {
                for (const char byte : bytes.first(length))
                    appendEscaped(text, byte);
            }
        } else {
            length = 1;
            appendEscaped(text, lead);
        }
        bytes = bytes.sliced(length);
    }
    return text;
}

QString printable(QByteArrayView bytes, qsizetype maximumLength)
{
    // One character of text takes at most four bytes, so a longer prefix cannot show more.
    const qsizetype looked = std::min(bytes.size(), maximumLength * 4);
    QString text = printable(bytes.first(looked));
    if (text.size() > maximumLength || looked < bytes.size()) {
        text.truncate(std::max<qsizetype>(0, maximumLength - 1));
        if (!text.isEmpty() && text.back().isHighSurrogate())
            text.chop(1);
        text += QChar(ellipsis);
    }
    return text;
}

} // namespace latchkey::base

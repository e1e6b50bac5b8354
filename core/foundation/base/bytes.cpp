#include "core/foundation/base/bytes.h"

#include <QStringDecoder>
#include <algorithm>

namespace latchkey::base {

namespace {

constexpr char16_t ellipsis = u'\u2026';

/// Returns the length of the well-formed UTF-8 sequence at the beginning of the bytes; 0 if there is none.
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
    return byte >= 0x20 && byte < 0x7F;
}

int hexDigit(char16_t character)
{
    if (character >= u'0' && character <= u'9')
        return character - u'0';
    const auto lower = static_cast<char16_t>(character | 0x20);
    return lower >= u'a' && lower <= u'f' ? lower - u'a' + 10 : -1;
}

/// Returns whether a \xNN begins here. Upper-case digits count too, because fromPrintable() accepts them.
template<typename Text>
bool isEscapeAt(Text text, qsizetype at)
{
    const auto unit = [&](qsizetype i) { return QChar(text[i]).unicode(); };
    return at + 3 < text.size() && unit(at) == u'\\' && unit(at + 1) == u'x' && hexDigit(unit(at + 2)) >= 0
        && hexDigit(unit(at + 3)) >= 0;
}

/// Returns whether the character is visible or a space, and does not reverse the direction of text.
bool isVisible(const QString &character)
{
    const char32_t code = character.toUcs4().value(0);
    const QChar::Category category = QChar::category(code);
    return QChar::isPrint(code) && category != QChar::Separator_Line && category != QChar::Separator_Paragraph;
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
    if (std::ranges::all_of(bytes, isPlain) && bytes.indexOf("\\x") < 0)
        return QString::fromLatin1(bytes);

    QString text;
    text.reserve(bytes.size());
    for (qsizetype at = 0; at < bytes.size();) {
        const char lead = bytes[at];
        if (isPlain(lead)) {
            if (isEscapeAt(QLatin1String(bytes), at))
                appendEscaped(text, lead);
            else
                text += QLatin1Char(lead);
            ++at;
            continue;
        }
        const qsizetype length = std::max<qsizetype>(1, utf8SequenceLength(bytes.sliced(at)));
        const QString character = QString::fromUtf8(bytes.sliced(at, length));
        if (length > 1 && isVisible(character)) {
            text += character;
        } else {
            for (const char byte : bytes.sliced(at, length))
                appendEscaped(text, byte);
        }
        at += length;
    }
    return text;
}

QByteArray fromPrintable(QStringView text)
{
    QByteArray bytes;
    qsizetype plainFrom = 0;
    for (qsizetype at = 0; at < text.size(); ++at) {
        if (!isEscapeAt(text, at))
            continue;
        bytes += text.sliced(plainFrom, at - plainFrom).toUtf8();
        bytes += static_cast<char>(hexDigit(text[at + 2].unicode()) * 16 + hexDigit(text[at + 3].unicode()));
        at += 3;
        plainFrom = at + 1;
    }
    return bytes + text.sliced(plainFrom).toUtf8();
}

QString printable(QByteArrayView bytes, qsizetype maximumLength)
{
    // One character of text takes at most four bytes, so a longer prefix adds nothing.
    const qsizetype shown = std::min(bytes.size(), maximumLength * 4);
    QString text = printable(bytes.first(shown));
    if (text.size() > maximumLength || shown < bytes.size()) {
        text.truncate(std::max<qsizetype>(0, maximumLength - 1));
        if (!text.isEmpty() && text.back().isHighSurrogate())
            text.chop(1);
        text += QChar(ellipsis);
    }
    return text;
}

} // namespace latchkey::base

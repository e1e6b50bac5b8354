#include "ui/pages/detail/valuetext.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/timetext.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/views/keytable/keytext.h"

#include <QJsonDocument>
#include <QLocale>

#include <algorithm>

namespace latchkey::ui::detail {

using keys::KeyType;
using watching::ValuePage;

namespace {

/// Length limit of a displayed part of an element.
constexpr qsizetype maxPartLength = 400;

bool isText(const QByteArray &bytes)
{
    return base::utf8Text(bytes).has_value();
}

/// Starts a new line of JSON text with the indentation of `depth`.
void addLine(QByteArray &text, int depth)
{
    constexpr int indent = 2;
    text += '\n' + QByteArray(static_cast<qsizetype>(depth) * indent, ' ');
}

/// Indents valid JSON. Only white space outside strings changes.
QByteArray indented(const QByteArray &json)
{
    QByteArray text;
    text.reserve(json.size() * 2);
    int depth = 0;
    for (qsizetype at = 0; at < json.size(); ++at) {
        const char c = json[at];
        if (c == '"') {
            const qsizetype begin = at;
            for (++at; at < json.size() && json[at] != '"'; ++at)
                at += json[at] == '\\' ? 1 : 0;
            text += json.sliced(begin, std::min(at + 1, json.size()) - begin);
        } else if (c == '{' || c == '[') {
            qsizetype next = at + 1;
            while (next < json.size() && QByteArrayView(" \t\r\n").contains(json[next]))
                ++next;
            text += c;
            if (next < json.size() && (json[next] == '}' || json[next] == ']')) {
                text += json[next];
                at = next;
            } else {
                addLine(text, ++depth);
            }
        } else if (c == '}' || c == ']') {
            addLine(text, --depth);
            text += c;
        } else if (c == ',') {
            text += c;
            addLine(text, depth);
        } else if (c == ':') {
            text += ": ";
        } else if (!QByteArrayView(" \t\r\n").contains(c)) {
            text += c;
        }
    }
    return text;
}

/// Returns the gap between offset, figures and characters. Narrow lines use a narrow gap.
QString hexGap(int perLine)
{
    return perLine < 16 ? QStringLiteral(" ") : QStringLiteral("  ");
}

} // namespace

QString textLines(const QByteArray &bytes)
{
    QStringList lines;
    for (const QByteArray &line : bytes.split('\n'))
        lines += base::printable(line);
    return lines.join(u'\n');
}

QString hexLines(const QByteArray &bytes, qint64 from, int perLine)
{
    QStringList lines;
    for (qsizetype at = 0; at < bytes.size(); at += perLine) {
        const QByteArray line = bytes.mid(at, perLine);
        QString text;
        for (const char byte : line)
            text += byte >= 0x20 && byte < 0x7f ? QLatin1Char(byte) : QLatin1Char('.');
        const QString gap = hexGap(perLine);
        lines += QStringLiteral("%1").arg(from + at, 4, 16, QLatin1Char('0')) + gap
               + QString::fromLatin1(line.toHex(' ')).leftJustified(perLine * 3 - 1) + gap + text;
    }
    return lines.join(u'\n');
}

int hexBytesPerLine(int characters, qint64 last)
{
    const auto offset = static_cast<int>(std::max<qsizetype>(4, QString::number(last, 16).size()));
    for (const int bytes : {16, 8}) {
        if (offset + bytes * 3 - 1 + bytes + 2 * hexGap(bytes).size() <= characters)
            return bytes;
    }
    return 4;
}

std::optional<QString> jsonLines(const QByteArray &bytes)
{
    const QByteArray text = bytes.trimmed();
    if (!text.startsWith('{') && !text.startsWith('['))
        return std::nullopt;
    QJsonParseError error;
    (void)QJsonDocument::fromJson(text, &error);
    return error.error == QJsonParseError::NoError ? std::optional(textLines(indented(text))) : std::nullopt;
}

ValueForm bestForm(const QByteArray &bytes, bool isWhole)
{
    if (!isText(bytes))
        return ValueForm::Hex;
    return isWhole && jsonLines(bytes) ? ValueForm::Json : ValueForm::Text;
}

ValuePage pageOf(const keys::RawValue &value)
{
    ValuePage page;
    page.type = value.type;
    page.typeName = keys::keyTypeName(value.type).toLatin1();
    page.size = value.size;
    if (value.type == KeyType::String) {
        page.bytes = value.bytes();
        // The cut may be within a UTF-8 character.
        for (int cut = 0; cut < 4 && !value.isWholeString() && !isText(page.bytes); ++cut) {
            if (isText(value.bytes().chopped(std::min<qsizetype>(cut, value.bytes().size()))))
                page.bytes = value.bytes().chopped(cut);
        }
        return page;
    }
    const int step = value.partsPerElement();
    const auto sizeOf = [](const QByteArray &part) { // The size of a truncated part is unknown.
        return part.size() < keys::RawValue::maxPartLength ? part.size() : -1;
    };
    for (qsizetype i = 0; i + step <= value.parts.size(); i += step) {
        const QByteArray &first = value.parts[i];
        if (step == 2)
            page.rows += {first, value.parts[i + 1], sizeOf(first), sizeOf(value.parts[i + 1])};
        else if (value.type == KeyType::List)
            page.rows += {QByteArray::number(i), first, 0, sizeOf(first)};
        else
            page.rows += {first, {}, sizeOf(first), 0};
    }
    return page;
}

bool isWhole(const ValuePage &page)
{
    return page.from == 0 && !page.next && page.size && page.count() >= *page.size;
}

QString sampleNote(const keys::RawValue &value)
{
    const QString type = keytable::typeText(value.type);
    if (value.isLeftOut)
        return ValueText::tr("%1, not in the recording: only digests are stored").arg(type);
    const bool isString = value.type == KeyType::String;
    const qint64 read = isString ? value.bytes().size() : value.elementsRead();
    if (read < value.size && read > 0)
        return isString ? ValueText::tr("%1, the first %2 of %3 bytes")
                              .arg(type, widgets::numberText(read), widgets::numberText(value.size))
                        : ValueText::tr("%1, the first %2 of %3 elements")
                              .arg(type, widgets::numberText(read), widgets::numberText(value.size));
    if (value.size == 1)
        return isString ? ValueText::tr("%1, 1 byte").arg(type) : ValueText::tr("%1, 1 element").arg(type);
    return isString ? ValueText::tr("%1, %2 bytes").arg(type, widgets::numberText(value.size))
                    : ValueText::tr("%1, %2 elements").arg(type, widgets::numberText(value.size));
}

QString pageNote(const ValuePage &page)
{
    const QString when = base::timeOfDay(page.at);
    if (page.type == KeyType::Unknown)
        return ValueText::tr("The key did not exist at %1").arg(when);
    const QString type = base::printable(page.typeName, 60);
    if (page.type == KeyType::Other)
        return ValueText::tr("%1; its values cannot be displayed").arg(type);
    const bool isString = page.type == KeyType::String;
    const QString all =
        page.size ? widgets::numberText(*page.size) : ValueText::tr("an unknown number", "of bytes or elements");
    if (isWhole(page)) {
        return isString ? ValueText::tr("%1, all %2 bytes, read at %3").arg(type, all, when)
                        : ValueText::tr("%1, all %2 elements, read at %3").arg(type, all, when);
    }
    if (page.count() == 0)
        return ValueText::tr("%1, nothing more, read at %2").arg(type, when);
    const QString first = widgets::numberText(page.from + 1);
    const QString last = widgets::numberText(page.from + page.count());
    return isString ? ValueText::tr("%1, bytes %2 to %3 of %4, read at %5").arg(type, first, last, all, when)
                    : ValueText::tr("%1, elements %2 to %3 of %4, read at %5").arg(type, first, last, all, when);
}

ColumnTitles columnTitles(KeyType type)
{
    switch (type) {
    case KeyType::Hash:
        return {ValueText::tr("Field"), ValueText::tr("Value")};
    case KeyType::List:
        return {ValueText::tr("Number"), ValueText::tr("Element")};
    case KeyType::SortedSet:
        return {ValueText::tr("Member"), ValueText::tr("Score")};
    case KeyType::Stream:
        return {ValueText::tr("Entry"), ValueText::tr("Fields")};
    case KeyType::Set:
    case KeyType::String:
    case KeyType::Other:
    case KeyType::Refused:
    case KeyType::Unknown:
        break;
    }
    return {ValueText::tr("Member"), {}};
}

QString partText(const QByteArray &part, qint64 size)
{
    QString text = base::printable(part, maxPartLength);
    if (size < part.size() || size <= maxPartLength)
        return text;
    if (!text.endsWith(QChar(u'\u2026')))
        text += QChar(u'\u2026');
    return ValueText::tr("%1 (%2 bytes)", "the beginning of what is long").arg(text, widgets::numberText(size));
}

} // namespace latchkey::ui::detail

#include "core/inspect/recognition/lockpattern.h"

#include "core/foundation/base/bytes.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace latchkey::recognition {

using base::ErrorKind;
using base::Glob;
using keys::KeyType;

namespace {

/// Minimum length of a hint; a shorter one would occur in too many other names.
constexpr qsizetype minHintLength = 3;
constexpr qsizetype maxHintLength = 48;

/// Text around a field name in a JSON pattern: the first field of that name, and its text or number.
const QString beforeField = QStringLiteral("^\\s*\\{.*?\"");
const QString behindField =
    QStringLiteral("\"\\s*:\\s*\"?(?<holder>(?<=\")(?:[^\"\\\\]|\\\\.)*|[-0-9][^,}\\s]*)\"?\\s*[,}].*$");

/// A set without members, which matches nothing.
const QString emptySet = QStringLiteral("(?!)");

/// Returns a literal byte for a regular expression with one character per byte.
QString escaped(char byte)
{
    const auto code = static_cast<uchar>(byte);
    if (code < 0x20 || code >= 0x7f)
        return QStringLiteral("\\x%1").arg(code, 2, 16, QLatin1Char('0'));
    const QLatin1Char character(byte);
    return QByteArrayView("\\^$.|?*+()[]{}").contains(byte) ? QLatin1Char('\\') + QString(character)
                                                            : QString(character);
}

QString escaped(const QByteArray &bytes)
{
    QString text;
    for (const char byte : bytes)
        text += escaped(byte);
    return text;
}

/// Removes and returns the first byte, in the notation of escaped(). Absent if there is none.
std::optional<char> takeByte(QStringView &text)
{
    const auto take = [&](qsizetype size, char byte) {
        text = text.sliced(size);
        return byte;
    };
    if (text.startsWith(u"\\x") && text.size() >= 4)
        return take(4, static_cast<char>(text.sliced(2, 2).toInt(nullptr, 16)));
    if (text.startsWith(u'\\') && text.size() >= 2)
        return take(2, text[1].toLatin1());
    if (text.isEmpty() || text[0].unicode() > 0x7e)
        return std::nullopt;
    return take(1, text[0].toLatin1());
}

std::optional<QByteArray> unescaped(QStringView text)
{
    QByteArray bytes;
    while (!text.isEmpty()) {
        const auto byte = takeByte(text);
        if (!byte)
            return std::nullopt;
        bytes += *byte;
    }
    return bytes;
}

/// Returns the end of the set that begins at this position, as Glob reads it.
qsizetype setEnd(QByteArrayView glob, qsizetype begin)
{
    qsizetype at = begin + 1;
    if (at < glob.size() && glob[at] == '^')
        ++at;
    while (at < glob.size() && glob[at] != ']') {
        if (glob[at] == '\\' && at + 1 < glob.size())
            at += 2;
        else
            at += at + 2 < glob.size() && glob[at + 1] == '-' ? 3 : 1;
    }
    return std::min(at + 1, glob.size());
}

/// Returns the members of a set, in the order of their codes.
QByteArray membersOf(const QByteArray &set)
{
    const Glob glob(set);
    QByteArray members;
    for (int code = 0; code < 256; ++code) {
        const char byte = static_cast<char>(code);
        if (glob.matches(QByteArrayView(&byte, 1)))
            members += byte;
    }
    return members;
}

/// Returns a regular expression for a set with zero, one or several members.
QString setText(const QByteArray &members)
{
    if (members.isEmpty())
        return emptySet;
    QString text;
    const auto isMember = [&](int code) { return code < 256 && members.contains(static_cast<char>(code)); };
    for (int code = 0; code < 256; ++code) {
        if (!isMember(code))
            continue;
        int last = code;
        while (last != 0x7f && isMember(last + 1)) // A Glob compares bytes as signed: no range extends beyond 0x7f.
            ++last;
        const auto member = [](int at) {
            const auto byte = static_cast<char>(at);
            return byte == '-' ? QStringLiteral("\\-") : escaped(byte);
        };
        text += member(code);
        if (last > code)
            text += (last > code + 1 ? QStringLiteral("-") : QString()) + member(last);
        code = last;
    }
    return u'[' + text + u']';
}

/// Returns the longest part of the bytes that a text file can contain, as a hint for names.
QByteArray hintIn(const QByteArray &run)
{
    const auto text = base::utf8Text(run);
    if (text && std::ranges::none_of(*text, [](QChar c) { return c.category() == QChar::Other_Control; }))
        return text->first(std::min(maxHintLength, text->size())).toUtf8();
    QByteArray longest;
    QByteArray part;
    for (const char byte : run + '\0') {
        if (byte >= 0x20 && byte < 0x7f) {
            part += byte;
            continue;
        }
        if (part.size() > longest.size())
            longest = part;
        part.clear();
    }
    return longest.first(std::min(maxHintLength, longest.size()));
}

/// The pattern of a name, and the longest text that all such names contain.
struct Name
{
    QString pattern = QStringLiteral("^");
    QByteArray longest;
};

Name nameFrom(const QByteArray &glob)
{
    Name name;
    QByteArray run;
    const auto endRun = [&] {
        const QByteArray hint = hintIn(run);
        if (hint.size() > name.longest.size())
            name.longest = hint;
        run.clear();
    };
    for (qsizetype at = 0; at < glob.size();) {
        const char byte = glob[at];
        if (byte == '*' || byte == '?') {
            name.pattern += byte == '*' ? QStringLiteral(".*") : QStringLiteral(".");
            endRun();
            ++at;
        } else if (byte == '[') {
            const qsizetype end = setEnd(glob, at);
            const QByteArray members = membersOf(glob.sliced(at, end - at));
            if (members.size() == 1) {
                name.pattern += escaped(members);
                run += members;
            } else {
                name.pattern += setText(members);
                endRun();
            }
            at = end;
        } else {
            at += byte == '\\' && at + 1 < glob.size() ? 1 : 0;
            name.pattern += escaped(glob[at]);
            run += glob[at++];
        }
    }
    endRun();
    name.pattern += u'$';
    return name;
}

/// Converts a regular expression written by nameFrom() to the language of the filter.
std::optional<QByteArray> keysFrom(const QString &pattern)
{
    if (pattern.size() < 2 || !pattern.startsWith(u'^') || !pattern.endsWith(u'$'))
        return std::nullopt;
    QByteArray asPattern;
    QByteArray asItIs;
    bool isPattern = false;
    for (QStringView rest = QStringView(pattern).sliced(1).chopped(1); !rest.isEmpty();) {
        if (rest[0] == u'.') {
            const bool isStar = rest.startsWith(u".*");
            rest = rest.sliced(isStar ? 2 : 1);
            asPattern += isStar ? '*' : '?';
            isPattern = true;
        } else if (rest.startsWith(emptySet)) {
            rest = rest.sliced(emptySet.size());
            asPattern += "[]";
            isPattern = true;
        } else if (rest[0] == u'[') {
            const qsizetype end = rest.indexOf(u']');
            const auto members = end < 0 ? std::nullopt : unescaped(rest.sliced(1, end - 1));
            if (!members)
                return std::nullopt;
            asPattern += '[' + *members + ']';
            rest = rest.sliced(end + 1);
            isPattern = true;
        } else if (const auto byte = takeByte(rest)) {
            const bool isSpecial = QByteArrayView("*?[").contains(*byte);
            asPattern += isSpecial ? '[' + QByteArray(1, *byte) + ']' : QByteArray(1, *byte);
            asItIs += *byte;
            isPattern = isPattern || *byte == '*' || *byte == '?';
        } else {
            return std::nullopt;
        }
    }
    return isPattern ? asPattern : asItIs;
}

QByteArray quoted(const QString &text)
{
    return QJsonDocument(QJsonArray {text}).toJson(QJsonDocument::Compact).mid(1).chopped(1);
}

QByteArray valueMember(const LockPattern &pattern)
{
    switch (pattern.where) {
    case LockPattern::Where::Shape:
        return "\"value\": " + quoted(QString::fromUtf8(pattern.detail));
    case LockPattern::Where::JsonField:
        return "\"value\": " + quoted(beforeField + escaped(pattern.detail) + behindField);
    case LockPattern::Where::HashField:
        return "\"holder_field\": " + quoted(QString::fromUtf8(pattern.detail));
    }
    Q_UNREACHABLE();
}

std::optional<KeyType> typeNamed(const QString &name)
{
    for (const KeyType type : {KeyType::String, KeyType::Hash, KeyType::List, KeyType::Set, KeyType::SortedSet}) {
        if (keys::keyTypeName(type) == name)
            return type;
    }
    return std::nullopt;
}

} // namespace

Glob wholeKey(const QByteArray &text)
{
    const bool isPattern = text.contains('*') || text.contains('?');
    QByteArray pattern;
    for (const char byte : text) {
        if (byte == '\\' || (byte == '[' && !isPattern))
            pattern += '\\';
        pattern += byte;
    }
    return Glob(pattern);
}

QByteArray namesLike(const QByteArray &key)
{
    qsizetype end = key.lastIndexOf(':') + 1;
    if (end < minHintLength) {
        end = key.size();
        while (end > 0 && !QByteArrayView("/.|#_-").contains(key[end - 1]))
            --end;
    }
    const bool hasParts = end >= minHintLength && end < key.size();
    const QByteArray fixed = hasParts ? key.first(end) : key;
    if (!hasParts && !fixed.contains('*') && !fixed.contains('?'))
        return fixed;
    QByteArray names;
    for (const char byte : fixed)
        names += QByteArrayView("*?[").contains(byte) ? '[' + QByteArray(1, byte) + ']' : QByteArray(1, byte);
    return hasParts ? names + '*' : names;
}

base::Result<QByteArray> dialectText(const LockPattern &pattern)
{
    if (pattern.title.trimmed().isEmpty())
        return base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the locks need a name"));
    const Name name = nameFrom(wholeKey(pattern.keys).pattern());
    if (name.longest.size() < minHintLength)
        return base::failure(ErrorKind::Usage,
                             QT_TRANSLATE_NOOP("core", "the keys' names need three characters in a row that are always "
                                                       "the same"));
    if (pattern.where == LockPattern::Where::Shape && pattern.detail.isEmpty())
        return base::failure(ErrorKind::Usage,
                             QT_TRANSLATE_NOOP("core", "the value of these keys is unknown, or contains no holder"));
    const auto field = base::utf8Text(pattern.detail);
    const bool isText = field && !field->isEmpty()
                     && std::ranges::none_of(*field, [](QChar c) { return c.category() == QChar::Other_Control; });
    if (!isText)
        return base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the field needs a name that is text"));
    return "{\"id\": " + quoted(pattern.id) + ", \"title\": " + quoted(pattern.title.simplified())
         + ", \"family\": \"lock\",\n   \"forms\": [\n    {\"type\": " + quoted(keys::keyTypeName(pattern.type))
         + ", \"name\": " + quoted(name.pattern) + ", \"hints\": [" + quoted(QString::fromUtf8(name.longest))
         + "],\n     " + valueMember(pattern) + ", \"alone\": \"certain\"}]}";
}

std::optional<LockPattern> lockPatternFrom(const QJsonObject &dialect)
{
    const QJsonObject form = dialect.value(QLatin1String("forms")).toArray().first().toObject();
    const auto type = typeNamed(form.value(QLatin1String("type")).toString());
    const auto keys = keysFrom(form.value(QLatin1String("name")).toString());
    if (!type || !keys)
        return std::nullopt;
    LockPattern pattern;
    pattern.id = dialect.value(QLatin1String("id")).toString();
    pattern.title = dialect.value(QLatin1String("title")).toString();
    pattern.type = *type;
    pattern.keys = *keys;
    const QString value = form.value(QLatin1String("value")).toString();
    pattern.detail = value.toUtf8();
    if (const QJsonValue field = form.value(QLatin1String("holder_field")); field.isString()) {
        pattern.where = LockPattern::Where::HashField;
        pattern.detail = field.toString().toUtf8();
    } else if (value.size() >= beforeField.size() + behindField.size() && value.startsWith(beforeField)
               && value.endsWith(behindField)) {
        pattern.where = LockPattern::Where::JsonField;
        pattern.detail =
            unescaped(QStringView(value).sliced(beforeField.size()).chopped(behindField.size())).value_or(QByteArray());
    }
    // Anything else in the dialect would be lost when it is written again.
    const auto again = dialectText(pattern);
    const bool isAll = again && QJsonDocument::fromJson(*again).object() == dialect;
    return isAll ? std::optional(pattern) : std::nullopt;
}

} // namespace latchkey::recognition

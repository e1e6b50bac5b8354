#include "core/keyspace/valuepreviews.h"

#include "core/base/bytes.h"

#include <algorithm>

namespace latchkey::keyspace {

using keys::KeyType;
using keys::ValuePreview;
using resp::Command;
using resp::Commands;
using resp::Reply;

namespace {

constexpr qsizetype longestElement = 40;

QByteArray elementText(const Reply &element)
{
    return base::printable(element.bytes(), longestElement).toUtf8();
}

/// `a, b, c`, or `a: 1, b: 2` where the elements come in pairs; an ellipsis where there are more.
ValuePreview collection(qint64 size, std::span<const Reply> elements, bool isPairs, std::size_t most)
{
    ValuePreview preview;
    preview.size = size;
    preview.isText = false;
    const std::size_t step = isPairs ? 2 : 1;
    const std::size_t shown = std::min(most, elements.size() / step);
    for (std::size_t i = 0; i < shown; ++i) {
        preview.text += (i == 0 ? "" : ", ") + elementText(elements[i * step]);
        if (isPairs)
            preview.text += ": " + elementText(elements[i * step + 1]);
    }
    if (size > static_cast<qint64>(shown))
        preview.text += preview.text.isEmpty() ? "\u2026" : ", \u2026";
    return preview;
}

constexpr std::size_t mostShown = 4;

} // namespace

KeyType keyTypeFrom(const QByteArray &name)
{
    if (name == "string")
        return KeyType::String;
    if (name == "hash")
        return KeyType::Hash;
    if (name == "list")
        return KeyType::List;
    if (name == "set")
        return KeyType::Set;
    if (name == "zset")
        return KeyType::SortedSet;
    if (name == "stream")
        return KeyType::Stream;
    return name == "none" || name.isEmpty() ? KeyType::Unknown : KeyType::Other;
}

QString keyTypeName(KeyType type)
{
    switch (type) {
    case KeyType::Hash:
        return QStringLiteral("hash");
    case KeyType::List:
        return QStringLiteral("list");
    case KeyType::Set:
        return QStringLiteral("set");
    case KeyType::Stream:
        return QStringLiteral("stream");
    case KeyType::String:
        return QStringLiteral("string");
    case KeyType::SortedSet:
        return QStringLiteral("zset");
    case KeyType::Other:
        return QStringLiteral("other");
    case KeyType::Unknown:
        return {};
    }
    Q_UNREACHABLE();
}

Commands previewCommands(const base::Key &key, KeyType type, const PreviewSize &size)
{
    const QByteArray &name = key.bytes();
    const QByteArray lastByte = QByteArray::number(size.bytes - 1);
    const QByteArray lastElement = QByteArray::number(size.elements - 1);
    const QByteArray count = QByteArray::number(size.elements);
    const Command typeOf = resp::type(key);
    switch (type) {
    case KeyType::String:
        return {typeOf, {"STRLEN", name}, {"GETRANGE", name, "0", lastByte}};
    case KeyType::Hash:
        return {typeOf, {"HLEN", name}, {"HSCAN", name, "0", "COUNT", count}};
    case KeyType::List:
        return {typeOf, {"LLEN", name}, {"LRANGE", name, "0", lastElement}};
    case KeyType::Set:
        return {typeOf, {"SCARD", name}, {"SSCAN", name, "0", "COUNT", count}};
    case KeyType::SortedSet:
        return {typeOf, {"ZCARD", name}, {"ZRANGE", name, "0", lastElement, "WITHSCORES"}};
    case KeyType::Stream:
        return {typeOf, {"XLEN", name}};
    case KeyType::Other:
    case KeyType::Unknown:
        break;
    }
    return {typeOf};
}

std::optional<ValuePreview> previewFrom(KeyType type, std::span<const Reply> replies)
{
    if (replies.size() < 2 || replies[0].isError() || keyTypeFrom(replies[0].bytes()) != type
        || !replies[1].isInteger())
        return std::nullopt;
    const qint64 size = replies[1].toInteger();
    if (type == KeyType::Stream)
        return collection(size, {}, false, 0);
    if (replies.size() != 3 || replies[2].isError())
        return std::nullopt;
    const Reply &content = replies[2];
    switch (type) {
    case KeyType::String:
        return ValuePreview {content.bytes(), size, true};
    case KeyType::List:
        return collection(size, content.elements(), false, mostShown);
    case KeyType::SortedSet:
        return collection(size, content.elements(), true, mostShown);
    case KeyType::Hash:
    case KeyType::Set:
        // A cursor, and the elements of the first step: all of a small one.
        if (content.elements().size() != 2)
            return std::nullopt;
        return collection(size, content.elements()[1].elements(), type == KeyType::Hash, mostShown);
    case KeyType::Stream:
    case KeyType::Other:
    case KeyType::Unknown:
        break;
    }
    return std::nullopt;
}

} // namespace latchkey::keyspace

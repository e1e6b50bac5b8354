#include "core/keyspace/watching/rawvalues.h"

#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::watching {

using keys::KeyType;
using keys::RawValue;
using resp::Command;
using resp::Commands;
using resp::Reply;

namespace {

/// Returns the first elements of the reply, each cut to the maximum length.
QList<QByteArray> partsFrom(std::span<const Reply> elements, int maximum)
{
    QList<QByteArray> parts;
    const std::size_t count = std::min(elements.size(), static_cast<std::size_t>(maximum));
    parts.reserve(static_cast<qsizetype>(count));
    for (const Reply &element : elements.first(count)) {
        const QByteArray bytes = element.bytes();
        parts += bytes.size() > RawValue::maxPartLength ? bytes.first(RawValue::maxPartLength) : bytes;
    }
    return parts;
}

} // namespace

KeyType keyTypeFrom(const Reply &reply)
{
    if (!reply.isError())
        return keys::keyTypeFrom(reply.bytes());
    const base::ErrorKind kind = resp::serverError(reply).kind;
    const bool isPermanent = kind == base::ErrorKind::PermissionDenied || kind == base::ErrorKind::UnknownCommand
                          || kind == base::ErrorKind::ClusterRedirect;
    return isPermanent ? KeyType::Refused : KeyType::Unknown;
}

bool isCollection(KeyType type)
{
    return type == KeyType::Hash || type == KeyType::List || type == KeyType::Set || type == KeyType::SortedSet;
}

Command lengthCommand(const base::Key &key, KeyType type)
{
    Q_ASSERT(isCollection(type));
    return valueCommands(key, type, {.bytes = 0, .elements = 0}).back();
}

Commands valueCommands(const base::Key &key, KeyType type, const ReadSize &size)
{
    const QByteArray &name = key.bytes();
    const QByteArray lastByte = QByteArray::number(size.bytes - 1);
    const QByteArray lastElement = QByteArray::number(size.elements - 1);
    const QByteArray count = QByteArray::number(size.elements);
    Commands commands {resp::type(key)};
    switch (type) {
    case KeyType::String:
        commands.insert(commands.end(), {{"STRLEN", name}, {"GETRANGE", name, "0", lastByte}});
        break;
    case KeyType::Hash:
        commands.insert(commands.end(), {{"HLEN", name}, {"HSCAN", name, "0", "COUNT", count}});
        break;
    case KeyType::List:
        commands.insert(commands.end(), {{"LLEN", name}, {"LRANGE", name, "0", lastElement}});
        break;
    case KeyType::Set:
        commands.insert(commands.end(), {{"SCARD", name}, {"SSCAN", name, "0", "COUNT", count}});
        break;
    case KeyType::SortedSet:
        commands.insert(commands.end(), {{"ZCARD", name}, {"ZRANGE", name, "0", lastElement, "WITHSCORES"}});
        break;
    case KeyType::Stream:
        commands.push_back({"XLEN", name});
        break;
    case KeyType::Other:
    case KeyType::Refused:
    case KeyType::Unknown:
        break;
    }
    if (isCollection(type) && size.elements == 0)
        commands.pop_back();
    return commands;
}

std::optional<RawValue> valueFrom(KeyType type, std::span<const Reply> replies, const ReadSize &size)
{
    if (replies.size() < 2 || keyTypeFrom(replies[0]) != type || !replies[1].isInteger())
        return std::nullopt;
    RawValue value {type, replies[1].toInteger(), {}};
    if (type == KeyType::Stream || (isCollection(type) && size.elements == 0))
        return value;
    if (replies.size() != 3 || replies[2].isError())
        return std::nullopt;
    const Reply &content = replies[2];
    if (content.kind() != (type == KeyType::String ? Reply::Kind::Bulk : Reply::Kind::Array))
        return std::nullopt;
    switch (type) {
    case KeyType::String:
        value.parts = {content.bytes()};
        return value;
    case KeyType::List:
    case KeyType::SortedSet:
        value.parts = partsFrom(content.elements(), size.elements * value.partsPerElement());
        return value;
    case KeyType::Hash:
    case KeyType::Set:
        // Reply to a scan: a cursor, and the elements of the first step, which are all of a small collection.
        if (content.elements().size() != 2)
            return std::nullopt;
        value.parts = partsFrom(content.elements()[1].elements(), size.elements * value.partsPerElement());
        return value;
    case KeyType::Stream:
    case KeyType::Other:
    case KeyType::Refused:
    case KeyType::Unknown:
        break;
    }
    return std::nullopt;
}

} // namespace latchkey::watching

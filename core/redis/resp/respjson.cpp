#include "core/redis/resp/respjson.h"

#include "core/foundation/files/json.h"

#include <QJsonArray>

namespace latchkey::resp {

using files::bytesJson;
using files::JsonNode;

QJsonValue commandJson(const Command &command)
{
    QJsonArray words;
    for (const QByteArray &word : command.words())
        words += bytesJson(word);
    return words;
}

Command commandFrom(const JsonNode &node)
{
    Command command;
    for (const JsonNode &word : node.elements())
        command << word.bytes();
    if (command.name().isEmpty())
        node.refuse(base::Text(QT_TRANSLATE_NOOP("core", "an empty command")));
    return command;
}

QJsonValue replyJson(const Reply &reply)
{
    switch (reply.kind()) {
    case Reply::Kind::Nil:
        return QJsonValue::Null;
    case Reply::Kind::Status:
        return QJsonObject {{QStringLiteral("status"), bytesJson(reply.bytes())}};
    case Reply::Kind::Error:
        return QJsonObject {{QStringLiteral("error"), bytesJson(reply.bytes())}};
    case Reply::Kind::Integer:
        return reply.toInteger();
    case Reply::Kind::Bulk:
        return bytesJson(reply.bytes());
    case Reply::Kind::Array:
        break;
    }
    QJsonArray elements;
    for (const Reply &element : reply.elements())
        elements += replyJson(element);
    return elements;
}

Reply replyFrom(const JsonNode &node)
{
    if (node.required().value().isNull())
        return Reply::nil();
    if (node.value().isDouble())
        return Reply::integer(node.number());
    if (node.value().isArray()) {
        std::vector<Reply> replies;
        for (const JsonNode &element : node.elements())
            replies.push_back(replyFrom(element));
        return Reply::array(std::move(replies));
    }
    if (node.value().isObject()) {
        if (const JsonNode status = node["status"]; status.exists())
            return Reply::status(status.bytes());
        if (const JsonNode error = node["error"]; error.exists())
            return Reply::error(error.bytes());
        if (const JsonNode bulk = node["bulk"]; bulk.exists())
            return Reply::bulk(bulk.bytes());
    }
    return Reply::bulk(node.bytes());
}

} // namespace latchkey::resp

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

Command commandFrom(const JsonNode &place)
{
    Command command;
    for (const JsonNode &word : place.elements())
        command << word.bytes();
    if (command.name().isEmpty())
        place.refuse(base::Text(QT_TRANSLATE_NOOP("core", "an empty command")));
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

Reply replyFrom(const JsonNode &place)
{
    if (place.needed().value().isNull())
        return Reply::nil();
    if (place.value().isDouble())
        return Reply::integer(place.number());
    if (place.value().isArray()) {
        std::vector<Reply> replies;
        for (const JsonNode &element : place.elements())
            replies.push_back(replyFrom(element));
        return Reply::array(std::move(replies));
    }
    if (place.value().isObject()) {
        if (const JsonNode status = place["status"]; status.isThere())
            return Reply::status(status.bytes());
        if (const JsonNode error = place["error"]; error.isThere())
            return Reply::error(error.bytes());
        if (const JsonNode bulk = place["bulk"]; bulk.isThere())
            return Reply::bulk(bulk.bytes());
    }
    return Reply::bulk(place.bytes());
}

} // namespace latchkey::resp

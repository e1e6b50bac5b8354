#include "core/explore/schedules/jsonvalues.h"

namespace latchkey::schedules {

using files::JsonPlace;
using resp::Command;
using resp::Reply;

Command commandFrom(const JsonPlace &place)
{
    Command command;
    for (const JsonPlace &word : place.elements())
        command << word.bytes();
    if (command.name().isEmpty())
        place.refuse(base::Text(QT_TRANSLATE_NOOP("core", "an empty command")));
    return command;
}

Reply replyFrom(const JsonPlace &place)
{
    if (place.needed().value().isNull())
        return Reply::nil();
    if (place.value().isDouble())
        return Reply::integer(place.number());
    if (place.value().isArray()) {
        std::vector<Reply> replies;
        for (const JsonPlace &element : place.elements())
            replies.push_back(replyFrom(element));
        return Reply::array(std::move(replies));
    }
    if (place.value().isObject()) {
        if (const JsonPlace status = place["status"]; status.isThere())
            return Reply::status(status.text().toUtf8());
        if (const JsonPlace error = place["error"]; error.isThere())
            return Reply::error(error.text().toUtf8());
    }
    return Reply::bulk(place.bytes());
}

} // namespace latchkey::schedules

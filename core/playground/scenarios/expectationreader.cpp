#include "core/playground/scenarios/stepreader.h"

#include "core/redis/resp/respjson.h"

namespace latchkey::scenarios {

using base::Text;
using files::JsonNode;

namespace {

/// Reads names of clients, in file order.
QStringList clientsFrom(const JsonNode &place, const StepContext &context)
{
    QStringList names;
    for (const JsonNode &name : place.elements())
        names += clientFrom(name, context);
    return names;
}

KeyExpectation keyExpectationFrom(const QString &key, const JsonNode &place, const StepContext &context)
{
    place.allowOnly({QStringLiteral("server"), QStringLiteral("exists"), QStringLiteral("expires"),
                     QStringLiteral("value"), QStringLiteral("fields"), QStringLiteral("held_by"),
                     QStringLiteral("at_least"), QStringLiteral("at_most")});
    KeyExpectation expected;
    expected.key = base::Key(key.toUtf8());
    expected.server = serverFrom(place["server"], context);
    if (place["exists"].isThere())
        expected.exists = place["exists"].boolean();
    if (place["expires"].isThere())
        expected.expires = place["expires"].boolean();
    if (place["value"].isThere())
        expected.value = place["value"].bytes();
    if (place["fields"].isThere())
        expected.fields = fieldsFrom(place["fields"]);
    if (place["held_by"].isThere())
        expected.heldBy = clientFrom(place["held_by"], context);
    if (place["at_least"].isThere())
        expected.atLeast = place["at_least"].duration();
    if (place["at_most"].isThere())
        expected.atMost = place["at_most"].duration();
    if (expected.exists == false && place.object().size() > (place["server"].isThere() ? 2 : 1))
        place.refuse(Text(QT_TRANSLATE_NOOP("core", "a key that does not exist has no other properties")));
    return expected;
}

StepExpectation expectationFrom(const JsonNode &place, const StepContext &context)
{
    place.allowOnly({QStringLiteral("in"), QStringLiteral("outcome"), QStringLiteral("reply"), QStringLiteral("value"),
                     QStringLiteral("fields"), QStringLiteral("inside"), QStringLiteral("believes"),
                     QStringLiteral("keys"), QStringLiteral("written"), QStringLiteral("refused"),
                     QStringLiteral("recomputed")});
    StepExpectation expected;
    expected.place = place.path();
    if (const JsonNode outcome = place["outcome"]; outcome.isThere()) {
        for (const JsonNode &one : outcome.value().isArray() ? outcome.elements() : std::vector {outcome})
            expected.outcomes += one.line();
    }
    if (place["reply"].isThere())
        expected.reply = resp::replyFrom(place["reply"]).toText();
    if (place["value"].isThere())
        expected.value = place["value"].bytes();
    if (place["fields"].isThere())
        expected.fields = fieldsFrom(place["fields"]);
    if (place["inside"].isThere())
        expected.inside = clientsFrom(place["inside"], context);
    if (const JsonNode believes = place["believes"]; believes.isThere()) {
        for (const QString &name : believes.object().keys())
            expected.believes[clientFrom(believes.nameOf(name), context)] = believes[name].boolean();
    }
    if (const JsonNode keys = place["keys"]; keys.isThere()) {
        for (const QString &key : keys.object().keys())
            expected.keys.push_back(keyExpectationFrom(key, keys[key], context));
    }
    if (place["written"].isThere())
        expected.written = clientsFrom(place["written"], context);
    if (place["refused"].isThere())
        expected.refused = clientsFrom(place["refused"], context);
    if (place["recomputed"].isThere())
        expected.recomputed = static_cast<int>(place["recomputed"].numberWithin(0, 1000));
    return expected;
}

} // namespace

std::vector<StepExpectation> expectationsFrom(const JsonNode &place, const StepContext &context)
{
    std::vector<StepExpectation> expectations;
    if (!place.isThere())
        return expectations;
    const std::vector<JsonNode> places = place.value().isArray() ? place.elements() : std::vector {place};
    for (const JsonNode &one : places) {
        // Expectations for other alternatives must be valid, too.
        StepExpectation expected = expectationFrom(one, context);
        if (isIn(one["in"], context))
            expectations.push_back(std::move(expected));
    }
    return expectations;
}

} // namespace latchkey::scenarios

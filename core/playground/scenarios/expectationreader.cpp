#include "core/playground/scenarios/stepreader.h"

#include "core/redis/resp/respjson.h"

namespace latchkey::scenarios {

using base::Text;
using files::JsonNode;

namespace {

/// Reads names of clients, in file order.
QStringList clientsFrom(const JsonNode &node, const StepContext &context)
{
    QStringList names;
    for (const JsonNode &name : node.elements())
        names += clientFrom(name, context);
    return names;
}

KeyExpectation keyExpectationFrom(const QString &key, const JsonNode &node, const StepContext &context)
{
    node.allowOnly({QStringLiteral("server"), QStringLiteral("replica"), QStringLiteral("exists"),
                    QStringLiteral("expires"), QStringLiteral("value"), QStringLiteral("fields"),
                    QStringLiteral("held_by"), QStringLiteral("at_least"), QStringLiteral("at_most")});
    KeyExpectation expected;
    expected.key = base::Key(key.toUtf8());
    expected.server = serverFrom(node["server"], context);
    if (node["replica"].exists())
        expected.replica = replicaFrom(node["replica"], context);
    if (node["exists"].exists())
        expected.exists = node["exists"].boolean();
    if (node["expires"].exists())
        expected.expires = node["expires"].boolean();
    if (node["value"].exists())
        expected.value = node["value"].bytes();
    if (node["fields"].exists())
        expected.fields = fieldsFrom(node["fields"]);
    if (node["held_by"].exists())
        expected.heldBy = clientFrom(node["held_by"], context);
    if (node["at_least"].exists())
        expected.atLeast = node["at_least"].duration();
    if (node["at_most"].exists())
        expected.atMost = node["at_most"].duration();
    if (expected.exists == false
        && node.object().size() > 1 + int(node["server"].exists()) + int(node["replica"].exists()))
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "a key that does not exist has no other properties")));
    return expected;
}

StepExpectation expectationFrom(const JsonNode &node, const StepContext &context)
{
    node.allowOnly({QStringLiteral("in"), QStringLiteral("outcome"), QStringLiteral("reply"), QStringLiteral("value"),
                    QStringLiteral("fields"), QStringLiteral("inside"), QStringLiteral("believes"),
                    QStringLiteral("keys"), QStringLiteral("written"), QStringLiteral("refused"),
                    QStringLiteral("recomputed")});
    StepExpectation expected;
    expected.location = node.path();
    if (const JsonNode outcome = node["outcome"]; outcome.exists()) {
        for (const JsonNode &one : outcome.value().isArray() ? outcome.elements() : std::vector {outcome})
            expected.outcomes += one.line();
    }
    if (node["reply"].exists())
        expected.reply = resp::replyFrom(node["reply"]).toText();
    if (node["value"].exists())
        expected.value = node["value"].bytes();
    if (node["fields"].exists())
        expected.fields = fieldsFrom(node["fields"]);
    if (node["inside"].exists())
        expected.inside = clientsFrom(node["inside"], context);
    if (const JsonNode believes = node["believes"]; believes.exists()) {
        for (const QString &name : believes.object().keys())
            expected.believes[clientFrom(believes.nameOf(name), context)] = believes[name].boolean();
    }
    if (const JsonNode keys = node["keys"]; keys.exists()) {
        for (const QString &key : keys.object().keys())
            expected.keys.push_back(keyExpectationFrom(key, keys[key], context));
    }
    if (node["written"].exists())
        expected.written = clientsFrom(node["written"], context);
    if (node["refused"].exists())
        expected.refused = clientsFrom(node["refused"], context);
    if (node["recomputed"].exists())
        expected.recomputed = static_cast<int>(node["recomputed"].numberWithin(0, 1000));
    return expected;
}

} // namespace

std::vector<StepExpectation> expectationsFrom(const JsonNode &node, const StepContext &context)
{
    std::vector<StepExpectation> expectations;
    if (!node.exists())
        return expectations;
    const std::vector<JsonNode> nodes = node.value().isArray() ? node.elements() : std::vector {node};
    for (const JsonNode &one : nodes) {
        // Expectations for other alternatives must be valid, too.
        StepExpectation expected = expectationFrom(one, context);
        if (isIn(one["in"], context))
            expectations.push_back(std::move(expected));
    }
    return expectations;
}

} // namespace latchkey::scenarios

#include "core/playground/scenarios/expectationchecker.h"

#include "core/foundation/base/duration.h"

#include <algorithm>

namespace latchkey::scenarios {

using base::Text;
using Fields = std::map<QByteArray, QByteArray>;

namespace {

QString shown(const QByteArray &bytes)
{
    return u'"' + base::printable(bytes, 60) + u'"';
}

QString shown(const Fields &fields)
{
    QStringList parts;
    for (const auto &[name, value] : fields)
        parts += base::printable(name, 40) + u'=' + base::printable(value, 40);
    return parts.join(u' ');
}

Text listed(const QStringList &names)
{
    return names.isEmpty() ? Text(QT_TRANSLATE_NOOP("core", "no client")) : Text(names.join(QStringLiteral(", ")));
}

QStringList sorted(QStringList names)
{
    names.sort();
    return names;
}

/// Returns whether two replies are equal, or both are values.
bool areEquivalent(const QString &is, const QString &expected)
{
    return is == expected || (is.startsWith(u'"') && expected.startsWith(u'"'));
}

/// A collector of the differences between an observed state and its expectation.
class ExpectationChecker final
{
public:
    explicit ExpectationChecker(const ObservedState &observed)
        : m_observed(observed)
    {}

    void check(const StepExpectation &expected)
    {
        if (!expected.outcomes.isEmpty() && !expected.outcomes.contains(m_observed.outcome))
            differs(outcomeText(), expected.outcomes.join(QStringLiteral(", ")));
        if (expected.reply && *expected.reply != m_observed.report.operationResult.reply.toString())
            differs(m_observed.report.operationResult.reply, *expected.reply);
        if (expected.value && expected.value != m_observed.report.operationResult.value)
            differs(m_observed.report.operationResult.value ? Text(shown(*m_observed.report.operationResult.value))
                                                            : Text(QT_TRANSLATE_NOOP("core", "no value")),
                    shown(*expected.value));
        if (!expected.fields.empty())
            checkFields(expected.fields);
        if (expected.lastCommand)
            checkCommand(*expected.lastCommand);
        checkClients(expected);
        for (const KeyExpectation &key : expected.keys)
            checkKey(key);
    }

    [[nodiscard]] const QList<Text> &found() const { return m_found; }

private:
    void differs(const Text &is, const Text &expected)
    {
        m_found += Text(QT_TRANSLATE_NOOP("core", "expected %2, got %1"), is, expected);
    }

    [[nodiscard]] Text outcomeText() const
    {
        const Text outcome =
            m_observed.outcome.isEmpty() ? Text(QT_TRANSLATE_NOOP("core", "unanswered")) : Text(m_observed.outcome);
        return m_observed.report.message.isEmpty()
                 ? outcome
                 : Text(QT_TRANSLATE_NOOP("core", "%1 (%2)"), outcome, m_observed.report.message);
    }

    void checkFields(const Fields &expected)
    {
        Fields got;
        for (const caches::Field &field : m_observed.report.operationResult.fields)
            got[field.name] = field.value;
        if (got != expected)
            differs(shown(got), shown(expected));
    }

    void checkCommand(const CommandExpectation &expected)
    {
        const QString command = m_observed.lastCommand.section(u' ', 0, 0);
        if (command != expected.command)
            differs(command.isEmpty() ? Text(QT_TRANSLATE_NOOP("core", "no command")) : Text(command),
                    expected.command);
        else if (!areEquivalent(m_observed.lastReply, expected.reply))
            differs(Text(QT_TRANSLATE_NOOP("core", "%1 in reply to %2"), m_observed.lastReply, command),
                    expected.reply);
    }

    void checkClients(const StepExpectation &expected)
    {
        if (expected.inside && sorted(*expected.inside) != sorted(m_observed.inside))
            m_found += Text(QT_TRANSLATE_NOOP("core", "inside: expected %2, got %1"), listed(m_observed.inside),
                            listed(*expected.inside));
        for (const auto &[client, believes] : expected.believes) {
            const auto is = m_observed.believes.find(client);
            if ((is != m_observed.believes.end() && is->second) != believes)
                m_found += believes
                             ? Text(QT_TRANSLATE_NOOP("core", "%1 does not believe that it holds the lock"), client)
                             : Text(QT_TRANSLATE_NOOP("core", "%1 believes that it holds the lock"), client);
        }
        if (expected.written && *expected.written != m_observed.resource->written())
            m_found += Text(QT_TRANSLATE_NOOP("core", "writes accepted by the resource: expected %2, got %1"),
                            listed(m_observed.resource->written()), listed(*expected.written));
        if (expected.refused && *expected.refused != m_observed.resource->refused())
            m_found += Text(QT_TRANSLATE_NOOP("core", "writes refused by the resource: expected %2, got %1"),
                            listed(m_observed.resource->refused()), listed(*expected.refused));
        if (expected.recomputed && *expected.recomputed != m_observed.recomputed)
            m_found += Text(QT_TRANSLATE_NOOP("core", "recomputed %1 times instead of %2"), m_observed.recomputed,
                            *expected.recomputed);
    }

    void checkKey(const KeyExpectation &expected)
    {
        const auto isIt = [&](const ObservedKey &observedKey) {
            return observedKey.key == expected.key && observedKey.server == expected.server
                && observedKey.replica == expected.replica;
        };
        const ObservedKey &observedKey = *std::ranges::find_if(m_observed.keys, isIt);
        if (const auto wanted = missing(expected, observedKey))
            m_found +=
                Text::about(base::printable(expected.key.bytes(), 60),
                            Text(QT_TRANSLATE_NOOP("core", "it %1, but should %2"), observedKey.toText(), *wanted));
    }

    /// Returns the first difference, as the expected state; absent if there is none.
    [[nodiscard]] std::optional<Text> missing(const KeyExpectation &expected, const ObservedKey &observedKey) const
    {
        if (expected.exists == false)
            return observedKey.exists ? std::optional(Text(QT_TRANSLATE_NOOP("core", "not be there"))) : std::nullopt;
        if (!observedKey.exists)
            return Text(QT_TRANSLATE_NOOP("core", "be there"));
        if (expected.expires && *expected.expires != observedKey.left.has_value())
            return *expected.expires ? Text(QT_TRANSLATE_NOOP("core", "have a lifetime"))
                                     : Text(QT_TRANSLATE_NOOP("core", "have none"));
        if (expected.value && expected.value != observedKey.value)
            return Text(QT_TRANSLATE_NOOP("core", "hold %1"), shown(*expected.value));
        if (!expected.fields.empty() && expected.fields != observedKey.fields)
            return Text(QT_TRANSLATE_NOOP("core", "hold %1"), shown(expected.fields));
        // A key without a TTL satisfies every lower limit.
        if (expected.atLeast && observedKey.left && *observedKey.left < *expected.atLeast)
            return Text(QT_TRANSLATE_NOOP("core", "have at least %1 left"), base::formatDuration(*expected.atLeast));
        if (expected.atMost && (!observedKey.left || *observedKey.left > *expected.atMost))
            return Text(QT_TRANSLATE_NOOP("core", "have at most %1 left"), base::formatDuration(*expected.atMost));
        if (expected.heldBy.isEmpty())
            return std::nullopt;
        const auto token = m_observed.tokens.find(expected.heldBy);
        if (token != m_observed.tokens.end() && observedKey.value == token->second.bytes())
            return std::nullopt;
        return Text(QT_TRANSLATE_NOOP("core", "hold the token of %1"), expected.heldBy);
    }

    const ObservedState &m_observed;
    QList<Text> m_found;
};

} // namespace

Text ObservedKey::toText() const
{
    if (!exists)
        return Text(QT_TRANSLATE_NOOP("core", "is not there"));
    const Text lifetime = left ? Text(QT_TRANSLATE_NOOP("core", "%1 ms left"), static_cast<qint64>(left->count()))
                               : Text(QT_TRANSLATE_NOOP("core", "no lifetime"));
    const Text held = value ? Text(shown(*value)) : Text(shown(fields));
    return Text(QT_TRANSLATE_NOOP("core", "holds %1, with %2"), held, lifetime);
}

QList<Text> differences(const StepExpectation &expected, const ObservedState &observed)
{
    ExpectationChecker checker(observed);
    checker.check(expected);
    return checker.found();
}

} // namespace latchkey::scenarios

#include "core/inspect/alerts/alertrule.h"

#include "core/foundation/base/duration.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace latchkey::alerts {

using base::ErrorKind;
using base::Text;
using findings::FindingKind;
using Condition = AlertRule::Condition;

namespace {

/// A condition's name, and whether `=VALUE` follows it.
struct Form
{
    enum class Value : quint8 { None, Optional, Required };

    const char *name;
    Condition condition;
    Value value;
};

constexpr std::array forms {
    Form {"no-expiry", Condition::NoExpiry, Form::Value::None},
    Form {"two-holders", Condition::TwoHolders, Form::Value::None},
    Form {"older-than", Condition::OlderThan, Form::Value::Required},
    Form {"finding", Condition::Finding, Form::Value::Required},
    Form {"blind", Condition::Blind, Form::Value::Optional},
};

tl::unexpected<base::Error> refusal(qsizetype at, const Text &what)
{
    return base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "at character %1: %2"), at + 1, what);
}

/// Reads the value of a condition into the rule. `at`: index of the value in the text.
base::Result<void> readValue(AlertRule &rule, const QString &value, qsizetype at)
{
    if (rule.condition == Condition::Finding) {
        QStringList ids;
        for (int i = 0; i < findings::kindCount; ++i)
            ids += findings::kindId(static_cast<FindingKind>(i));
        const qsizetype index = ids.indexOf(value);
        if (index < 0)
            return refusal(at, Text(QT_TRANSLATE_NOOP("core", "unknown finding \"%1\"; there are %2"), value,
                                    ids.join(QStringLiteral(", "))));
        rule.finding = static_cast<FindingKind>(index);
        return {};
    }
    const auto limit = base::parseDuration(value);
    if (!limit)
        return refusal(at, limit.error().text);
    if (limit->count() <= 0)
        return refusal(at, Text(QT_TRANSLATE_NOOP("core", "the time must be longer than zero")));
    rule.limit = *limit;
    return {};
}

} // namespace

base::Result<AlertRule> parseAlertRule(const QString &text)
{
    static const QRegularExpression parts(QStringLiteral("^\\s*([^\\s=]*)(=(\\S*))?\\s*(.*?)\\s*$"),
                                          QRegularExpression::DotMatchesEverythingOption);
    const auto found = parts.match(text);
    const QString name = found.captured(1);
    const auto *form = std::ranges::find_if(forms, [&](const Form &each) { return name == QLatin1String(each.name); });
    if (form == forms.end()) {
        QStringList names;
        for (const Form &each : forms)
            names += QLatin1String(each.name);
        return refusal(found.capturedStart(1), Text(QT_TRANSLATE_NOOP("core", "unknown condition \"%1\"; there are %2"),
                                                    name, names.join(QStringLiteral(", "))));
    }
    AlertRule rule;
    rule.text = text.trimmed();
    rule.condition = form->condition;
    const bool hasValue = found.capturedStart(2) >= 0;
    if (hasValue && form->value == Form::Value::None)
        return refusal(found.capturedStart(2), Text(QT_TRANSLATE_NOOP("core", "%1 takes no value"), name));
    if (!hasValue && form->value == Form::Value::Required)
        return refusal(
            found.capturedEnd(1),
            Text(QT_TRANSLATE_NOOP("core", "%1 needs a value, such as %2"), name,
                 QLatin1String(rule.condition == Condition::Finding ? "finding=no-fencing" : "older-than=20m")));
    if (hasValue) {
        if (const auto read = readValue(rule, found.captured(3), found.capturedStart(3)); !read)
            return base::failure(read.error());
    }
    const QString glob = found.captured(4);
    if (rule.condition == Condition::Blind && !glob.isEmpty())
        return refusal(found.capturedStart(4),
                       Text(QT_TRANSLATE_NOOP("core", "blind is about the whole server and takes no pattern")));
    rule.glob = base::Glob(glob.toUtf8());
    return rule;
}

} // namespace latchkey::alerts

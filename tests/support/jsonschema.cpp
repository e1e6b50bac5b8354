#include "tests/support/jsonschema.h"

#include <QJsonArray>

#include <algorithm>
#include <cmath>

namespace latchkey::test {

namespace {

/// Returns whether the keyword is checked, or only describes.
bool isKnownKeyword(const QString &keyword)
{
    static const QSet<QString> known {
        QStringLiteral("$schema"),   QStringLiteral("$defs"),      QStringLiteral("$ref"),
        QStringLiteral("title"),     QStringLiteral("type"),       QStringLiteral("enum"),
        QStringLiteral("oneOf"),     QStringLiteral("properties"), QStringLiteral("description"),
        QStringLiteral("anyOf"),     QStringLiteral("required"),   QStringLiteral("additionalProperties"),
        QStringLiteral("items"),     QStringLiteral("minimum"),    QStringLiteral("maximum"),
        QStringLiteral("deprecated")};
    return known.contains(keyword);
}

bool hasType(const QJsonValue &value, const QString &type)
{
    if (type == u"integer")
        return value.isDouble() && value.toDouble() == std::floor(value.toDouble());
    return (type == u"null" && value.isNull()) || (type == u"string" && value.isString())
        || (type == u"number" && value.isDouble()) || (type == u"boolean" && value.isBool())
        || (type == u"array" && value.isArray()) || (type == u"object" && value.isObject());
}

bool hasOneType(const QJsonValue &value, const QJsonValue &types)
{
    if (types.isString())
        return hasType(value, types.toString());
    const QJsonArray all = types.toArray();
    return std::ranges::any_of(all, [&](const QJsonValue &type) { return hasType(value, type.toString()); });
}

/// Appends the places of the members that a part of a schema describes.
void collectMembers(const QJsonValue &part, const QString &place, QStringList &members)
{
    const QJsonArray alternatives = part.toArray();
    for (qsizetype i = 0; i < alternatives.size(); ++i)
        collectMembers(alternatives[i], place + u'/' + QString::number(i), members);
    const QJsonObject object = part.toObject();
    const QJsonValue properties = object[QStringLiteral("properties")];
    for (auto member = object.begin(); member != object.end(); ++member)
        collectMembers(member.value(), place + u'/' + member.key(), members);
    if (!properties.isObject() || place.endsWith(QStringLiteral("/properties")))
        return;
    for (const QString &name : properties.toObject().keys())
        members += place + QStringLiteral("/properties/") + name;
}

QJsonValue withoutMember(const QJsonValue &value, const QStringList &steps)
{
    if (value.isArray()) {
        QJsonArray array = value.toArray();
        array[steps.front().toInt()] = withoutMember(array[steps.front().toInt()], steps.sliced(1));
        return array;
    }
    QJsonObject object = value.toObject();
    if (steps.size() == 1)
        object.remove(steps.front());
    else
        object[steps.front()] = withoutMember(object[steps.front()], steps.sliced(1));
    return object;
}

} // namespace

QStringList JsonSchema::violationsIn(const QJsonValue &value) const
{
    return check(m_schema, value, QString());
}

QStringList JsonSchema::members() const
{
    QStringList members;
    collectMembers(m_schema, QString(), members);
    return members;
}

JsonSchema JsonSchema::without(const QString &member) const
{
    return JsonSchema(withoutMember(m_schema, member.split(u'/').sliced(1)).toObject());
}

QStringList JsonSchema::check(const QJsonObject &schema, const QJsonValue &value, const QString &place) const
{
    QStringList violations;
    for (const QString &keyword : schema.keys()) {
        if (!isKnownKeyword(keyword))
            qFatal("unknown keyword of JSON Schema: %s", qPrintable(keyword));
    }
    if (const QString name = schema[QStringLiteral("$ref")].toString(); !name.isEmpty()) {
        const QJsonValue named = m_schema[QStringLiteral("$defs")][name.section(u'/', -1)];
        if (!name.startsWith(QStringLiteral("#/$defs/")) || !named.isObject())
            qFatal("no such definition in the schema: %s", qPrintable(name));
        violations += check(named.toObject(), value, place);
    }
    if (const QJsonValue types = schema[QStringLiteral("type")]; !types.isUndefined() && !hasOneType(value, types))
        violations += place + QStringLiteral(": wrong type");
    const QJsonValue values = schema[QStringLiteral("enum")];
    if (!values.isUndefined() && !values.toArray().contains(value))
        violations += place + QStringLiteral(": unknown value ") + value.toVariant().toString();
    const QJsonValue minimum = schema[QStringLiteral("minimum")];
    if (minimum.isDouble() && value.isDouble() && value.toDouble() < minimum.toDouble())
        violations += place + QStringLiteral(": below the minimum");
    const QJsonValue maximum = schema[QStringLiteral("maximum")];
    if (maximum.isDouble() && value.isDouble() && value.toDouble() > maximum.toDouble())
        violations += place + QStringLiteral(": above the maximum");
    if (value.isObject())
        violations += checkMembers(schema, value.toObject(), place);
    if (const QJsonValue items = schema[QStringLiteral("items")]; items.isObject() && value.isArray()) {
        for (const QJsonValue &item : value.toArray())
            violations += check(items.toObject(), item, place + QStringLiteral("/item"));
    }
    return violations + checkAlternatives(schema, value, place);
}

QStringList JsonSchema::checkMembers(const QJsonObject &schema, const QJsonObject &value, const QString &place) const
{
    QStringList violations;
    const QJsonObject properties = schema[QStringLiteral("properties")].toObject();
    const QJsonValue others = schema[QStringLiteral("additionalProperties")];
    for (auto member = value.begin(); member != value.end(); ++member) {
        const QString where = place + u'/' + member.key();
        if (properties.contains(member.key()))
            violations += check(properties[member.key()].toObject(), member.value(), where);
        else if (others.isObject())
            violations += check(others.toObject(), member.value(), where);
        else if (others.isBool() && !others.toBool())
            violations += where + QStringLiteral(": not described");
    }
    for (const QJsonValue &name : schema[QStringLiteral("required")].toArray()) {
        if (!value.contains(name.toString()))
            violations += place + u'/' + name.toString() + QStringLiteral(": missing");
    }
    return violations;
}

QStringList JsonSchema::checkAlternatives(const QJsonObject &schema, const QJsonValue &value,
                                          const QString &place) const
{
    for (const QLatin1String keyword : {QLatin1String("oneOf"), QLatin1String("anyOf")}) {
        if (!schema.contains(keyword))
            continue;
        qsizetype fitting = 0;
        QStringList nearest;
        for (const QJsonValue &alternative : schema[keyword].toArray()) {
            const QStringList violations = check(alternative.toObject(), value, place);
            fitting += violations.isEmpty() ? 1 : 0;
            if (nearest.isEmpty() || violations.size() < nearest.size())
                nearest = violations;
        }
        if (fitting == 0)
            return nearest;
        if (fitting > 1 && keyword == QLatin1String("oneOf"))
            return {place + QStringLiteral(": more than one alternative")};
    }
    return {};
}

} // namespace latchkey::test

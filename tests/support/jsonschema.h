#pragma once

#include <QJsonObject>
#include <QSet>
#include <QStringList>

namespace latchkey::test {

/// A JSON Schema of draft 2020-12, limited to the keywords of resources/manual/schemas: type, enum, properties,
/// required, additionalProperties, items, oneOf, anyOf, $ref to $defs, and minimum. Aborts the test program on another
/// keyword, so that no keyword is ignored.
class JsonSchema final
{
public:
    explicit JsonSchema(QJsonObject schema)
        : m_schema(std::move(schema))
    {}

    /// Returns the violations of the schema, each with its place in the value. Empty for a valid value.
    [[nodiscard]] QStringList violationsIn(const QJsonValue &value) const;
    /// Returns the places of all members that the schema describes, such as `/properties/key`.
    [[nodiscard]] QStringList members() const;
    /// Returns the schema without the member at a place that members() returned.
    [[nodiscard]] JsonSchema without(const QString &member) const;

private:
    [[nodiscard]] QStringList check(const QJsonObject &schema, const QJsonValue &value, const QString &place) const;
    [[nodiscard]] QStringList checkMembers(const QJsonObject &schema, const QJsonObject &value,
                                           const QString &place) const;
    [[nodiscard]] QStringList checkAlternatives(const QJsonObject &schema, const QJsonValue &value,
                                                const QString &place) const;

    QJsonObject m_schema;
};

} // namespace latchkey::test

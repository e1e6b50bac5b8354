#pragma once

#include "core/redis/exchange/step.h"

#include <QByteArray>

#include <optional>
#include <variant>
#include <vector>

namespace latchkey::caches {

/// A field of a hash and its value. Both are bytes, and may be empty.
struct Field
{
    QByteArray name;
    QByteArray value;

    friend bool operator==(const Field &, const Field &) = default;
};

/// Fields in writing order. A repeated name keeps its last value.
using Fields = std::vector<Field>;

/// The content of a cached key: one value, or the fields of a hash, as the recipe requires. A value type.
class Content final
{
public:
    [[nodiscard]] static Content ofValue(QByteArray value) { return Content(std::move(value)); }
    [[nodiscard]] static Content ofFields(Fields fields) { return Content(std::move(fields)); }

    [[nodiscard]] bool hasFields() const { return std::holds_alternative<Fields>(m_content); }
    /// Returns the value; requires hasFields() to be false.
    [[nodiscard]] const QByteArray &value() const { return std::get<QByteArray>(m_content); }
    /// Returns the fields; requires hasFields() to be true.
    [[nodiscard]] const Fields &fields() const { return std::get<Fields>(m_content); }

    friend bool operator==(const Content &, const Content &) = default;

private:
    explicit Content(QByteArray value)
        : m_content(std::move(value))
    {}
    explicit Content(Fields fields)
        : m_content(std::move(fields))
    {}

    std::variant<QByteArray, Fields> m_content;
};

/// The result of a read.
struct Found
{
    std::optional<Content> content; ///< Absent: a miss. The key does not exist or has expired.

    [[nodiscard]] bool isHit() const { return content.has_value(); }
    [[nodiscard]] static Found miss() { return {}; }

    friend bool operator==(const Found &, const Found &) = default;
};

// Conversions between content and commands or replies, shared by the recipes.

/// Returns the value, for recipes with one value. Ends the exchange with a Usage error if the content is fields.
[[nodiscard]] const QByteArray &valueIn(const Content &content);

/// Returns the fields, for recipes with a hash. Ends the exchange with a Usage error if the content is a single value.
[[nodiscard]] const Fields &fieldsIn(const Content &content);

/// Returns `field value field value …`, the arguments of HSET.
[[nodiscard]] std::vector<QByteArray> wordsOf(const Fields &fields);

/// Returns `HSET key field value …` with all fields, which the server executes atomically. Requires at least one field.
[[nodiscard]] resp::Command hsetOf(const base::Key &key, const Fields &fields);

/// Converts the reply to GET: a value, or a miss if nil.
[[nodiscard]] Found foundValue(const resp::Reply &reply);

/// Converts the reply to HGETALL: fields, or a miss if empty, since a hash without fields does not exist.
[[nodiscard]] Found foundFields(const resp::Reply &reply);

} // namespace latchkey::caches

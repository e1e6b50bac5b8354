#pragma once

#include "core/exchange/step.h"

#include <QByteArray>

#include <optional>
#include <variant>
#include <vector>

namespace latchkey::caches {

/// One field of a hash and its value. Both are bytes, and may be empty.
struct Field
{
    QByteArray name;
    QByteArray value;

    friend bool operator==(const Field &, const Field &) = default;
};

/// In the order in which they are written; a name that occurs twice keeps its last value.
using Fields = std::vector<Field>;

/// What a cache holds under its key: one value, or the fields of a hash. Which of the two is the recipe's.
/// A value type.
class Content final
{
public:
    [[nodiscard]] static Content ofValue(QByteArray value) { return Content(std::move(value)); }
    [[nodiscard]] static Content ofFields(Fields fields) { return Content(std::move(fields)); }

    [[nodiscard]] bool hasFields() const { return std::holds_alternative<Fields>(m_content); }
    /// Where hasFields() is false.
    [[nodiscard]] const QByteArray &value() const { return std::get<QByteArray>(m_content); }
    /// Where hasFields() is true.
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

/// What a read found.
struct Found
{
    std::optional<Content> content; ///< Absent: a miss. The key is missing, or its lifetime is over.

    [[nodiscard]] bool isHit() const { return content.has_value(); }
    [[nodiscard]] static Found miss() { return {}; }

    friend bool operator==(const Found &, const Found &) = default;
};

// What recipes have in common when they turn content into commands and replies into content.

/// The value, for recipes that hold one. Ends the exchange with a Usage error where fields were given.
[[nodiscard]] const QByteArray &valueIn(const Content &content);

/// The fields, for recipes that hold a hash. Ends the exchange with a Usage error where a single value was given.
[[nodiscard]] const Fields &fieldsIn(const Content &content);

/// `field value field value …`, as HSET takes them.
[[nodiscard]] std::vector<QByteArray> wordsOf(const Fields &fields);

/// `HSET key field value …` with all of them, which the server carries out as one step. At least one field.
[[nodiscard]] resp::Command hsetOf(const base::Key &key, const Fields &fields);

/// GET's reply: a value, or a miss where it is nil.
[[nodiscard]] Found foundValue(const resp::Reply &reply);

/// HGETALL's reply: fields, or a miss where there are none, since a hash without fields does not exist.
[[nodiscard]] Found foundFields(const resp::Reply &reply);

} // namespace latchkey::caches

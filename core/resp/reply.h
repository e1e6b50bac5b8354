#pragma once

#include "core/base/bytes.h"

#include <QByteArray>

#include <vector>

namespace latchkey::resp {

/// One answer of a server, as a value.
///
/// RESP2 has five shapes; a null bulk string and a null array are both Nil. A reader asks for the shape it expects and
/// gets that or nothing: integer() of a bulk string is not zero but absent, so a server that answers something else
/// than documented is noticed.
/// The codec makes them; the caller owns them.
class Reply final
{
public:
    enum class Kind : quint8 { Nil, Status, Error, Integer, Bulk, Array };

    Reply() = default;

    [[nodiscard]] static Reply nil() { return {}; }
    [[nodiscard]] static Reply status(QByteArray text) { return {Kind::Status, 0, std::move(text)}; }
    [[nodiscard]] static Reply error(QByteArray text) { return {Kind::Error, 0, std::move(text)}; }
    [[nodiscard]] static Reply integer(qint64 value) { return {Kind::Integer, value, {}}; }
    [[nodiscard]] static Reply bulk(QByteArray bytes) { return {Kind::Bulk, 0, std::move(bytes)}; }
    [[nodiscard]] static Reply array(std::vector<Reply> elements);

    [[nodiscard]] Kind kind() const { return m_kind; }
    [[nodiscard]] bool isNil() const { return m_kind == Kind::Nil; }
    [[nodiscard]] bool isError() const { return m_kind == Kind::Error; }
    [[nodiscard]] bool isArray() const { return m_kind == Kind::Array; }
    [[nodiscard]] bool isBulk() const { return m_kind == Kind::Bulk; }
    [[nodiscard]] bool isInteger() const { return m_kind == Kind::Integer; }
    /// The status `OK`, which is how most writing commands say yes.
    [[nodiscard]] bool isOk() const { return m_kind == Kind::Status && m_text == "OK"; }
    /// The integer wanted, and no other answer.
    [[nodiscard]] bool isInteger(qint64 wanted) const { return m_kind == Kind::Integer && m_integer == wanted; }
    /// A bulk string of exactly these bytes.
    [[nodiscard]] bool isBulk(const QByteArray &wanted) const { return m_kind == Kind::Bulk && m_text == wanted; }

    /// The value of an Integer, 0 for anything else: ask isInteger() first where 0 has a meaning.
    [[nodiscard]] qint64 toInteger() const { return m_integer; }
    /// The bytes of a Bulk, Status or Error; empty for anything else.
    [[nodiscard]] const QByteArray &bytes() const { return m_text; }
    [[nodiscard]] QByteArray takeBytes() { return std::move(m_text); }
    /// The elements of an Array; empty for anything else.
    [[nodiscard]] const std::vector<Reply> &elements() const { return m_elements; }
    [[nodiscard]] std::vector<Reply> takeElements() { return std::move(m_elements); }

    /// As redis-cli would print it, on one line and cut where it is long: for transcripts, logs and failed tests.
    [[nodiscard]] QString toText() const;

    friend bool operator==(const Reply &, const Reply &) = default;

private:
    friend class ReplyBuilder;

    Reply(Kind kind, qint64 integer, QByteArray text)
        : m_kind(kind)
        , m_integer(integer)
        , m_text(std::move(text))
    {}

    Kind m_kind = Kind::Nil;
    qint64 m_integer = 0;
    QByteArray m_text;
    std::vector<Reply> m_elements;
};

using Replies = std::vector<Reply>;

} // namespace latchkey::resp

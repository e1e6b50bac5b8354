#pragma once

#include "core/foundation/base/bytes.h"

#include <QByteArray>

#include <vector>

namespace latchkey::resp {

/// A reply of a server, as a value.
///
/// RESP2 has five kinds; a null bulk string and a null array are both Nil. A reader checks for the kind that it
/// expects, so that an undocumented reply is noticed. Created by the codec; owned by the caller.
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
    /// Returns whether this is the status `OK`, the usual reply to writing commands.
    [[nodiscard]] bool isOk() const { return m_kind == Kind::Status && m_text == "OK"; }
    /// Returns whether this is exactly the wanted integer.
    [[nodiscard]] bool isInteger(qint64 wanted) const { return m_kind == Kind::Integer && m_integer == wanted; }
    /// Returns whether this is a bulk string of exactly these bytes.
    [[nodiscard]] bool isBulk(const QByteArray &wanted) const { return m_kind == Kind::Bulk && m_text == wanted; }

    /// Returns the value of an Integer; 0 for any other kind. If 0 is a possible value, check isInteger() first.
    [[nodiscard]] qint64 toInteger() const { return m_integer; }
    /// Returns the bytes of a Bulk, Status or Error; empty for any other kind.
    [[nodiscard]] const QByteArray &bytes() const { return m_text; }
    [[nodiscard]] QByteArray takeBytes() { return std::move(m_text); }
    /// Returns the elements of an Array; empty for any other kind.
    [[nodiscard]] const std::vector<Reply> &elements() const { return m_elements; }
    [[nodiscard]] std::vector<Reply> takeElements() { return std::move(m_elements); }

    /// Returns the reply as redis-cli would print it, on one line and cut if it is long: for transcripts, logs and
    /// failed tests.
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

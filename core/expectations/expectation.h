#pragma once

#include "core/base/error.h"
#include "core/keys/glob.h"

#include <chrono>
#include <vector>

namespace latchkey::expectations {

/// What somebody expects of a key, or of all keys that match a pattern: the sentence that they wrote, taken apart.
///
///     KEY gone between 1s and 2s [after writing]
///     KEY exists until 5s [after writing]
///     KEY renewed at least every 10s
///     KEY never without expiry
///
/// Times count from when the key appears; of one that is there from the start, which was written nobody knows when,
/// from the first look. `after writing` asks for more: only a key whose writing was seen is judged, and one that is
/// written again counts anew. A value; it knows no server. What becomes of it is a KeyJudge's to say.
struct Expectation
{
    enum class Kind : quint8 {
        Gone,     ///< It ends between \a from and \a until.
        Exists,   ///< It is there until \a until, at least.
        Renewed,  ///< No more than \a until passes between a renewal and the next.
        Expiring, ///< It has an expiry whenever it is there.
    };

    QString text; ///< As it was written, without blanks around it.
    Kind kind = Kind::Gone;
    QByteArray key; ///< Bytes of one key, or a pattern.
    bool isPattern = false;
    keys::Glob pattern; ///< Of a pattern only.
    std::chrono::milliseconds from {};
    std::chrono::milliseconds until {}; ///< Also how long a key has to be watched, at least, before it can hold.
    bool isAfterWriting = false;

    [[nodiscard]] bool matches(QByteArrayView candidate) const
    {
        return isPattern ? pattern.matches(candidate) : candidate == key;
    }

    friend bool operator==(const Expectation &, const Expectation &) = default;
};

/// More than these are too many to be watched together: each of their keys is looked at all the time.
constexpr std::size_t mostExpectations = 1000;

/// Reads one. With `*` or `?` in it KEY is a pattern for the whole key, in which [a-z] is a set; else it is a key,
/// which may have blanks in it, and anything else as base::printable() writes it. A time is a whole or decimal number
/// and one of the units ms, s, m, h and d; the first of two may leave its unit to the second. Error (Usage): what is
/// wrong, and at which character, from 1.
[[nodiscard]] base::Result<Expectation> parseExpectation(const QString &text);

/// Reads a file of them: one in a line, without those that are empty or begin with `#`. name: for complaints.
/// Error (Usage): `name:line: at character 8: …`; also of a file that has none, or more than mostExpectations.
[[nodiscard]] base::Result<std::vector<Expectation>> parseExpectations(const QString &name, const QByteArray &contents);

/// An argument or a line as text: UTF-8 as it is, and what is not UTF-8 as base::printable() writes it.
[[nodiscard]] QString textOf(const QByteArray &bytes);

} // namespace latchkey::expectations

#pragma once

#include "core/foundation/base/error.h"
#include "core/foundation/base/glob.h"

#include <chrono>
#include <vector>

namespace latchkey::expectations {

/// A parsed expectation about a key, or about all keys that match a pattern.
///
///     KEY gone between 1s and 2s [after writing]
///     KEY exists until 5s [after writing]
///     KEY renewed at least every 10s
///     KEY never without expiry
///
/// Times count from the appearance of the key. If the key exists at the start, times count from the first read. `after
/// writing` is stricter: only a key whose write was observed is evaluated, and a new write restarts the times. A value
/// type. An ExpectationEvaluator evaluates it.
struct Expectation
{
    enum class Kind : quint8 {
        Gone,     ///< The key ends between `from` and `until`.
        Exists,   ///< The key exists at least until `until`.
        Renewed,  ///< At most `until` passes between two renewals.
        Expiring, ///< The key has an expiry whenever it exists.
    };

    QString text; ///< The original text, trimmed.
    Kind kind = Kind::Gone;
    QByteArray key; ///< Bytes of one key, or a pattern.
    bool isPattern = false;
    base::Glob pattern; ///< Only for a pattern.
    std::chrono::milliseconds from {};
    /// Gone: the latest end. Exists: the time until which the key exists. Renewed: the longest time between two
    /// renewals.
    std::chrono::milliseconds until {};
    bool isAfterWriting = false;

    [[nodiscard]] bool matches(QByteArrayView candidate) const
    {
        return isPattern ? pattern.matches(candidate) : candidate == key;
    }

    friend bool operator==(const Expectation &, const Expectation &) = default;
};

/// Maximum number of expectations in one run, because their keys are polled continuously.
constexpr std::size_t maxExpectations = 1000;

/// Parses an expectation. With `*` or `?`, KEY is a pattern for the whole key, in which [a-z] is a set. Otherwise KEY
/// is one key; `\*`, `\?`, `\[` and `\]` stand for the characters themselves. KEY may contain blanks; other bytes are
/// written as by base::printable(). A time is a whole or decimal number and a unit: ms, s, m, h or d. The first of two
/// times may omit its unit. Error (Usage): the fault and its character, counted from 1.
[[nodiscard]] base::Result<Expectation> parseExpectation(const QString &text);

/// Parses a file of expectations, one per line. Empty lines and lines that begin with `#` are skipped. `name`: file
/// name in messages. Error (Usage): `name:line: at character 8: …`; also for a file without expectations, or with more
/// than maxExpectations.
[[nodiscard]] base::Result<std::vector<Expectation>> parseExpectations(const QString &name, const QByteArray &contents);

/// Converts an argument or a line to text: UTF-8 unchanged, anything else as by base::printable().
[[nodiscard]] QString textOf(const QByteArray &bytes);

} // namespace latchkey::expectations

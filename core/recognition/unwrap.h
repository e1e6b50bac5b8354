#pragma once

#include <QByteArray>

namespace latchkey::recognition {

/// A value without what a serializer has put round it. A value type.
struct Unwrapped
{
    QByteArray bytes;
    QByteArray wrapper; ///< `java`, `json`, `php`, `igbinary`, `pickle`, `marshal`; empty: there was none.

    friend bool operator==(const Unwrapped &, const Unwrapped &) = default;
};

/// Takes off the wrapper that a client library may have put round a text or a number: Java serialization, JSON's
/// quotes, PHP's serialize() and igbinary, Python's pickle, Ruby's Marshal. What is wrapped in any other way, or is cut
/// or damaged, is left as it is. It reads what a server sent, so it trusts no length in it.
[[nodiscard]] Unwrapped unwrap(const QByteArray &bytes);

} // namespace latchkey::recognition

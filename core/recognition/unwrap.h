#pragma once

#include <QByteArray>

namespace latchkey::recognition {

/// A value without its serializer's wrapper. A value type.
struct Unwrapped
{
    QByteArray bytes;
    QByteArray wrapper; ///< `java`, `json`, `php`, `igbinary`, `pickle`, `marshal`; empty: there was none.

    friend bool operator==(const Unwrapped &, const Unwrapped &) = default;
};

/// Removes a client library's wrapper from a text or a number: Java serialization, JSON quotes, PHP serialize() and
/// igbinary, Python pickle, Ruby Marshal. A value with another wrapper, or a cut or damaged one, is returned unchanged.
/// It trusts no length in the data, which comes from a server.
[[nodiscard]] Unwrapped unwrap(const QByteArray &bytes);

} // namespace latchkey::recognition

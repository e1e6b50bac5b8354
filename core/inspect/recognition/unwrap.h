#pragma once

#include <QByteArray>

namespace latchkey::recognition {

/// A value without its serializer's wrapper. A value type.
struct UnwrappedValue
{
    QByteArray bytes;
    QByteArray wrapper; ///< `java`, `json`, `php`, `igbinary`, `pickle`, `marshal`; empty without a wrapper.

    friend bool operator==(const UnwrappedValue &, const UnwrappedValue &) = default;
};

/// Removes a client library's wrapper from a text or a number: Java serialization, JSON quotes, PHP serialize() and
/// igbinary, Python pickle, Ruby Marshal. A value of more than 4096 bytes, with another wrapper, or with a truncated or
/// damaged one is returned unchanged. No length in the data is trusted, because the data come from a server.
[[nodiscard]] UnwrappedValue unwrap(const QByteArray &bytes);

} // namespace latchkey::recognition

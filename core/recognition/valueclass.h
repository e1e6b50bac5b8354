#pragma once

#include <QByteArrayView>
#include <QString>

namespace latchkey::recognition {

/// What a string value looks like, as far as that says something about who wrote it.
enum class ValueClass : quint8 {
    Other,
    Constant,    ///< One of the words that textbooks write into locks: 1, lock, locked, true …
    UnixSeconds, ///< A date between 2014 and 2033.
    Hex32,       ///< 32 lower-case hexadecimal digits: 128 bits.
    Uuid,        ///< With dashes.
};

[[nodiscard]] ValueClass classify(QByteArrayView value);

/// The class in words, as evidence: "the value is …".
[[nodiscard]] QString describe(ValueClass valueClass);

} // namespace latchkey::recognition

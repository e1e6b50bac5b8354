#pragma once

#include <QString>

// Commands and replies in a readable form.

namespace latchkey::sequence {

/// Replaces each long number by `…`: six or more decimal digits, 24 or more hexadecimal digits. Repetitions of a
/// command differ only in such numbers, which are times or random values.
[[nodiscard]] QString shapeOf(const QString &text);

/// Shortens tokens and script digests (32 to 40 hexadecimal digits) to their first eight digits.
[[nodiscard]] QString withShortHex(QString text);

/// Shortens a command to this number of letters, if possible. The longest words lose their middle. The command and the
/// options (`NX PX 5000`) stay, and the key is shortened last.
[[nodiscard]] QString fitted(const QString &command, qsizetype letters);

} // namespace latchkey::sequence

#pragma once

#include <QString>

// What clients and servers say to each other, as people want to read it.

namespace latchkey::sequence {

/// The command or reply with each run of six digits and more, and of 24 hexadecimal digits and more, replaced by a
/// sign: what a client says again differs in nothing but clocks and chance.
[[nodiscard]] QString shapeOf(const QString &text);

/// The text with tokens and digests of scripts, 32 to 40 hexadecimal digits, cut to their first eight.
[[nodiscard]] QString withShortHex(QString text);

/// A command in no more than so many letters, where that can be: its longest words lose their middles, and what it
/// does, to which key, and how (`NX PX 5000`) stays.
[[nodiscard]] QString fitted(const QString &command, qsizetype letters);

} // namespace latchkey::sequence

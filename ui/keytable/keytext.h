#pragma once

#include "core/keys/facts.h"
#include "core/keys/fieldends.h"
#include "core/keys/rawvalue.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QString>

// The words for keys: the one place that turns times, states and values into text for people.

namespace latchkey::ui::keytable {

/// The context in which these words are translated.
struct KeyText
{
    Q_DECLARE_TR_FUNCTIONS(KeyText)
};

/// How long a key has left: milliseconds below ten seconds ("7.342 s"), then seconds, then two units. "due" once its
/// deadline has passed and the server has not confirmed that it is gone.
[[nodiscard]] QString timeLeftText(const base::Deadline &deadline, keys::KeyState state, base::MonotonicTime now);

/// The same for a duration that is not negative.
[[nodiscard]] QString durationText(std::chrono::nanoseconds duration);
/// The same of a length that was measured, such as a lease: from 10 s on to the nearest second.
[[nodiscard]] QString lengthText(std::chrono::nanoseconds length);
/// "9 s to 11 s", or one length where both read the same.
[[nodiscard]] QString rangeText(std::chrono::nanoseconds least, std::chrono::nanoseconds most);

/// When a key ends, as a local time; with milliseconds where it is today. Empty without expiry.
[[nodiscard]] QString endText(const base::Deadline &deadline, base::MonotonicTime now, const QDateTime &wallNow);

/// The same as a sentence, for a key in that state; end: as endText() gives it.
[[nodiscard]] QString endSentence(const base::Deadline &deadline, keys::KeyState state, const QString &end);

/// How long the first field of a hash has left that has no time of its own: "field 7.342 s"; where a part of its fields
/// was asked, "field ≤ 7.342 s".
[[nodiscard]] QString firstFieldText(const keys::FieldEnds &ends, base::MonotonicTime now);

/// How many fields of a hash end by themselves, and how long the first has left: a sentence beside the key's own.
[[nodiscard]] QString fieldsSentence(const keys::FieldEnds &ends, base::MonotonicTime now);

/// The same for those who hear it, and whether the fields have rows below the key's.
[[nodiscard]] QString opensSentence(const keys::FieldEnds &ends, bool isOpen);

/// A field's name in one line, like a key; the empty one is named.
[[nodiscard]] QString fieldText(QByteArrayView name);

/// The same for those who hear it. text: as fieldText() gives it.
[[nodiscard]] QString fieldSentence(const QString &text);

/// What is not listed of a hash: fields that end later, and such as were not asked. At least one of the two.
[[nodiscard]] QString restText(qint64 moreEnding, qint64 unasked);

/// A key in one line: as base::printable() shows it, cut where nobody would read on. The empty key is named.
[[nodiscard]] QString keyText(QByteArrayView key, qsizetype longest = 600);

/// A group of keys by the prefix of their names, and what is in it.
[[nodiscard]] QString groupText(const QByteArray &prefix, int keys, int locks);

/// The same for those who hear it. text: as groupText() gives it.
[[nodiscard]] QString groupSentence(const QString &text, bool isFolded);

[[nodiscard]] QString typeText(keys::KeyType type);

/// A value in one line; collections with their number of elements in front. The one place that words a value.
[[nodiscard]] QString valueText(const keys::RawValue &value);

/// The kind of lock by its name; with a question mark where it may be another one. Empty for what is no lock.
[[nodiscard]] QString kindText(const keys::Facts &facts);

/// How often its holder has the lock: "× 3"; empty where that is once, or holders are counted instead.
[[nodiscard]] QString holdCountText(const keys::Facts &facts);

/// Who has the lock, in one line, and how often or how many they are; said where its kind does not record it.
[[nodiscard]] QString holderText(const keys::Facts &facts);

} // namespace latchkey::ui::keytable

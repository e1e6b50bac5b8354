#pragma once

#include "core/keyspace/keys/fielddeadlines.h"
#include "core/keyspace/keys/keyanalysis.h"
#include "core/keyspace/keys/rawvalue.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QString>

// The texts about keys. All conversions of times, states and values to display texts are here.

namespace latchkey::ui::keytable {

/// The translation context of these texts.
struct KeyText
{
    Q_DECLARE_TR_FUNCTIONS(KeyText)
};

/// Returns the remaining time of a key: milliseconds below ten seconds ("7.342 s"), then seconds, then two units.
/// Returns "due" after the deadline, until the server confirms that the key has ended.
[[nodiscard]] QString timeLeftText(const base::Deadline &deadline, keys::KeyState state, base::MonotonicTime now);

/// Returns a duration in the same format. `duration`: not negative.
[[nodiscard]] QString durationText(std::chrono::nanoseconds duration);
/// Returns a measured length, such as a lease, in the same format. From 10 s on, it is rounded to seconds.
[[nodiscard]] QString lengthText(std::chrono::nanoseconds length);
/// Returns a range, such as "9 s to 11 s". Returns one length if both have the same text.
[[nodiscard]] QString rangeText(std::chrono::nanoseconds minimum, std::chrono::nanoseconds maximum);

/// Returns the expiry of a key as local time, with milliseconds if it is today. Empty without expiry.
[[nodiscard]] QString endText(const base::Deadline &deadline, base::MonotonicTime now, const QDateTime &wallNow);

/// Returns the expiry as a sentence for a key in that state. `end`: result of endText().
[[nodiscard]] QString endSentence(const base::Deadline &deadline, keys::KeyState state, const QString &end);

/// Returns the remaining time of the first field of a hash without a TTL: "field 7.342 s". If only some fields were
/// queried, returns "field ≤ 7.342 s".
[[nodiscard]] QString firstFieldText(const keys::FieldDeadlines &ends, base::MonotonicTime now);

/// Returns a sentence with the number of expiring fields of a hash, and the remaining time of the first one. It
/// complements the sentence about the key.
[[nodiscard]] QString fieldsSentence(const keys::FieldDeadlines &ends, base::MonotonicTime now);

/// Returns the same sentence for screen readers, and states whether the fields have rows below the key.
[[nodiscard]] QString opensSentence(const keys::FieldDeadlines &ends, bool isOpen);

/// Returns the name of a field in one line. An empty name has its own text.
[[nodiscard]] QString fieldText(QByteArrayView name);

/// Returns the name of a field for screen readers. `text`: result of fieldText().
[[nodiscard]] QString fieldSentence(const QString &text);

/// Returns the note about fields of a hash that are not listed: fields that expire later, and fields that were not
/// queried. At least one number is positive.
[[nodiscard]] QString restText(qint64 moreEnding, qint64 unreadCount);

/// Returns a key in one line, as printed by base::printable(), cut after `longest` characters. An empty key has its own
/// text.
[[nodiscard]] QString keyText(QByteArrayView key, qsizetype longest = 600);

/// Returns the prefix of a group and the number of its keys and locks.
[[nodiscard]] QString groupText(const QByteArray &prefix, int keys, int locks);

/// Returns the same for screen readers. `text`: result of groupText().
[[nodiscard]] QString groupSentence(const QString &text, bool isCollapsed);

[[nodiscard]] QString typeText(keys::KeyType type);

/// Returns a value in one line. Collections start with the number of elements. All displayed values use this function.
[[nodiscard]] QString valueText(const keys::RawValue &value);

/// Returns the short name of the kind of a lock, which fits its column, with a question mark if another kind is
/// possible.
[[nodiscard]] QString shortKindText(const keys::KeyAnalysis &analysis);

/// Returns the name of the kind of a lock, with a question mark if another kind is possible. Empty if the key is no
/// lock.
[[nodiscard]] QString kindText(const keys::KeyAnalysis &analysis);

/// Returns the hold count of the holder: "× 3". Empty for a hold count of one, or if holders are counted instead.
[[nodiscard]] QString holdCountText(const keys::KeyAnalysis &analysis);

/// Returns the holder of a lock in one line. The line has the client with name and address, if known, and the holder
/// data in the value. It ends with the hold count or the number of holders. Returns a note if the kind does not record
/// a holder.
[[nodiscard]] QString holderText(const keys::KeyAnalysis &analysis);

} // namespace latchkey::ui::keytable

#include "ui/views/keytable/keytext.h"

#include "ui/views/keytable/kindtitle.h"

#include <QLocale>

#include <limits>

namespace latchkey::ui::keytable {

using base::Deadline;
using base::MonotonicTime;
using keys::KeyState;
using keys::KeyType;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

QString two(qint64 number)
{
    return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0'));
}

/// Returns the first elements of a collection: `a, b, c`, or `a: 1, b: 2` for pairs. An ellipsis is added if there are
/// more elements.
QString elementsText(const keys::RawValue &value)
{
    constexpr qsizetype maxShown = 4;
    constexpr qsizetype maxElementLength = 40;
    const int step = value.partsPerElement();
    const qsizetype shown = std::min(maxShown, value.elementsRead());
    QStringList elements;
    for (qsizetype i = 0; i < shown; ++i) {
        QString element = base::printable(value.parts[i * step], maxElementLength);
        if (step == 2)
            element += QStringLiteral(": ") + base::printable(value.parts[i * step + 1], maxElementLength);
        elements += element;
    }
    if (value.size > shown)
        elements += QString(QChar(u'\u2026'));
    return elements.join(QStringLiteral(", "));
}

QString withDoubt(const QString &title, const keys::KeyAnalysis &analysis)
{
    if (title.isEmpty() || analysis.kind.isEmpty() || analysis.isCertain)
        return title;
    return KeyText::tr("%1 ?", "a kind of lock that is likely, and not certain").arg(title);
}

/// Returns the client of the holder; empty if it is unknown.
QString clientOf(const keys::KeyAnalysis &analysis)
{
    constexpr qsizetype longest = 60;
    const QString name = base::printable(analysis.clientName, longest);
    const QString address = base::printable(analysis.clientAddress, longest);
    if (name.isEmpty() || address.isEmpty())
        return name + address;
    return KeyText::tr("%1 (%2)", "a client and its address").arg(name, address);
}

} // namespace

QString durationText(nanoseconds duration)
{
    const qint64 milliseconds = std::chrono::floor<std::chrono::milliseconds>(std::max(duration, 0ns)).count();
    const qint64 seconds = milliseconds / 1000;
    if (seconds < 10)
        return KeyText::tr("%1.%2 s").arg(seconds).arg(milliseconds % 1000, 3, 10, QLatin1Char('0'));
    if (seconds < 60)
        return KeyText::tr("%1 s").arg(seconds);
    if (seconds < 3600)
        return KeyText::tr("%1 min %2 s").arg(seconds / 60).arg(two(seconds % 60));
    if (seconds < 86'400)
        return KeyText::tr("%1 h %2 min").arg(seconds / 3600).arg(two(seconds / 60 % 60));
    const qint64 days = seconds / 86'400;
    if (days < 1000)
        return KeyText::tr("%1 d %2 h").arg(days).arg(two(seconds / 3600 % 24));
    return days < 36'500 ? KeyText::tr("%1 d").arg(QLocale().toString(days)) : KeyText::tr("> 100 years");
}

QString lengthText(nanoseconds length)
{
    // A measured length is slightly shorter than the requested one: a lease of 30 s measures 29.998 s at the first
    // read.
    return durationText(length < 10s ? length : nanoseconds(std::chrono::round<std::chrono::seconds>(length)));
}

QString rangeText(nanoseconds minimum, nanoseconds maximum)
{
    const QString from = lengthText(minimum);
    const QString to = lengthText(maximum);
    return from == to ? from : KeyText::tr("%1 to %2", "two lengths of time").arg(from, to);
}

QString timeLeftText(const Deadline &deadline, KeyState state, MonotonicTime now)
{
    switch (state) {
    case KeyState::Expired:
        return KeyText::tr("expired");
    case KeyState::Removed:
        return KeyText::tr("removed");
    case KeyState::Ended:
        return KeyText::tr("gone");
    case KeyState::Live:
        break;
    }
    const auto left = deadline.remaining(now);
    if (!left)
        return KeyText::tr("no expiry");
    return *left < 0ns ? KeyText::tr("due") : durationText(*left);
}

QString endText(const Deadline &deadline, MonotonicTime now, const QDateTime &wallNow)
{
    const auto left = deadline.remaining(now);
    if (!left)
        return {};
    const qint64 milliseconds = std::chrono::round<std::chrono::milliseconds>(*left).count();
    // A deadline cannot be later than the clock's 292 years.
    constexpr qint64 twoCenturies = 200LL * 365 * 86'400'000;
    if (milliseconds > twoCenturies)
        return KeyText::tr("in over 200 years");
    const QDateTime end = wallNow.addMSecs(milliseconds);
    if (end.date() == wallNow.date())
        return end.toString(QStringLiteral("HH:mm:ss.zzz"));
    return end.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString endSentence(const Deadline &deadline, KeyState state, const QString &end)
{
    switch (state) {
    case KeyState::Expired:
        return KeyText::tr("It expired");
    case KeyState::Removed:
        return KeyText::tr("It was removed before its expiry");
    case KeyState::Ended:
        return KeyText::tr("It is gone; the cause was not observed (expired or removed)");
    case KeyState::Live:
        break;
    }
    if (deadline.isNever())
        return KeyText::tr("No expiry");
    const auto uncertainty = std::chrono::ceil<std::chrono::milliseconds>(deadline.uncertainty());
    return KeyText::tr("Expires: %1, ±%Ln ms", nullptr, static_cast<int>(uncertainty.count())).arg(end);
}

QString firstFieldText(const keys::FieldDeadlines &ends, MonotonicTime now)
{
    const QString left = timeLeftText(ends.firstEnd(), KeyState::Live, now);
    return ends.isWhole
             ? KeyText::tr("field %1", "of a hash, and how long it has left").arg(left)
             : KeyText::tr("field ≤ %1", "of a hash of which a part was asked, and how long it has left").arg(left);
}

QString fieldsSentence(const keys::FieldDeadlines &ends, MonotonicTime now)
{
    const QString left = timeLeftText(ends.firstEnd(), KeyState::Live, now);
    const QString ending = QLocale().toString(ends.endingCount);
    if (!ends.isWhole)
        return KeyText::tr("%2 of %1 fields were checked; %3 expire, first: %4")
            .arg(QLocale().toString(ends.size), QLocale().toString(ends.readCount), ending, left);
    return ends.endingCount == 1 ? KeyText::tr("One field expires: %1").arg(left)
                                 : KeyText::tr("%1 fields expire, first: %2").arg(ending, left);
}

QString opensSentence(const keys::FieldDeadlines &ends, bool isOpen)
{
    const QString count = ends.endingCount == 1
                            ? KeyText::tr("1 field expires")
                            : KeyText::tr("%1 fields expire").arg(QLocale().toString(ends.endingCount));
    return isOpen ? KeyText::tr("%1; open", "how many fields of a key end, and that they are listed").arg(count)
                  : KeyText::tr("%1; closed", "how many fields of a key end, and that they are not listed").arg(count);
}

QString fieldText(QByteArrayView name)
{
    constexpr qsizetype longest = 600;
    return name.isEmpty() ? KeyText::tr("(empty name)", "of a field") : base::printable(name, longest);
}

QString fieldSentence(const QString &text)
{
    return KeyText::tr("Field: %1").arg(text);
}

QString restText(qint64 moreEnding, qint64 unreadCount)
{
    const QString ending = moreEnding == 1
                             ? KeyText::tr("1 more field expires later")
                             : KeyText::tr("%1 more fields expire later").arg(QLocale().toString(moreEnding));
    const QString notAsked = unreadCount == 1
                               ? KeyText::tr("1 field was not checked")
                               : KeyText::tr("%1 fields were not checked").arg(QLocale().toString(unreadCount));
    if (unreadCount == 0)
        return ending;
    return moreEnding == 0
             ? notAsked
             : KeyText::tr("%1; %2", "fields that end later, and fields that were not asked").arg(ending, notAsked);
}

QString keyText(QByteArrayView key, qsizetype longest)
{
    return key.isEmpty() ? KeyText::tr("(empty key)") : base::printable(key, longest);
}

QString groupText(const QByteArray &prefix, int keys, int locks)
{
    const QString name =
        prefix.isEmpty() ? KeyText::tr("without a prefix", "names of keys") : base::printable(prefix, 200);
    const QString keyCount = keys == 1 ? KeyText::tr("1 key") : KeyText::tr("%Ln keys", nullptr, keys);
    if (locks == 0)
        return KeyText::tr("%1   %2", "a group of keys, and how many they are").arg(name, keyCount);
    const QString lockCount = locks == 1 ? KeyText::tr("1 lock") : KeyText::tr("%Ln locks", nullptr, locks);
    return KeyText::tr("%1   %2, %3", "a group of keys, and how many keys and locks they are")
        .arg(name, keyCount, lockCount);
}

QString groupSentence(const QString &text, bool isCollapsed)
{
    return isCollapsed ? KeyText::tr("Group %1, folded").arg(text) : KeyText::tr("Group %1, unfolded").arg(text);
}

QString typeText(KeyType type)
{
    return keys::keyTypeName(type);
}

QString valueText(const keys::RawValue &value)
{
    constexpr qsizetype longest = 300;
    if (value.isLeftOut)
        return KeyText::tr("(left out of the recording)");
    if (value.type == KeyType::String) {
        if (value.size == 0)
            return KeyText::tr("(empty)");
        QString text = base::printable(value.bytes(), longest);
        if (!value.isWholeString() && !text.endsWith(QChar(u'\u2026')))
            text += QChar(u'\u2026');
        return text;
    }
    const QString elements = elementsText(value);
    const int size = static_cast<int>(std::min<qint64>(value.size, std::numeric_limits<int>::max()));
    switch (value.type) {
    case KeyType::Hash:
        return value.size == 1 ? KeyText::tr("1 field: %1").arg(elements)
                               : KeyText::tr("%Ln fields: %1", nullptr, size).arg(elements);
    case KeyType::Stream:
        return value.size == 1 ? KeyText::tr("1 entry") : KeyText::tr("%Ln entries", nullptr, size);
    case KeyType::List:
    case KeyType::Set:
    case KeyType::SortedSet:
    case KeyType::String:
    case KeyType::Other:
    case KeyType::Refused:
    case KeyType::Unknown:
        break;
    }
    return value.size == 1 ? KeyText::tr("1 element: %1").arg(elements)
                           : KeyText::tr("%Ln elements: %1", nullptr, size).arg(elements);
}

QString shortKindText(const keys::KeyAnalysis &analysis)
{
    return withDoubt(shortKindTitle(analysis), analysis);
}

QString kindText(const keys::KeyAnalysis &analysis)
{
    if (analysis.title.isEmpty())
        return {};
    return withDoubt(kindTitle(analysis), analysis);
}

QString holdCountText(const keys::KeyAnalysis &analysis)
{
    if (analysis.kind.isEmpty() || !analysis.isHolderRecorded || analysis.holder.isEmpty() || analysis.count <= 1)
        return {};
    return KeyText::tr("\u00d7 %1", "how often a holder has the lock").arg(QLocale().toString(analysis.count));
}

QString holderText(const keys::KeyAnalysis &analysis)
{
    if (analysis.kind.isEmpty())
        return {};
    const QString client = clientOf(analysis);
    if (!analysis.isHolderRecorded)
        return client.isEmpty() ? KeyText::tr("not recorded") : client;
    if (analysis.holder.isEmpty())
        return analysis.count <= 1 ? QString() : KeyText::tr("%1 holders").arg(QLocale().toString(analysis.count));
    QString holder = keyText(analysis.holder, 120);
    if (!client.isEmpty())
        holder = analysis.holder == analysis.clientName || analysis.holder == analysis.clientAddress
                   ? client
                   : KeyText::tr("%1 · %2", "a client, and the token that it has written").arg(client, holder);
    const QString count = holdCountText(analysis);
    return count.isEmpty() ? holder : holder + u' ' + count;
}

} // namespace latchkey::ui::keytable

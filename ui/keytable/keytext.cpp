#include "ui/keytable/keytext.h"

#include "core/keyspace/valuepreviews.h"

#include <QCoreApplication>
#include <QLocale>

namespace latchkey::ui::keytable {

using base::Deadline;
using base::MonotonicTime;
using keys::KeyState;
using keys::KeyType;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

QString tr(const char *text, int n = -1)
{
    return QCoreApplication::translate("KeyText", text, nullptr, n);
}

QString two(qint64 number)
{
    return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0'));
}

} // namespace

QString durationText(nanoseconds duration)
{
    const qint64 milliseconds = std::chrono::floor<std::chrono::milliseconds>(std::max(duration, 0ns)).count();
    const qint64 seconds = milliseconds / 1000;
    if (seconds < 10)
        return tr("%1.%2 s").arg(seconds).arg(milliseconds % 1000, 3, 10, QLatin1Char('0'));
    if (seconds < 60)
        return tr("%1 s").arg(seconds);
    if (seconds < 3600)
        return tr("%1 min %2 s").arg(seconds / 60).arg(two(seconds % 60));
    if (seconds < 86'400)
        return tr("%1 h %2 min").arg(seconds / 3600).arg(two(seconds / 60 % 60));
    const qint64 days = seconds / 86'400;
    if (days < 1000)
        return tr("%1 d %2 h").arg(days).arg(two(seconds / 3600 % 24));
    return days < 36'500 ? tr("%1 d").arg(QLocale().toString(days)) : tr("> 100 years");
}

QString timeLeftText(const Deadline &deadline, KeyState state, MonotonicTime now)
{
    switch (state) {
    case KeyState::Expired:
        return tr("expired");
    case KeyState::Removed:
        return tr("removed");
    case KeyState::Live:
        break;
    }
    const auto left = deadline.remaining(now);
    if (!left)
        return tr("no expiry");
    return *left < 0ns ? tr("due") : durationText(*left);
}

QString endText(const Deadline &deadline, MonotonicTime now, const QDateTime &wallNow)
{
    const auto left = deadline.remaining(now);
    if (!left)
        return {};
    const qint64 milliseconds = std::chrono::round<std::chrono::milliseconds>(*left).count();
    // A deadline knows no end beyond the clock's 292 years.
    constexpr qint64 twoCenturies = 200LL * 365 * 86'400'000;
    if (milliseconds > twoCenturies)
        return tr("in over 200 years");
    const QDateTime end = wallNow.addMSecs(milliseconds);
    if (end.date() == wallNow.date())
        return end.toString(QStringLiteral("HH:mm:ss.zzz"));
    return end.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString typeText(KeyType type)
{
    return keyspace::keyTypeName(type);
}

QString valueText(const keys::ValuePreview &value, KeyType type)
{
    constexpr qsizetype longest = 300;
    if (value.isText) {
        if (value.size == 0)
            return tr("(empty)");
        QString text = base::printable(value.text, longest);
        if (value.size > value.text.size() && !text.endsWith(QChar(u'\u2026')))
            text += QChar(u'\u2026');
        return text;
    }
    const QString elements = QString::fromUtf8(value.text);
    const QString size = QLocale().toString(value.size);
    switch (type) {
    case KeyType::Hash:
        return value.size == 1 ? tr("1 field: %1").arg(elements) : tr("%1 fields: %2").arg(size, elements);
    case KeyType::Stream:
        return value.size == 1 ? tr("1 entry") : tr("%1 entries").arg(size);
    case KeyType::List:
    case KeyType::Set:
    case KeyType::SortedSet:
    case KeyType::String:
    case KeyType::Other:
    case KeyType::Unknown:
        break;
    }
    return value.size == 1 ? tr("1 element: %1").arg(elements) : tr("%1 elements: %2").arg(size, elements);
}

QString sizeText(qint64 bytes)
{
    return QLocale().formattedDataSize(bytes, bytes < 1024 ? 0 : 1);
}

} // namespace latchkey::ui::keytable

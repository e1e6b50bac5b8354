#include "core/foundation/base/duration.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QLocale>

#include <algorithm>
#include <array>
#include <limits>

namespace latchkey::base {

namespace {

struct Unit
{
    QLatin1String name;
    qint64 milliseconds = 0;
};

// In descending order, so that formatting finds the shortest text first.
constexpr std::array units {
    Unit {QLatin1String("d"), 86'400'000}, Unit {QLatin1String("h"), 3'600'000}, Unit {QLatin1String("m"), 60'000},
    Unit {QLatin1String("s"), 1'000},      Unit {QLatin1String("ms"), 1},
};

} // namespace

Result<std::chrono::milliseconds> parseDuration(QStringView text)
{
    const QString quoted = QLatin1Char('"') + text.toString() + QLatin1Char('"');
    qsizetype digits = 0;
    while (digits < text.size() && (text[digits].isDigit() || (digits == 0 && text[0] == u'-')))
        ++digits;
    bool isNumber = false;
    const qint64 number = text.first(digits).toLongLong(&isNumber);
    if (!isNumber) {
        const bool overflow = digits > 18;
        return failure(
            ErrorKind::Usage,
            overflow ? Text(QT_TRANSLATE_NOOP("core", "the duration %1 is too large"), quoted)
                     : Text(QT_TRANSLATE_NOOP("core", "%1 is not a duration; write it like 500ms, 5s or 2m"), quoted));
    }

    const QStringView unitText = text.sliced(digits);
    if (unitText.isEmpty())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the duration %1 lacks a unit; write %2ms or %2s"),
                       quoted, number > 0 ? text.toString() : QStringLiteral("5"));
    if (unitText.front() == u'.' || unitText.front() == u',')
        return failure(
            ErrorKind::Usage,
            QT_TRANSLATE_NOOP("core", "the duration %1 is no whole number; write it in a smaller unit, as 1500ms"),
            quoted);
    for (const Unit &unit : units) {
        if (unitText != unit.name)
            continue;
        if (number > std::numeric_limits<qint64>::max() / unit.milliseconds
            || number < std::numeric_limits<qint64>::min() / unit.milliseconds)
            return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the duration %1 is too large"), quoted);
        return std::chrono::milliseconds(number * unit.milliseconds);
    }
    return failure(ErrorKind::Usage,
                   QT_TRANSLATE_NOOP("core", "unknown unit \"%1\" in the duration %2; the units are ms, s, m, h and d"),
                   unitText.toString(), quoted);
}

QString displayDuration(std::chrono::nanoseconds duration)
{
    const auto milliseconds =
        std::chrono::round<std::chrono::milliseconds>(std::max(duration, std::chrono::nanoseconds(0))).count();
    const auto seconds = milliseconds / 1000;
    if (seconds < 10)
        return QCoreApplication::translate("core", "%1.%2 s")
            .arg(seconds)
            .arg(milliseconds % 1000, 3, 10, QLatin1Char('0'));
    if (seconds < 120)
        return QCoreApplication::translate("core", "%1 s").arg(seconds);
    if (seconds < 7200)
        return QCoreApplication::translate("core", "%1 min").arg(seconds / 60);
    return QCoreApplication::translate("core", "%1 h").arg(seconds / 3600);
}

QString millisecondsText(std::chrono::nanoseconds time)
{
    const double milliseconds = std::chrono::duration<double, std::milli>(time).count();
    return QCoreApplication::translate("core", "%1 ms")
        .arg(QLocale().toString(milliseconds, 'f', milliseconds < 10 ? 2 : 0));
}

QString wholeDuration(std::chrono::nanoseconds duration)
{
    using namespace std::chrono_literals;
    const auto count = [](auto time) { return QLocale().toString(static_cast<qint64>(time.count())); };
    if (duration < 1s)
        return QCoreApplication::translate("core", "less than 1 s");
    if (duration < 2min)
        return QCoreApplication::translate("core", "%1 s")
            .arg(count(std::chrono::floor<std::chrono::seconds>(duration)));
    if (duration < 2h)
        return QCoreApplication::translate("core", "%1 min")
            .arg(count(std::chrono::floor<std::chrono::minutes>(duration)));
    if (duration < 48h)
        return QCoreApplication::translate("core", "%1 h").arg(count(std::chrono::floor<std::chrono::hours>(duration)));
    return QCoreApplication::translate("core", "%1 d").arg(count(std::chrono::floor<std::chrono::days>(duration)));
}

qint64 ceilMilliseconds(std::chrono::nanoseconds time)
{
    return std::chrono::ceil<std::chrono::milliseconds>(time).count();
}

QString formatDuration(std::chrono::milliseconds duration)
{
    const qint64 count = duration.count();
    for (const Unit &unit : units) {
        if (count % unit.milliseconds == 0 && (count != 0 || unit.milliseconds == 1))
            return QString::number(count / unit.milliseconds) + unit.name;
    }
    Q_UNREACHABLE();
}

int millisecondsLeft(const QDeadlineTimer &deadline)
{
    return static_cast<int>(std::min<qint64>(deadline.remainingTime(), 900'000));
}

} // namespace latchkey::base

#include "core/keyspace/rows/forecast.h"

#include "core/keyspace/rows/sortorder.h"

#include <algorithm>

namespace latchkey::rows {

using namespace std::chrono_literals;
using Span = Forecast::Span;

namespace {

/// Number of keys that are counted between two readings of the clock.
constexpr quint32 keysPerClockRead = 256;

Span spanOf(const std::optional<std::chrono::nanoseconds> &left)
{
    if (!left)
        return Forecast::Never;
    if (*left <= 1s)
        return Forecast::Second;
    if (*left <= 1min)
        return Forecast::Minute;
    return *left <= 1h ? Forecast::Hour : Forecast::Later;
}

int endingWithinHour(const Forecast::Counts &counts)
{
    return counts[Forecast::Second] + counts[Forecast::Minute] + counts[Forecast::Hour];
}

} // namespace

bool ForecastCounter::advance(QDeadlineTimer deadline)
{
    const quint32 limit = m_known.table.idLimit();
    while (m_next < limit) {
        for (const quint32 end = std::min(limit, m_next + keysPerClockRead); m_next < end; ++m_next) {
            const keys::KeyId id {m_next};
            if (!m_known.isLive(id))
                continue;
            const Span span = spanOf(m_known.endOf(id).remaining(m_now));
            ++m_all[span];
            // Looked up without copying the name, because most groups already exist.
            const QByteArrayView prefix = groupOf(m_known.table.key(id), Grouping::FirstColon);
            const QByteArray name = QByteArray::fromRawData(prefix.data(), prefix.size());
            if (const auto group = m_groups.find(name); group != m_groups.end())
                ++(*group)[span];
            else
                ++m_groups[m_groups.size() < maxGroups ? prefix.toByteArray() : QByteArray()][span];
        }
        if (deadline.hasExpired())
            return m_next >= limit;
    }
    return true;
}

Forecast ForecastCounter::forecast(std::size_t groups) const
{
    Forecast forecast;
    forecast.all = m_all;
    for (auto group = m_groups.cbegin(); group != m_groups.cend(); ++group) {
        if (endingWithinHour(*group) > 0)
            forecast.groups.push_back({group.key(), *group});
    }
    std::ranges::sort(forecast.groups, [](const Forecast::Group &a, const Forecast::Group &b) {
        const int left = endingWithinHour(a.counts);
        const int right = endingWithinHour(b.counts);
        return left != right ? left > right : a.prefix < b.prefix;
    });
    if (forecast.groups.size() > groups) {
        forecast.otherGroups = static_cast<int>(forecast.groups.size() - groups);
        forecast.groups.resize(groups);
    }
    return forecast;
}

} // namespace latchkey::rows

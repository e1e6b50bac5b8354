#include "app/cli/notificationdelays.h"

#include <algorithm>

namespace latchkey::cli {

using base::MonotonicTime;
using std::chrono::nanoseconds;

namespace {

/// Time for which the delays are kept; an event is printed at most about a second after its last notification.
constexpr std::chrono::minutes retention {5};

} // namespace

NotificationDelays::NotificationDelays(inspection::InspectedServer &server)
    : m_server(server)
{
    m_server.dispatcher().addFirst(*this);
}

NotificationDelays::~NotificationDelays()
{
    m_server.dispatcher().remove(*this);
}

void NotificationDelays::observed(const events::Observations &observations)
{
    const auto notification = std::ranges::find_if(observations, [](const events::Observation &observation) {
        return std::holds_alternative<events::ChangeNotification>(observation.content);
    });
    if (notification == observations.end())
        return;
    const nanoseconds delay = m_server.events().delay().value_or(nanoseconds::max());
    while (!m_samples.empty() && m_samples.back().delay <= delay)
        m_samples.pop_back();
    m_samples.push_back({notification->answered, delay});
    while (notification->answered - m_samples.front().at > retention) {
        m_droppedUntil = m_samples.front().at;
        m_samples.pop_front();
    }
}

std::optional<nanoseconds> NotificationDelays::delayOf(const events::KeyEvent &keyEvent) const
{
    if (!keyEvent.firstNotification || *keyEvent.firstNotification <= m_droppedUntil)
        return std::nullopt;
    const events::Coverage coverage = m_server.watcher().coverage();
    const bool hasGap = std::ranges::any_of(coverage.parts().gaps, [&](const auto &gap) {
        return gap.from < keyEvent.notAfter && (!gap.to || *gap.to > keyEvent.notBefore);
    });
    const std::optional<nanoseconds> now = m_server.events().delay();
    if (hasGap || !now)
        return std::nullopt;
    const auto first = std::ranges::lower_bound(m_samples, *keyEvent.firstNotification, {}, &Sample::at);
    const nanoseconds longest = first == m_samples.end() ? *now : std::max(first->delay, *now);
    return longest == nanoseconds::max() ? std::nullopt : std::optional(longest);
}

} // namespace latchkey::cli

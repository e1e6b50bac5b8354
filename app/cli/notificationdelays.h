#pragma once

#include "core/inspect/inspection/inspectedserver.h"

#include <deque>

namespace latchkey::cli {

/// The delays of the notifications of a server: the longest time between a change and the receipt of its notification.
///
/// An event is printed after its notification, when the value was read. The delay may have become shorter meanwhile, so
/// it is recorded with each notification. The server is not owned; this object is a listener of its dispatcher, before
/// the tracker.
class NotificationDelays final : public events::ObservationListener
{
    Q_DISABLE_COPY_MOVE(NotificationDelays)

public:
    explicit NotificationDelays(inspection::InspectedServer &server);
    ~NotificationDelays() override;

    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex, base::MonotonicTime, base::MonotonicTime) override {}

    /// Returns the longest delay since the first notification of the event. Absent if the delay is unknown or
    /// no notification reports the event. Also absent if a gap in the observation since the change has delayed or
    /// suppressed notifications.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> delayOf(const events::KeyEvent &keyEvent) const;

private:
    struct Sample
    {
        base::MonotonicTime at;
        std::chrono::nanoseconds delay; ///< max() if unknown.
    };

    inspection::InspectedServer &m_server; // Not owned.
    std::deque<Sample> m_samples; ///< Each is longer than all later ones: the first since a time is the longest.
    base::MonotonicTime m_droppedUntil;
};

} // namespace latchkey::cli

#pragma once

#include "core/inspect/inspection/inspectedserver.h"

#include <deque>

namespace latchkey::cli {

/// The delays of the notices of a server: the longest time between a change and the receipt of its notice.
///
/// An event is printed after its notice, when the value was read. The delay may have become shorter meanwhile, so it is
/// recorded with each notice. The server is not owned; this object is a listener of its fan-out, before the ledger.
class NoticeDelays final : public events::ObservationListener
{
    Q_DISABLE_COPY_MOVE(NoticeDelays)

public:
    explicit NoticeDelays(inspection::InspectedServer &server);
    ~NoticeDelays() override;

    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex, base::MonotonicTime, base::MonotonicTime) override {}

    /// Returns the longest delay since the first notice of the event. Absent if it is unknown, if no notice reports the
    /// event, or if notices were missing or delayed by a gap in the observation since the change.
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

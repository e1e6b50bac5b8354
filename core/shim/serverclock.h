#pragma once

#include "core/shim/programclock.h"

#include <QObject>

namespace latchkey::shim {

/// The clock of a server of ours that is asked about one moment after the other, in any order.
///
/// A ProgramClock never goes back; a server's date may. So the page stands still, and what moves is by how much this
/// server's date is ahead of it: that is all that lifetimes go by. While it stands, they are exact: `PX 5000` is
/// PTTL 5000 for as long as one likes. Owned by whoever starts the server, which it outlives.
class ServerClock final
{
public:
    /// library, errors: as for ProgramClock. The server's date is this until the clock is set.
    [[nodiscard]] static base::Result<std::unique_ptr<ServerClock>> create(const QString &library, base::WallTime date);
    Q_DISABLE_COPY_MOVE(ServerClock)

    /// The server that is started from it goes by this clock; see isUnderControl().
    void show(children::Launch &launch) const { m_clock->show(m_view, launch); }
    /// The server's date is so much later than at the beginning. May be less than before.
    void set(std::chrono::milliseconds sinceTheBeginning) { m_clock->setAhead(m_view, sinceTheBeginning); }
    [[nodiscard]] bool isUnderControl(pid_t server) const { return m_clock->isUnderControl(server); }

private:
    explicit ServerClock(std::unique_ptr<ProgramClock> clock);

    const std::unique_ptr<ProgramClock> m_clock;
    const ProgramClock::ViewNumber m_view;
};

} // namespace latchkey::shim

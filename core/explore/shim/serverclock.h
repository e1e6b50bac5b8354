#pragma once

#include "core/explore/shim/programclock.h"

#include <QObject>

namespace latchkey::shim {

/// A clock for a private server that can be set to any time, in any order.
///
/// A ProgramClock never goes back, but a server's date may. So the page's time stands still, and only the lead of the
/// server's date changes. Lifetimes depend only on this date, and do not run down while the date stands still.
/// After `PX 5000`, PTTL stays 5000. Owned by the code that starts the server. Must outlive the server.
class ServerClock final
{
public:
    /// Creates a clock. `library`, errors: as for ProgramClock::create(). `date`: date of the server until set() is
    /// called.
    [[nodiscard]] static base::Result<std::unique_ptr<ServerClock>> create(const QString &library, base::WallTime date);
    Q_DISABLE_COPY_MOVE(ServerClock)

    /// Makes the server that `launch` starts use this clock; see usesOnlyVirtualClock().
    void show(process::Launch &launch) const { m_clock->show(m_view, launch); }
    /// Sets the server's date to this time after the start date. The date may go back.
    void set(std::chrono::milliseconds sinceTheBeginning) { m_clock->setAhead(m_view, sinceTheBeginning); }
    [[nodiscard]] bool usesOnlyVirtualClock(pid_t server) const { return m_clock->usesOnlyVirtualClock(server); }

private:
    explicit ServerClock(std::unique_ptr<ProgramClock> clock);

    const std::unique_ptr<ProgramClock> m_clock;
    const ProgramClock::ViewNumber m_view;
};

} // namespace latchkey::shim

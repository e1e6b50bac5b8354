#pragma once

#include "core/foundation/base/clock.h"
#include "core/foundation/base/text.h"

namespace latchkey::inspection {

/// An event that affects the whole server. After it, all displayed data of its keys may be outdated.
struct Incident
{
    enum class Kind : quint8 {
        Flushed,    ///< All keys were removed at once.
        Restarted,  ///< Another process answers at the address: a restart, another server, or a failover.
        Demoted,    ///< The same process became a replica.
        FailedOver, ///< The sentinels name another server as the primary.
        Promoted,   ///< The same process became a primary.
    };

    Kind kind = Kind::Flushed;
    qint64 keys = 0;           ///< Number of known keys that were removed; for Flushed only.
    base::MonotonicTime at {}; ///< Time at which this program detected the event.
    QString from {};           ///< Host and port of the former primary; for FailedOver only.
    QString to {};             ///< Host and port of the new primary; for FailedOver only.
};

/// Returns the incident as a sentence without a full stop. `server`: the server's name as shown to users.
[[nodiscard]] base::Text incidentText(const Incident &incident, const QString &server);

} // namespace latchkey::inspection

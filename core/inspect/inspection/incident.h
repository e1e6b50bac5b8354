#pragma once

#include "core/foundation/base/text.h"

namespace latchkey::inspection {

/// An event that affects the whole server. After it, all that was shown of its keys may be outdated.
struct Incident
{
    enum class Kind : quint8 {
        Flushed,   ///< All keys were removed at once.
        Restarted, ///< Another process answers at the address: a restart, another server, or a failover.
        Demoted,   ///< The same process became a replica.
        Promoted,  ///< The same process became a primary.
    };

    Kind kind = Kind::Flushed;
    qint64 keys = 0; ///< Number of known keys that were removed; for Flushed only.
};

/// Returns the incident as a sentence without a full stop. `server`: the server's name as shown to users.
[[nodiscard]] base::Text incidentText(const Incident &incident, const QString &server);

} // namespace latchkey::inspection

#pragma once

#include "core/base/text.h"

namespace latchkey::inspection {

/// An event of the server as a whole, after which nothing that was shown of its keys need be so any more.
struct Incident
{
    enum class Kind : quint8 {
        Flushed,   ///< All keys went at once.
        Restarted, ///< Another process answers at the address: a restart, another server, or a failover.
        Demoted,   ///< The same process has become a replica.
        Promoted,  ///< The same process has become a primary.
    };

    Kind kind = Kind::Flushed;
    qint64 keys = 0; ///< Of Flushed: how many went, as far as they were known.
};

/// The incident as a sentence without its full stop. server: as people are shown it.
[[nodiscard]] base::Text incidentText(const Incident &incident, const QString &server);

} // namespace latchkey::inspection

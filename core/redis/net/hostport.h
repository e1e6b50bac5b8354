#pragma once

#include <QString>

namespace latchkey::net {

/// A host and a port.
struct HostPort
{
    QString host;
    quint16 port = 0;

    friend bool operator==(const HostPort &, const HostPort &) = default;
};

/// Returns `host:port`, with brackets around an IPv6 address.
[[nodiscard]] QString hostPortText(const HostPort &at);

} // namespace latchkey::net

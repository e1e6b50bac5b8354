#pragma once

#include "core/ssh/hop.h"

#include <QByteArray>

namespace latchkey::ssh {

// What ssh says in English lines, put into sentences of ours: which step has failed, and what to do about it. ssh has
// no translations and ends with 255 whatever went wrong, so that its words are all that tells.

/// Why it has not come to a tunnel.
struct NoTunnel
{
    base::Error error;        ///< Unreachable or Local.
    bool needsPerson = false; ///< Somebody has to do something before it can be any better.
};

/// said: all that ssh has written.
[[nodiscard]] NoTunnel whyNoTunnel(const Hop &hop, const QByteArray &said);

/// Why the way does not lead on from there to the server, where ssh has said so lately; empty where it has not.
[[nodiscard]] base::Text whyNoWayOn(const Hop &hop, const QByteArray &said);

} // namespace latchkey::ssh

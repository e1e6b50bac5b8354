#pragma once

#include "core/base/error.h"

#include <QString>

namespace latchkey::ssh {

/// The machine that ssh logs in to, so that the way to a server begins there. A value type.
///
/// What it leaves open is for the user's own configuration of ssh to say, which may also know the host by a name of its
/// own. It holds no secret: ssh asks for those itself.
struct Hop
{
    QString user; ///< Empty: as ssh has it.
    QString host;
    quint16 port = 0; ///< 0: as ssh has it.

    /// Reads `[user@]host[:port]`; an address of IPv6 stands in brackets. Error (Usage): what is wrong with it. What a
    /// shell or ssh itself would read as something else than a name is refused.
    [[nodiscard]] static base::Result<Hop> fromText(const QString &text);

    /// As fromText() reads it.
    [[nodiscard]] QString display() const;

    friend bool operator==(const Hop &, const Hop &) = default;
};

/// Where the way leads to from there: a port, or a Unix socket on that machine.
struct Target
{
    QString host; ///< As that machine knows it; empty: a Unix socket.
    quint16 port = 0;
    QString path; ///< Of the Unix socket.

    friend bool operator==(const Target &, const Target &) = default;
};

} // namespace latchkey::ssh

#pragma once

#include "core/inspect/detection/keyexamination.h"
#include "core/inspect/voting/lockvotes.h"

namespace latchkey::voting {

/// The reply of one of several independent servers about one key. A value type.
struct ServerReply
{
    QString server;                                   ///< Address, as a display text.
    const detection::KeyExamination *found = nullptr; ///< Null: the server did not reply. Not owned.
    QString why {};                                   ///< Why it did not.
};

/// Returns the bytes of all holders that the key names; empty if it names none.
[[nodiscard]] QByteArray holderIn(const recognition::Recognition &recognition);
/// Returns the value of a key that names no holder.
[[nodiscard]] QByteArray valueIn(const recognition::KeySample &sample);
/// Returns the reply of a server that has the key.
[[nodiscard]] LockVotes::Reply replyOf(const recognition::KeySample &sample,
                                       const recognition::Recognition &recognition, const base::Deadline &deadline);
[[nodiscard]] LockVotes votesIn(const std::vector<ServerReply> &replies);

} // namespace latchkey::voting

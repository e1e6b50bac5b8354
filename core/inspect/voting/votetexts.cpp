#include "core/inspect/voting/votetexts.h"

namespace latchkey::voting {

using base::Text;

Text majorityText(const LockVotes &votes)
{
    const std::optional<bool> hasMajority = votes.hasMajority();
    if (!hasMajority && votes.votes() >= votes.quorum())
        return Text(QT_TRANSLATE_NOOP("core", "a majority has this value, which names no holder"));
    if (!hasMajority)
        return Text(QT_TRANSLATE_NOOP("core", "a majority needs %1, and not all servers are known"), votes.quorum());
    return *hasMajority ? Text(QT_TRANSLATE_NOOP("core", "a majority"))
                        : Text(QT_TRANSLATE_NOOP("core", "no majority, which needs %1"), votes.quorum());
}

} // namespace latchkey::voting

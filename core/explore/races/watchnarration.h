#pragma once

#include "core/explore/races/model.h"
#include "core/explore/schedules/recordedschedule.h"

namespace latchkey::races {

/// The WATCH commands of programs in a story.
///
/// In a story, each client has one connection to a server. A program can send WATCH on one connection and its
/// transaction on another. The watch then has no effect, but it would have one in the story. Such a WATCH is left out,
/// and a note on the transaction names it. Created by narrate().
class WatchNarration final
{
public:
    /// Follows a move of a client. `step`: index of its last step in the story.
    void follow(const Model &model, const State &before, const Move &move, std::size_t step);
    /// Removes the steps without an effect from the story.
    void removeIneffective(schedules::RecordedSchedule &recorded) const;

private:
    struct Watch
    {
        std::size_t step = 0;
        ClientIndex client = noClient;
        int server = 0;
        int conversation = 0;
        std::optional<std::size_t> otherExec; ///< First transaction on another connection; an index of a step.
    };

    std::vector<Watch> m_watches; ///< Those without a transaction on their connection.
};

} // namespace latchkey::races

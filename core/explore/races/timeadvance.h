#pragma once

#include "core/explore/races/model.h"

namespace latchkey::races {

/// An interval of time that passes for all servers and, if their clocks are virtual, for all clients.
///
/// Time advances in steps: from one expiry or timer to the next, because nothing else depends on time. Used only if the
/// clients are programs; for a recipe, a lapse ends one key.
struct TimeAdvance
{
    struct Key
    {
        int server = 0;
        QByteArray key;

        friend bool operator==(const Key &, const Key &) = default;
    };

    std::chrono::milliseconds by {};
    std::vector<Key> ending {}; ///< Keys that expire, by server.
    /// Fields that expire while their keys remain.
    std::vector<std::pair<Key, QByteArray>> endingFields {};

    /// Returns the commands that end the keys and the fields, each with its server.
    [[nodiscard]] std::vector<std::pair<int, resp::Command>> endingCommands() const;
    [[nodiscard]] bool endsNothing() const { return ending.empty() && endingFields.empty(); }
};

/// Returns the interval to the next expiry. If no lifetime is left and the clients' clocks are virtual: one day, which
/// is longer than any time that a client may have stored. Clients with shorter waits then wake up too late. Absent:
/// time has no effect.
[[nodiscard]] std::optional<TimeAdvance> advanceToExpiry(const Model &model, const State &state);

/// Returns the interval to the next moment for which a client waits. Absent: no client waits, an expiry is earlier, or
/// the clients' clocks are not virtual.
[[nodiscard]] std::optional<TimeAdvance> advanceToTimer(const Model &model, const State &state);

/// Returns the living client that was the last to write the key, if the client sleeps at least for this time. A client
/// also sleeps if it blocks in the server and no other client can wake it. Absent: none, or the clients' clocks are not
/// virtual.
[[nodiscard]] std::optional<ClientIndex> sleepingWriter(const Model &model, const State &state,
                                                        const TimeAdvance::Key &key, std::chrono::milliseconds time);

/// Returns whether every expiry within the interval falls into a pause of the client that was the last to write the
/// key. In a pause, the client waits for a later time and sends nothing. Such an expiry is not a decision of the
/// schedule. False if nothing expires, or the clients' clocks are not virtual.
[[nodiscard]] bool endsDuringPauses(const Model &model, const State &state, const TimeAdvance &advance);

/// Returns whether a living client would outlast its lease in the interval: it was the last to write a key that expires
/// or loses a field. Without an expiry, returns whether any living client has begun.
[[nodiscard]] bool isReliedOn(const Model &model, const State &state, const TimeAdvance &advance);

} // namespace latchkey::races

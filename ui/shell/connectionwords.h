#pragma once

#include "core/resp/clusternodes.h"
#include "core/resp/session.h"
#include "ui/widgets/pill.h"

#include <QString>

namespace latchkey::ui::shell {

/// What is known of a connection at one moment.
struct ConnectionFacts
{
    resp::Session::State state = resp::Session::State::Stopped;
    bool isPrivate = false;
    bool isPaused = false;                           ///< Polling is.
    std::optional<base::Error> lastError;            ///< Of the session.
    std::optional<std::chrono::nanoseconds> silence; ///< Since the server's last answer; absent: it never answered.
    std::optional<std::chrono::nanoseconds> wait;    ///< Until the next attempt; absent: none comes by itself.
    std::optional<resp::ClusterPart> part = {};      ///< Of the cluster; absent: it is not one of several.
};

/// What a person can do about a connection.
enum class Remedy : quint8 { None, TryNow, EnterPassword };

/// The words for it.
struct ConnectionWords
{
    QString state; ///< Of the pill.
    widgets::Pill::Tone tone = widgets::Pill::Tone::Neutral;
    QString explanation; ///< Why, and what comes next; empty while all is well and nothing is missing.
    Remedy remedy = Remedy::None;
    bool canRemedy = true; ///< Not while the next attempt is under way.
};

/// A server that has not answered a PING for so long is said not to answer.
inline constexpr std::chrono::milliseconds longestSilence {2500};

[[nodiscard]] ConnectionWords describe(const ConnectionFacts &facts);

/// Whether the server wants a password, or another one: nothing that trying again would change.
[[nodiscard]] bool wantsPassword(const std::optional<base::Error> &error);

} // namespace latchkey::ui::shell

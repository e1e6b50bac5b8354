#pragma once

#include "core/redis/net/session.h"
#include "core/redis/resp/clusternodes.h"
#include "ui/kit/widgets/pill.h"
#include "ui/shell/connections/servertexts.h"

#include <QString>

namespace latchkey::ui::shell {

/// The state of a connection at one moment.
struct ConnectionStatus
{
    net::Session::State state = net::Session::State::Stopped;
    bool isPrivate = false;
    bool isPaused = false;                           ///< Whether polling is paused.
    std::optional<base::Error> lastError;            ///< Last error of the session.
    std::optional<std::chrono::nanoseconds> silence; ///< Time since the last reply of the server; absent before the
                                                     ///< first reply.
    std::optional<std::chrono::nanoseconds> wait;    ///< Time until the next attempt; absent if no automatic attempt
                                                     ///< follows.
    std::optional<resp::ClusterPart> part = {};      ///< Part of the cluster; absent if the server is not one of
                                                     ///< several nodes.
};

/// An action that the user can take about a connection.
enum class RecoveryAction : quint8 { None, TryNow, EnterPassword };

/// The texts about a connection.
struct ConnectionTexts
{
    QString state; ///< Text of the pill.
    widgets::Pill::Tone tone = widgets::Pill::Tone::Neutral;
    QString explanation; ///< Reason and next step; empty if the connection works and nothing is missing.
    RecoveryAction action = RecoveryAction::None;
    bool canRecover = true; ///< False while the next attempt is running.
};

using connections::maxSilence;

[[nodiscard]] ConnectionTexts describe(const ConnectionStatus &status);

/// The cost of watching for the server.
struct WatchCost
{
    double perSecond = 0;        ///< Commands.
    std::optional<double> share; ///< Share of the server's core; absent if the server does not report it.
    int limit = 0;               ///< Commands per second.
    int width = 0;               ///< Width of the bar in pixels.
    bool isShort = false;        ///< Whether there is no room for the usual text.
};
[[nodiscard]] QString costText(const WatchCost &cost);
/// Returns the explanation. `isKnown`: whether the server reports the time of its commands.
[[nodiscard]] QString costExplanation(bool isKnown);
/// Returns the text of a limit: as a share of the server's core if `isShare`, else as commands per second. `perSecond`:
/// see budget::CommandLimit::ofShareAt().
[[nodiscard]] QString limitText(int perSecond, bool isShare);

/// The permission to write to a server at one moment.
struct ArmingStatus
{
    bool isArmed = false;
    bool isPrivate = false;
    bool isProduction = false;
    std::optional<std::chrono::nanoseconds> left {}; ///< Time until the server is disarmed; absent without a limit.
};
/// Returns the text of the button. During the last minute, it counts the seconds.
[[nodiscard]] QString armingText(const ArmingStatus &arming);
/// Returns a text about the effect of a click, and about the time at which the server is disarmed automatically.
[[nodiscard]] QString armingExplanation(const ArmingStatus &arming);
/// Returns the text for screen readers; it changes only once a minute.
[[nodiscard]] QString armingName(const ArmingStatus &arming);

/// Returns whether the server requires a password, or rejects the given one. A retry would not help.
[[nodiscard]] bool wantsPassword(const std::optional<base::Error> &error);

} // namespace latchkey::ui::shell

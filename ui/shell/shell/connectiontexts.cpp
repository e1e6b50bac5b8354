#include "ui/shell/shell/connectiontexts.h"

#include "core/foundation/base/duration.h"
#include "core/keyspace/budget/commandlimit.h"
#include "core/redis/resp/replyguard.h"
#include "ui/kit/widgets/bidi.h"
#include "ui/kit/widgets/sentence.h"

#include <QCoreApplication>
#include <QLocale>

namespace latchkey::ui::shell {

using base::ErrorKind;
using State = net::Session::State;
using Tone = widgets::Pill::Tone;
using namespace std::chrono_literals;

namespace {

/// Widths of the bar in pixels below which the text about the cost is short.
constexpr int wideForCost = 1200;
constexpr int narrowForCost = 1000;

/// Returns a share as a percentage.
QString percentText(double share)
{
    constexpr double small = 0.1;
    constexpr double large = 10;
    const double percent = 100 * share;
    return QLocale().toString(percent, 'f', percent < small ? 2 : percent < large ? 1 : 0);
}

/// Returns the time in minutes, and during the last minute in seconds.
QString armedLeftText(std::chrono::nanoseconds left)
{
    using std::chrono::minutes;
    using std::chrono::seconds;
    return widgets::isolated(left > 1min ? base::wholeDuration(std::chrono::ceil<minutes>(left))
                                         : base::wholeDuration(std::chrono::ceil<seconds>(left)));
}

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(ConnectionTexts)

public:
    /// Returns a duration without milliseconds, which are irrelevant here.
    static QString wholeText(std::chrono::nanoseconds duration)
    {
        return widgets::isolated(base::wholeDuration(duration));
    }

    static QString silent(const ConnectionStatus &status)
    {
        return status.silence ? tr("no answer since %1").arg(wholeText(*status.silence)) : tr("no connection");
    }

    /// Returns the reason in a few words.
    static QString reason(const ConnectionStatus &status)
    {
        if (resp::isReplyTooLarge(*status.lastError))
            return tr("too large");
        switch (status.lastError->kind) {
        case ErrorKind::TooManyClients:
            return tr("no room");
        case ErrorKind::Protocol:
            return tr("not Redis");
        case ErrorKind::Loading:
            return tr("loading");
        case ErrorKind::ProtectedMode:
        case ErrorKind::PermissionDenied:
            return tr("no permission");
        default:
            return silent(status);
        }
    }

    static QString nextAttempt(const ConnectionStatus &status)
    {
        if (!status.wait)
            return tr("No automatic retry.");
        return tr("The next attempt is in %1.").arg(wholeText(std::chrono::ceil<std::chrono::seconds>(*status.wait)));
    }

    static ConnectionTexts ready(const ConnectionStatus &status)
    {
        if (status.silence && *status.silence > maxSilence)
            return {silent(status), Tone::Warning, tr("The connection is open, but the server does not answer."), {}};
        if (status.isPaused)
            return {tr("paused"), Tone::Warning, tr("No requests until you resume."), {}};
        if (status.part)
            return {tr("node %1 of %2").arg(status.part->number).arg(status.part->of),
                    Tone::Good,
                    tr("This server is one node of a cluster: the keys of the other nodes are not shown."),
                    {}};
        return {status.isPrivate ? tr("private server") : tr("connected"), Tone::Good, {}, {}};
    }

    static ConnectionTexts away(const ConnectionStatus &status)
    {
        const QString why = widgets::sentence(status.lastError->message()) + u'\n';
        const bool isTrying = status.state == State::Connecting;
        if (wantsPassword(status.lastError))
            return {tr("password needed"), Tone::Warning, why + (isTrying ? tr("Trying again…") : nextAttempt(status)),
                    RecoveryAction::EnterPassword};
        return {reason(status), Tone::Critical, why + (isTrying ? tr("Trying again…") : nextAttempt(status)),
                RecoveryAction::TryNow, !isTrying};
    }
};

} // namespace

ConnectionTexts describe(const ConnectionStatus &status)
{
    switch (status.state) {
    case State::Stopped:
        return {Words::tr("not connected"), Tone::Neutral, {}, {}};
    case State::Ready:
        return Words::ready(status);
    case State::Connecting:
    case State::Waiting:
        break;
    }
    if (status.lastError)
        return Words::away(status);
    return {Words::tr("connecting"), Tone::Neutral, {}, {}};
}

QString costText(const WatchCost &cost)
{
    const QString number = QLocale().toString(cost.perSecond, 'f', 0);
    if (cost.isShort)
        return cost.share ? Words::tr("%1 %, %2/s").arg(percentText(*cost.share), number)
                          : Words::tr("%1/s", "commands per second").arg(number);
    if (cost.share)
        return cost.width < wideForCost
                 ? Words::tr("%1 %, %2 commands/s").arg(percentText(*cost.share), number)
                 : Words::tr("%1 % of the server's core, %2 commands/s").arg(percentText(*cost.share), number);
    if (cost.width < narrowForCost)
        return Words::tr("%1 commands/s").arg(number);
    // The limit applies to watching; reading all keys once may exceed it.
    return cost.perSecond > 1.2 * cost.limit
             ? Words::tr("%1 commands/s while reading all").arg(number)
             : Words::tr("%1 commands/s of at most %2").arg(number, QLocale().toString(cost.limit));
}

QString costExplanation(bool isKnown)
{
    return isKnown
             ? Words::tr("Share of the server's core that the commands of this window take, and their number. The "
                         "share is estimated from the server's own statistics (INFO commandstats), which are "
                         "averages over the commands of all clients. Click to set a limit.")
             : Words::tr("Commands per second that this window causes on the server, and the limit that it "
                         "keeps. The server does not report what they cost (INFO commandstats).");
}

QString limitText(int perSecond, bool isShare)
{
    const double percent = 100 * budget::CommandLimit::ofShareAt(perSecond).share().value_or(0);
    return isShare ? Words::tr("At most %1 % of the server's core").arg(QLocale().toString(percent))
                   : Words::tr("At most %1 commands per second").arg(QLocale().toString(perSecond));
}

QString armingText(const ArmingStatus &arming)
{
    if (arming.isPrivate)
        return Words::tr("Writes allowed");
    if (!arming.isArmed)
        return arming.isProduction ? Words::tr("Read-only: production") : Words::tr("Read-only");
    if (!arming.left)
        return arming.isProduction ? Words::tr("Writes armed: production") : Words::tr("Writes armed");
    return (arming.isProduction ? Words::tr("Production armed: %1", "the time left") : Words::tr("Writes armed: %1"))
        .arg(armedLeftText(*arming.left));
}

QString armingExplanation(const ArmingStatus &arming)
{
    if (arming.isPrivate)
        return Words::tr("Private server: writes are always allowed");
    if (!arming.isArmed)
        return Words::tr("Latchkey writes nothing to this server until you arm it");
    if (!arming.left)
        return Words::tr("Click to disarm: stops all writes");
    return Words::tr("Click to disarm: stops all writes. Writing is disarmed automatically in %1.")
        .arg(armedLeftText(*arming.left));
}

QString armingName(const ArmingStatus &arming)
{
    ArmingStatus status = arming;
    status.left.reset();
    const QString text = armingText(status);
    if (!arming.left)
        return text;
    const auto minutes = static_cast<int>(std::chrono::ceil<std::chrono::minutes>(*arming.left).count());
    return minutes <= 1 ? Words::tr("%1, disarmed within a minute").arg(text)
                        : Words::tr("%1, disarmed within %Ln minutes", nullptr, minutes).arg(text);
}

bool wantsPassword(const std::optional<base::Error> &error)
{
    return error && base::isPasswordRefused(error->kind);
}

} // namespace latchkey::ui::shell

#include "core/redis/exchange/step.h"

#include "core/foundation/base/duration.h"
#include "core/redis/resp/servererror.h"

namespace latchkey::exchange {

namespace {

QString requestText(const Request &request)
{
    return (request.server() == 0 ? QString() : QStringLiteral("#%1 ").arg(request.server()))
         + request.command().toText()
         + (request.wantsNewConnection() ? QStringLiteral(" (on a new connection)") : QString());
}

struct StepText
{
    QString operator()(std::monostate) const { return QStringLiteral("(ended)"); }
    QString operator()(const Request &request) const { return requestText(request); }
    QString operator()(const Batch &batch) const
    {
        QStringList commands;
        for (const Request &request : batch.requests())
            commands += requestText(request);
        return commands.join(QStringLiteral(" | "));
    }
    QString operator()(ReadClock) const { return QStringLiteral("(read the clock)"); }
    QString operator()(const Pause &pause) const
    {
        return QStringLiteral("(pause %1)").arg(base::formatDuration(pause.duration));
    }
    QString operator()(DrawToken) const { return QStringLiteral("(draw a token)"); }
};

} // namespace

Answer answerFrom(resp::Reply reply)
{
    if (reply.isError())
        return base::failure(resp::serverError(reply));
    return reply;
}

std::chrono::milliseconds timeoutWithin(std::chrono::milliseconds timeout, base::MonotonicTime deadline,
                                        base::MonotonicTime now)
{
    if (deadline <= now)
        return {};
    return std::min(timeout, std::chrono::floor<std::chrono::milliseconds>(deadline - now));
}

Answer deadlinePassed()
{
    return base::failure(base::ErrorKind::Unreachable,
                         QT_TRANSLATE_NOOP("core", "there was no time left to send the command"));
}

QString toText(const Step &step)
{
    return std::visit(StepText {}, step);
}

} // namespace latchkey::exchange

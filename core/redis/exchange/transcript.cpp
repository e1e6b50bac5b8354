#include "core/redis/exchange/transcript.h"

#include "core/redis/exchange/script.h"

namespace latchkey::exchange {

QString TranscriptEntry::toText() const
{
    const QString came = answer ? answer->toText() : answer.error().message();
    return withScriptName(request.command()).toText() + QStringLiteral(" \u2192 ") + came;
}

} // namespace latchkey::exchange

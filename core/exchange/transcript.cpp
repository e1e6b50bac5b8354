#include "core/exchange/transcript.h"

namespace latchkey::exchange {

QString TranscriptEntry::toText() const
{
    const QString came = answer ? answer->toText() : answer.error().message;
    return ask.command().toText() + QStringLiteral(" \u2192 ") + came;
}

} // namespace latchkey::exchange

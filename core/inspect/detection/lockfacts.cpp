#include "core/inspect/detection/lockfacts.h"

namespace latchkey::detection {

using keys::Facts;
using recognition::Recognition;

Facts factsFrom(const Recognition &recognition, const recognition::Dialects &dialects)
{
    Facts facts;
    if (!recognition.isLock())
        return facts;
    facts.kind = recognition.best().dialect;
    const recognition::Dialect *dialect = dialects.find(facts.kind);
    facts.title = dialect != nullptr ? dialect->title : facts.kind;
    facts.isCertain = recognition.best().confidence >= recognition::Confidence::High;
    if (!recognition.decoded.holders.empty())
        facts.holder = recognition.decoded.holders.front().bytes;
    facts.isHolderRecorded = recognition.decoded.isHolderRecorded;
    facts.count = recognition.decoded.holdCount();
    return facts;
}

} // namespace latchkey::detection

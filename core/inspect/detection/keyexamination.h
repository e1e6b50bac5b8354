#pragma once

#include "core/inspect/recognition/recogniser.h"
#include "core/redis/exchange/exchange.h"

namespace latchkey::detection {

/// All data that was read to recognise one key, and the recognition. A value type.
struct KeyExamination
{
    bool exists = false;
    keys::KeyType type = keys::KeyType::Unknown;
    base::Deadline deadline = base::Deadline::never();
    recognition::KeySample sample;
    recognition::ServerContext serverContext;
    recognition::Recognition recognition;
    /// Reads that the server refused. Their replies might have changed the result.
    std::vector<recognition::ReadRequest> refused;
};

/// Whether an examination asks for the idle time of the key; see events::areIdleTimesTrue().
enum class AskIdleTime : bool { No, Yes };

/// Reads one key and its companion keys, in a few round trips, until recognition requests no more. Writes nothing.
/// Fails if the key itself is not readable. `known`: facts about the server from earlier examinations, which are not
/// requested again.
[[nodiscard]] exchange::Exchange<KeyExamination> examine(base::Key key, recognition::Recogniser recogniser,
                                                         AskIdleTime askIdleTime = AskIdleTime::No,
                                                         recognition::ServerContext known = {});

/// Continues an examination of a key that was read and recognised: reads companion keys until recognition requests no
/// more. The key itself is not read again.
[[nodiscard]] exchange::Exchange<KeyExamination> examineFurther(KeyExamination examination,
                                                                recognition::Recogniser recogniser);

} // namespace latchkey::detection

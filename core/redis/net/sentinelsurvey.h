#pragma once

#include "core/redis/net/sentinelanswer.h"

#include <chrono>

namespace latchkey::net {

/// A sentinel of a URL, and the primary that it names, or why it names none.
struct SurveyedSentinel
{
    Endpoint sentinel;
    base::Result<PrimaryAddress> answer;
};

/// Asks all sentinels of the endpoint one after another, unlike a search for the primary, which ends with the first
/// server that can be used. `timeout`: for each sentinel. Blocks.
[[nodiscard]] std::vector<SurveyedSentinel> surveySentinels(const Endpoint &endpoint,
                                                            std::chrono::milliseconds timeout);

} // namespace latchkey::net

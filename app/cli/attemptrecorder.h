#pragma once

#include "core/foundation/base/clock.h"
#include "core/foundation/base/random.h"

#include <optional>

namespace latchkey::cli {

/// A clock and a random source that remember the last token and the last time of an attempt to acquire. Both use the
/// clock and the randomness of the machine.
///
/// An exchange that fails returns only its error. After a lost reply to SET, the user needs the token to release the
/// possible lock. Owned by the LockOperation; its driver uses it.
class AttemptRecorder final : public base::Clock, public base::RandomSource
{
public:
    [[nodiscard]] base::MonotonicTime now() const override { return base::SystemClock::instance().now(); }
    [[nodiscard]] base::WallTime wallNow() const override
    {
        m_lastRead = base::SystemClock::instance().wallNow();
        return m_lastRead;
    }
    [[nodiscard]] base::OwnerToken freshToken() override
    {
        m_lastToken = base::SystemRandom::instance().freshToken();
        return *m_lastToken;
    }
    [[nodiscard]] double unit() override { return base::SystemRandom::instance().unit(); }

    [[nodiscard]] const std::optional<base::OwnerToken> &lastToken() const { return m_lastToken; }
    [[nodiscard]] base::WallTime lastRead() const { return m_lastRead; }

private:
    mutable base::WallTime m_lastRead {};
    std::optional<base::OwnerToken> m_lastToken;
};

} // namespace latchkey::cli

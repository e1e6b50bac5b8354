#pragma once

#include "core/foundation/base/bytes.h"

namespace latchkey::base {

/// A source of randomness: that of the operating system in production, and a repeatable one in tests and in the race
/// finder. Not owned by its users.
class RandomSource
{
public:
    RandomSource() = default;
    RandomSource(const RandomSource &) = delete;
    RandomSource &operator=(const RandomSource &) = delete;
    virtual ~RandomSource();

    /// Returns a unique token: 128 bits as 32 hexadecimal digits, which people can read and compare.
    [[nodiscard]] virtual OwnerToken freshToken() = 0;

    /// Returns a uniformly distributed number from 0 (included) to 1 (excluded).
    [[nodiscard]] virtual double unit() = 0;
};

/// The operating system's random source, suitable for tokens.
class SystemRandom final : public RandomSource
{
public:
    [[nodiscard]] OwnerToken freshToken() override;
    [[nodiscard]] double unit() override;

    /// Returns the random source of the process.
    [[nodiscard]] static SystemRandom &instance();
};

} // namespace latchkey::base

#pragma once

#include "core/base/bytes.h"

namespace latchkey::base {

/// Where chance comes from: the operating system in earnest, something repeatable in tests and in the race finder.
/// Not owned by those who draw from it.
class RandomSource
{
public:
    RandomSource() = default;
    RandomSource(const RandomSource &) = delete;
    RandomSource &operator=(const RandomSource &) = delete;
    virtual ~RandomSource();

    /// A token nobody has had before: 128 bits, as 32 hexadecimal digits so that people can read and compare it.
    [[nodiscard]] virtual OwnerToken freshToken() = 0;

    /// Evenly from 0 (included) to 1 (excluded).
    [[nodiscard]] virtual double unit() = 0;
};

/// The operating system's randomness, fit for tokens.
class SystemRandom final : public RandomSource
{
public:
    [[nodiscard]] OwnerToken freshToken() override;
    [[nodiscard]] double unit() override;

    /// The process's own.
    [[nodiscard]] static SystemRandom &instance();
};

} // namespace latchkey::base

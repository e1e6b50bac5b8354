#pragma once

#include "core/foundation/base/random.h"

namespace latchkey::test {

/// A random source with tokens that count up, `token-1`, `token-2`, and a fixed result for unit().
class ScriptedRandom final : public base::RandomSource
{
public:
    explicit ScriptedRandom(double unit = 0.5)
        : m_unit(unit)
    {}

    [[nodiscard]] base::OwnerToken freshToken() override
    {
        return base::OwnerToken("token-" + QByteArray::number(++m_count));
    }
    [[nodiscard]] double unit() override { return m_unit; }

private:
    double m_unit;
    int m_count = 0;
};

} // namespace latchkey::test

#pragma once

#include "core/foundation/base/glob.h"

#include <algorithm>
#include <vector>

namespace latchkey::base {

/// A set of key patterns. A key matches if it matches at least one pattern, or if the set is empty. A value type.
class Globs final
{
public:
    Globs() = default;
    /*implicit*/ Globs(Glob glob) // A single pattern is usual.
        : Globs(std::vector {std::move(glob)})
    {}
    explicit Globs(std::vector<Glob> globs)
        : m_globs(std::move(globs))
    {
        if (std::ranges::any_of(m_globs, &Glob::matchesEverything))
            m_globs.clear();
    }

    [[nodiscard]] bool matches(QByteArrayView key) const
    {
        return matchesEverything()
            || std::ranges::any_of(m_globs, [key](const Glob &glob) { return glob.matches(key); });
    }
    [[nodiscard]] bool matchesEverything() const { return m_globs.empty(); }
    /// Returns the patterns; empty if every key matches.
    [[nodiscard]] const std::vector<Glob> &all() const { return m_globs; }

private:
    std::vector<Glob> m_globs;
};

} // namespace latchkey::base

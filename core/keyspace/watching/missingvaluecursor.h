#pragma once

#include "core/keyspace/keys/knownkeys.h"
#include "core/keyspace/watching/valuereader.h"

#include <optional>

namespace latchkey::watching {

/// A cursor over the known keys that still lack a type or a value by which the rows are sorted. It walks through the
/// known keys repeatedly, with a pause: keys come and go, and an unreadable key may become readable. Pure: it reads
/// nothing from the server. Owned by the ValueQueue; the known keys are not owned.
class MissingValueCursor final
{
public:
    explicit MissingValueCursor(const keys::KnownKeys &known)
        : m_known(known)
    {}

    /// Sets what to complete; absent: only keys on screen are read.
    void setTarget(std::optional<ValueReader::Part> what);
    [[nodiscard]] const std::optional<ValueReader::Part> &target() const { return m_target; }
    /// Returns the next keys that lack the type or value, at most `maximum`; empty during the pause.
    [[nodiscard]] std::vector<QByteArray> next(base::MonotonicTime now, std::size_t maximum);

private:
    const keys::KnownKeys &m_known; // Not owned.
    std::optional<ValueReader::Part> m_target;
    quint32 m_next = 0; ///< First id not examined yet.
    base::MonotonicTime m_resumes;
};

} // namespace latchkey::watching

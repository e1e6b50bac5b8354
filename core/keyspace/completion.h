#pragma once

#include "core/keys/knownkeys.h"
#include "core/keyspace/valuereader.h"

#include <optional>

namespace latchkey::keyspace {

/// Which keys still lack what the rows are to be sorted by: their types or their values.
/// Goes through what is known again and again, with a pause: keys come and go, and one that could not be read may be
/// readable later. Pure: it reads nothing itself. Owned by the Watcher; what is known is not owned.
class Completion final
{
public:
    explicit Completion(const keys::KnownKeys &known)
        : m_known(known)
    {}

    /// Absent: nothing is wanted of keys that nobody looks at.
    void want(std::optional<ValueReader::What> what);
    [[nodiscard]] const std::optional<ValueReader::What> &wanted() const { return m_wanted; }
    /// The next keys that lack it, at most so many; none while it pauses.
    [[nodiscard]] std::vector<QByteArray> next(base::MonotonicTime now, std::size_t most);

private:
    const keys::KnownKeys &m_known; // Not owned.
    std::optional<ValueReader::What> m_wanted;
    quint32 m_next = 0; ///< Up to which id has been looked.
    base::MonotonicTime m_resumes;
};

} // namespace latchkey::keyspace

#include "core/keyspace/watching/missingvaluecursor.h"

namespace latchkey::watching {

using keys::KeyId;
using namespace std::chrono_literals;

namespace {

constexpr auto pause = 1s;

} // namespace

void MissingValueCursor::setTarget(std::optional<ValueReader::Part> what)
{
    m_target = what;
    m_next = 0;
    m_resumes = {};
}

std::vector<QByteArray> MissingValueCursor::next(base::MonotonicTime now, std::size_t maximum)
{
    std::vector<QByteArray> names;
    if (!m_target || now < m_resumes || maximum == 0)
        return names;
    const keys::KeyTable &table = m_known.table;
    for (; m_next < table.idLimit() && names.size() < maximum; ++m_next) {
        const KeyId id {m_next};
        if (!m_known.isLive(id))
            continue;
        const bool isLacking = *m_target == ValueReader::Part::Types ? table.type(id) == keys::KeyType::Unknown
                                                                     : m_known.value(id) == nullptr;
        if (isLacking)
            names.push_back(table.key(id).toByteArray());
    }
    if (m_next >= table.idLimit()) {
        m_next = 0;
        m_resumes = now + pause;
    }
    return names;
}

} // namespace latchkey::watching

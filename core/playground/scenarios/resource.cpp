#include "core/playground/scenarios/resource.h"

namespace latchkey::scenarios {

bool Resource::write(const QString &client, std::optional<qint64> fencing)
{
    if (fencing && m_largest && *fencing < *m_largest) {
        m_refused += client;
        return false;
    }
    if (fencing)
        m_largest = fencing;
    m_written += client;
    return true;
}

} // namespace latchkey::scenarios

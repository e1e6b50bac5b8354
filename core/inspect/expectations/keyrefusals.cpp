#include "core/inspect/expectations/keyrefusals.h"

#include <algorithm>

namespace latchkey::expectations {

using base::MonotonicTime;
using events::Coverage;
using events::KeyRequest;

void KeyRefusals::begin(const QByteArray &key, MonotonicTime seenAt, const Coverage &known)
{
    if (m_keys.contains(key))
        return;
    m_keys.insert(key);
    if (!m_refusals.empty() && !m_refusals.back().to) {
        m_refusals.back().from = std::min(m_refusals.back().from, seenAt);
        return;
    }
    const auto denial = std::ranges::find(known.denied(), KeyRequest::Expiry, &Coverage::Denial::request);
    const base::Error why = denial != known.denied().end()
                              ? denial->why
                              : base::Error {base::ErrorKind::PermissionDenied,
                                             base::Text(QT_TRANSLATE_NOOP("core", "the user may not read the key"))};
    m_refusals.push_back({seenAt, {}, why, KeyRequest::Expiry, true});
}

void KeyRefusals::end(const QByteArray &key, MonotonicTime answered)
{
    if (m_keys.remove(key) && m_keys.isEmpty())
        m_refusals.back().to = std::max(m_refusals.back().from, answered);
}

Coverage KeyRefusals::addedTo(const Coverage &coverage, bool areKeysKnown) const
{
    Coverage::Parts parts = coverage.parts();
    parts.gaps.insert(parts.gaps.end(), m_refusals.begin(), m_refusals.end());
    std::ranges::stable_sort(parts.gaps, {}, &Coverage::Gap::from);
    if (areKeysKnown && m_keys.isEmpty() && !m_refusals.empty())
        std::erase_if(parts.denied, [](const Coverage::Denial &denial) { return denial.isOfSomeKeys; });
    return Coverage(std::move(parts));
}

} // namespace latchkey::expectations

#include "core/explore/programs/tokensubstitution.h"

#include "core/explore/races/schedule.h"

#include <algorithm>
#include <functional>

namespace latchkey::programs {

void TokenSubstitution::add(const QList<QByteArray> &values, const QList<QByteArray> &others,
                            const QList<QByteArray> &prefixes)
{
    for (int n = 0; n < static_cast<int>(values.size()); ++n) {
        if (!m_handled.emplace(n, prefixes[n]).second)
            continue;
        for (races::ClientIndex client = 0; client < races::maxClients; ++client) {
            if (auto value = similarToken(values[n], others[n], client))
                m_substitutes.push_back({n, tokenName(client, n, prefixes[n]), *std::move(value)});
        }
    }
    // token-of-A-2 before token-of-A, and lock:token-of-A before token-of-A.
    std::ranges::stable_sort(m_substitutes, std::ranges::greater(),
                             [](const Substitute &each) { return std::pair(each.n, each.name.size()); });
}

std::vector<races::Offer> TokenSubstitution::named(std::vector<races::Offer> offers) const
{
    if (m_substitutes.empty())
        return offers;
    return changed(std::move(offers), [this](QByteArray word) {
        for (const auto &[n, name, value] : m_substitutes)
            word.replace(value, name);
        return word;
    });
}

resp::Reply TokenSubstitution::shown(const resp::Reply &reply) const
{
    return changed(reply, [this](QByteArray text) {
        for (const auto &[n, name, value] : m_substitutes)
            text.replace(name, value);
        return text;
    });
}

} // namespace latchkey::programs

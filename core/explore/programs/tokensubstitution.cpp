#include "core/explore/programs/tokensubstitution.h"

#include "core/explore/races/schedule.h"

#include <algorithm>
#include <functional>

namespace latchkey::programs {

void TokenSubstitution::add(const QList<QByteArray> &values, const QList<QByteArray> &others)
{
    for (; m_values < values.size(); ++m_values) {
        const int n = static_cast<int>(m_values);
        for (races::ClientIndex client = 0; client < races::mostClients; ++client) {
            if (auto value = similarToken(values[n], others[n], client))
                m_pairs.emplace_back(tokenName(client, n), *std::move(value));
        }
    }
    std::ranges::stable_sort(m_pairs, std::ranges::greater(), [](const auto &pair) { return pair.first.size(); });
}

std::vector<races::Offer> TokenSubstitution::named(std::vector<races::Offer> offers) const
{
    if (m_pairs.empty())
        return offers;
    return changed(std::move(offers), [this](QByteArray word) {
        for (const auto &[name, value] : m_pairs)
            word.replace(value, name);
        return word;
    });
}

resp::Reply TokenSubstitution::shown(const resp::Reply &reply) const
{
    return changed(reply, [this](QByteArray text) {
        for (const auto &[name, value] : m_pairs)
            text.replace(name, value);
        return text;
    });
}

} // namespace latchkey::programs

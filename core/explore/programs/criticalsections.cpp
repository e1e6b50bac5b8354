#include "core/explore/programs/criticalsections.h"

#include <algorithm>

namespace latchkey::programs {

using races::Offer;

quint32 CriticalSections::after(const TreeNode &before, const Event &event)
{
    constexpr int most = 32;
    if (isOfTime(event) || event.kind == Event::Kind::Message)
        return before.criticalSections;
    const auto offer = std::ranges::find(before.offers, event.conversation, &Offer::conversation);
    if (offer == before.offers.end())
        return before.criticalSections;
    const resp::Command &command = offer->commands.back();
    if (command.words().size() != 2 || command.name().toUpper() != "ECHO")
        return before.criticalSections;
    const QByteArray &word = command.words()[1];
    const QByteArray inside = "latchkey:inside:";
    const QByteArray outside = "latchkey:outside:";
    const bool comesInside = word.startsWith(inside);
    if ((!comesInside && !word.startsWith(outside)) || (comesInside && event.kind == Event::Kind::Loss))
        return before.criticalSections;
    const QByteArray name = word.mid(comesInside ? inside.size() : outside.size());
    if (!m_bits.contains(name))
        m_bits.insert(name, static_cast<int>(m_bits.size()) % most);
    const quint32 bit = quint32(1) << m_bits.value(name);
    return comesInside ? before.criticalSections | bit : before.criticalSections & ~bit;
}

} // namespace latchkey::programs

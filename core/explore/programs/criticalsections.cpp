#include "core/explore/programs/criticalsections.h"

#include "core/explore/programs/tokenplaceholders.h"

#include <algorithm>

namespace latchkey::programs {

using races::Offer;

namespace {

/// Name of the critical section of the patterns. A reported section has a longer name.
const QByteArray patternSection = "";

/// Calls the function with each command of a step and its reply. A lost reply is null. The commands of a transaction
/// have the replies in the array of EXEC; without the array, none took effect.
template<typename Function>
void forEachReply(const resp::Commands &commands, const resp::Reply *reply, Function function)
{
    if (commands.size() == 1)
        return function(commands.front(), reply);
    for (std::size_t i = 1; i + 1 < commands.size(); ++i) {
        if (reply == nullptr)
            function(commands[i], nullptr);
        else if (reply->isArray() && i - 1 < reply->elements().size())
            function(commands[i], &reply->elements()[i - 1]);
    }
}

bool matchesAny(const std::vector<schedules::CommandPattern> &patterns, const resp::Command &command,
                const resp::Reply &reply)
{
    return std::ranges::any_of(patterns, [&](const schedules::CommandPattern &pattern) {
        return pattern.matches(command) && pattern.matches(reply);
    });
}

} // namespace

quint32 CriticalSectionIndex::bitOf(const QByteArray &name)
{
    constexpr int maximum = 32;
    if (!m_bits.contains(name))
        m_bits.insert(name, static_cast<int>(m_bits.size()) % maximum);
    return quint32(1) << m_bits.value(name);
}

QList<QByteArray> CriticalSections::after(const TreeNode &before, const ProcessEvent &event)
{
    if (isTimeEvent(event) || event.kind == ProcessEvent::Kind::Message)
        return before.criticalSections;
    const auto offer = std::ranges::find(before.offers, event.conversation, &Offer::conversation);
    if (offer == before.offers.end())
        return before.criticalSections;
    QList<QByteArray> sections = before.criticalSections;
    const resp::Reply *reply = event.kind == ProcessEvent::Kind::Reply ? &event.reply : nullptr;
    forEachReply(offer->commands, reply, [&](const resp::Command &command, const resp::Reply *one) {
        followReport(sections, command, one != nullptr);
        // Without a reply, the client does not enter. A client that may have left counts as having left.
        const bool isLeaving =
            one != nullptr ? matchesAny(m_program.leaving, command, *one)
                           : std::ranges::any_of(m_program.leaving, [&](const schedules::CommandPattern &pattern) {
                                 return pattern.matches(command);
                             });
        if (isLeaving)
            sections.removeAll(patternSection);
        if (one != nullptr && matchesAny(m_program.entering, command, *one))
            enter(sections, patternSection);
    });
    return sections;
}

quint32 CriticalSections::bitsOf(const QList<QByteArray> &sections, races::ClientIndex client,
                                 const QList<QByteArray> &prefixes) const
{
    quint32 bits = 0;
    for (const QByteArray &name : sections)
        bits |= m_names->bitOf(withTokenNames(name, client, prefixes));
    return bits;
}

/// Updates the critical sections after a command that may be the program's own report.
void CriticalSections::followReport(QList<QByteArray> &sections, const resp::Command &command, bool hasReply)
{
    if (command.words().size() != 2 || command.name().toUpper() != "ECHO")
        return;
    const QByteArray &word = command.words()[1];
    const QByteArray inside = "latchkey:inside:";
    const QByteArray outside = "latchkey:outside:";
    if (word.startsWith(outside))
        sections.removeAll("latchkey:" + word.mid(outside.size()));
    else if (word.startsWith(inside) && hasReply)
        enter(sections, "latchkey:" + word.mid(inside.size()));
}

void CriticalSections::enter(QList<QByteArray> &sections, const QByteArray &name)
{
    m_isAnyEntered = true;
    const auto position = std::ranges::lower_bound(sections, name);
    if (position == sections.end() || *position != name)
        sections.insert(position, name);
}

} // namespace latchkey::programs

#include "core/explore/programs/programrun.h"

#include "core/explore/programs/tokenplaceholders.h"

#include <algorithm>

namespace latchkey::programs {

using races::ClientStatus;

ProgramRun::ProgramRun(std::shared_ptr<ObservationTree> tree, races::ClientIndex client)
    : m_tree(std::move(tree))
    , m_client(client)
{}

ClientStatus ProgramRun::clientStatus() const
{
    ClientStatus status;
    status.stage = isOver() ? races::Stage::Finished : races::Stage::Running;
    if (isOver())
        status.criticalSections = 0;
    else
        status.criticalSections = m_tree->criticalSections().bitsOf(node().criticalSections, m_client, node().tokens);
    status.isInside = status.criticalSections != 0;
    status.endsInside = isOver() && !node().criticalSections.isEmpty();
    status.hasFailed = isOver() && node().exitCode != 0;
    if (isOver())
        status.outcome = node().exitCode == 0
                           ? base::Text(QT_TRANSLATE_NOOP("core", "ends"))
                           : base::Text(QT_TRANSLATE_NOOP("core", "ends with exit code %1"), node().exitCode);
    return status;
}

std::vector<races::Offer> ProgramRun::offers() const
{
    if (node().isAtCommandLimit)
        return {};
    return changed(node().offers,
                   [this](const QByteArray &word) { return withTokenNames(word, m_client, node().tokens); });
}

std::chrono::milliseconds ProgramRun::waited(int conversation) const
{
    const auto offer = std::ranges::find(node().offers, conversation, &races::Offer::conversation);
    return offer == node().offers.end() ? std::chrono::milliseconds()
                                        : node().waited[static_cast<std::size_t>(offer - node().offers.begin())];
}

ProcessEvent ProgramRun::eventFor(int conversation, ProcessEvent::Kind kind, const resp::Reply &reply) const
{
    const QList<QByteArray> &prefixes = node().tokens;
    ProcessEvent event;
    event.kind = kind;
    event.conversation = static_cast<quint8>(conversation);
    if (kind != ProcessEvent::Kind::Loss)
        event.reply = changed(reply, [&](QByteArray text) {
            for (int n = static_cast<int>(prefixes.size()) - 1; n >= 0; --n) // Longer names first.
                text.replace(tokenName(m_client, n, prefixes[n]), tokenPlaceholder(n));
            return text;
        });
    return event;
}

void ProgramRun::answer(int conversation, const resp::Reply &reply)
{
    m_at = m_tree->after(m_at, eventFor(conversation, ProcessEvent::Kind::Reply, reply));
}

void ProgramRun::lose(int conversation, const resp::Reply &reply)
{
    m_at = m_tree->after(m_at, eventFor(conversation, ProcessEvent::Kind::Loss, reply));
}

void ProgramRun::receive(int conversation, const resp::Reply &message)
{
    m_at = m_tree->after(m_at, eventFor(conversation, ProcessEvent::Kind::Message, message));
}

ProcessEvent ProgramRun::timeAdvance(std::chrono::milliseconds time)
{
    ProcessEvent event;
    event.kind = ProcessEvent::Kind::TimeAdvance;
    event.time = time;
    return event;
}

std::optional<std::chrono::milliseconds> ProgramRun::timer() const
{
    return node().isAtCommandLimit || node().isOver ? std::nullopt : node().timer;
}

void ProgramRun::advanceClock(std::chrono::milliseconds time)
{
    if (node().isOver)
        return;
    m_at = m_tree->after(m_at, timeAdvance(time));
}

void ProgramRun::beginAt(std::chrono::milliseconds time)
{
    ProcessEvent event;
    event.kind = ProcessEvent::Kind::Begin;
    event.time = time;
    m_at = m_tree->after(m_at, event);
}

} // namespace latchkey::programs

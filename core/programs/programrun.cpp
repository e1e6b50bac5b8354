#include "core/programs/programrun.h"

#include "core/programs/ownvalues.h"

#include <algorithm>

namespace latchkey::programs {

using races::Situation;

ProgramRun::ProgramRun(std::shared_ptr<Behaviour> behaviour, races::ClientIndex client)
    : m_behaviour(std::move(behaviour))
    , m_client(client)
{}

Situation ProgramRun::situation() const
{
    Situation situation;
    situation.stage = point().isOver ? races::Stage::Finished : races::Stage::Running;
    situation.rooms = point().isOver ? 0 : point().rooms;
    situation.isInside = situation.rooms != 0;
    situation.endsInside = point().isOver && point().rooms != 0;
    if (point().isOver)
        situation.outcome = point().exitCode == 0 ? QStringLiteral("ends")
                                                  : QStringLiteral("ends with exit code %1").arg(point().exitCode);
    return situation;
}

std::vector<races::Offer> ProgramRun::offers() const
{
    if (point().isCut)
        return {};
    const int tokens = point().tokens;
    return changed(point().offers, [&](QByteArray word) {
        for (int n = 0; n < tokens; ++n)
            word.replace(ownValue(n), tokenName(m_client, n));
        return word;
    });
}

std::chrono::milliseconds ProgramRun::waited(int conversation) const
{
    const auto offer = std::ranges::find(point().offers, conversation, &races::Offer::conversation);
    return offer == point().offers.end() ? std::chrono::milliseconds()
                                         : point().waited[static_cast<std::size_t>(offer - point().offers.begin())];
}

Event ProgramRun::eventFor(int conversation, Event::Kind kind, const resp::Reply &reply) const
{
    const int tokens = point().tokens;
    Event event;
    event.kind = kind;
    event.conversation = static_cast<quint8>(conversation);
    if (kind != Event::Kind::Loss)
        event.reply = changed(reply, [&](QByteArray text) {
            for (int n = tokens - 1; n >= 0; --n) // Longer names first.
                text.replace(tokenName(m_client, n), ownValue(n));
            return text;
        });
    return event;
}

void ProgramRun::answer(int conversation, const resp::Reply &reply)
{
    m_at = m_behaviour->after(m_at, eventFor(conversation, Event::Kind::Reply, reply));
}

void ProgramRun::lose(int conversation, const resp::Reply &reply)
{
    m_at = m_behaviour->after(m_at, eventFor(conversation, Event::Kind::Loss, reply));
}

void ProgramRun::hear(int conversation, const resp::Reply &message)
{
    m_at = m_behaviour->after(m_at, eventFor(conversation, Event::Kind::Told, message));
}

Event ProgramRun::passing(std::chrono::milliseconds time)
{
    Event event;
    event.kind = Event::Kind::Pass;
    event.time = time;
    return event;
}

std::optional<std::chrono::milliseconds> ProgramRun::timer() const
{
    return point().isCut ? std::nullopt : point().timer;
}

void ProgramRun::pass(std::chrono::milliseconds time)
{
    m_at = m_behaviour->after(m_at, passing(time));
}

void ProgramRun::beginAt(std::chrono::milliseconds time)
{
    Event event;
    event.kind = Event::Kind::Begin;
    event.time = time;
    m_at = m_behaviour->after(m_at, event);
}

} // namespace latchkey::programs

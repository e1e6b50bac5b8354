#include "core/programs/exploredprogram.h"

#include "core/caches/catalogue.h"
#include "core/keys/glob.h"
#include "core/programs/programrun.h"
#include "core/programs/rules.h"
#include "core/programs/touches.h"
#include "core/races/transitions.h"

#include <algorithm>

namespace latchkey::programs {

using base::ErrorKind;
using base::failure;
using base::Result;
using races::ClientIndex;
using races::KeyState;
using races::Move;
using races::Snapshot;
using races::Touch;

ExploredProgram::ExploredProgram(Program program)
    : m_behaviour(std::make_shared<Behaviour>(std::move(program)))
{}

std::span<const races::Rule *const> ExploredProgram::rules() const
{
    return programs::rules();
}

races::RunFactory ExploredProgram::client(ClientIndex client) const
{
    return [behaviour = m_behaviour, client] { return std::make_unique<ProgramRun>(behaviour, client); };
}

Result<bool> ExploredProgram::prepare(races::Testbed &testbed, QDeadlineTimer deadline)
{
    while (!m_isPrepared) {
        auto prepared = m_alone ? goOnAlone(testbed) : begin(testbed);
        if (!prepared)
            return failure(std::move(prepared.error()));
        if (deadline.hasExpired())
            break;
    }
    return m_isPrepared;
}

Result<void> ExploredProgram::begin(races::Testbed &testbed)
{
    if (auto opened = m_behaviour->open(); !opened)
        return failure(opened.error().during(program().name()));
    const auto empty = testbed.prepare({});
    if (!empty)
        return failure(empty.error());
    m_held = *empty;
    m_alone = std::make_unique<ProgramRun>(m_behaviour, 0);
    return {};
}

/// One command further, of its conversations in turn.
Result<void> ExploredProgram::goOnAlone(races::Testbed &testbed)
{
    const auto offers = m_alone->offers();
    const bool hasBeenHere = !m_seenAlone.insert({m_held, m_alone->at(), m_servedAlone}).second;
    if (offers.empty() || hasBeenHere) // It is over, or tries for ever.
        return endAlone();
    auto offer =
        std::ranges::find_if(offers, [&](const races::Offer &each) { return each.conversation > m_servedAlone; });
    if (offer == offers.end())
        offer = offers.begin();
    m_servedAlone = offer->conversation;
    const auto effect =
        testbed.carryOut(m_held, races::speakerOf(0, offer->conversation), testbed.number(offer->commands));
    if (!effect)
        return failure(effect.error());
    const resp::Reply &reply = testbed.reply(effect->reply);
    const Touch touched = touch(offer->commands, reply, testbed.snapshot(m_held), testbed.snapshot(effect->after));
    m_usesResource = m_usesResource || touched.reads || touched.writes;
    m_held = effect->after;
    m_alone->answer(offer->conversation, reply);
    if (m_behaviour->trouble())
        return failure(m_behaviour->trouble()->during(program().name()));
    return {};
}

/// Whoever fails even by itself is not explored: that all its clients fail alike would break no promise.
Result<void> ExploredProgram::endAlone()
{
    m_isPrepared = true;
    m_hasRooms = m_behaviour->hasRooms();
    if (const auto &failed = m_behaviour->failedEnds(); !failed.empty() && m_alone->offers().empty())
        return failure(base::Error(ErrorKind::Protocol,
                                   base::Text(QT_TRANSLATE_NOOP("core", "a client by itself, without any fault, ends "
                                                                        "with exit code %1; %2"),
                                              failed.begin()->first, Process::told(failed.begin()->second)))
                           .during(program().name()));
    return {};
}

std::vector<races::FailedEnd> ExploredProgram::failedEnds() const
{
    std::vector<races::FailedEnd> ends;
    for (const auto &[exitCode, words] : m_behaviour->failedEnds())
        ends.push_back({exitCode, words});
    return ends;
}

bool ExploredProgram::applies(const QString &promise) const
{
    if (promise == lostUpdate())
        return m_usesResource;
    if (promise == caches::promiseId(caches::Promise::NoImmortalKey))
        return true;
    return m_hasRooms;
}

bool ExploredProgram::isBookkeeping(const QByteArray &key) const
{
    return key != program().resource && std::ranges::none_of(program().data, [&](const QByteArray &pattern) {
               return keys::Glob(pattern).matches(key);
           });
}

Touch ExploredProgram::touch(const resp::Commands &commands, const resp::Reply &reply, const Snapshot &before,
                             const Snapshot &after) const
{
    const QByteArray &key = program().resource;
    if (key.isEmpty())
        return {};
    const KeyState *now = after.find(key);
    const bool hasChanged = !races::holdTheSame(before.find(key), now);
    const QByteArray text = now == nullptr ? QByteArray() : now->text;
    if (commands.size() == 1)
        return touchOf(key, commands.front(), reply, hasChanged, text);
    Touch all;
    for (std::size_t i = 0; i < reply.elements().size() && i + 2 < commands.size(); ++i) {
        const Touch touch = touchOf(key, commands[i + 1], reply.elements()[i], hasChanged, text);
        all = {all.reads || touch.reads, all.writes || touch.writes, all.overwrites || touch.overwrites};
    }
    return all;
}

Result<void> ExploredProgram::rehearse(races::Transitions &transitions, const races::Schedule &schedule)
{
    struct Actor
    {
        std::unique_ptr<Process> process;
        std::unique_ptr<ProgramRun> run;
    };
    std::map<ClientIndex, Actor> actors;
    races::State state = transitions.model().start();
    for (const Move &move : schedule) {
        if (move.client != races::nobody && !actors.contains(move.client)) {
            auto process = m_behaviour->begin();
            if (!process)
                return failure(process.error().during(program().name()));
            actors[move.client] = {std::move(*process), std::make_unique<ProgramRun>(m_behaviour, move.client)};
        }
        if (move.kind == Move::Kind::Crash) {
            actors[move.client].process.reset();
        } else if (move.kind != Move::Kind::Lapse) {
            Actor &actor = actors[move.client];
            const auto step = transitions.clientStep(state, move);
            if (!step)
                return failure(step.error());
            const int conversation = transitions.model().graph(move.client)[step->from].requests[move.index].index;
            const auto &reply = transitions.model().testbed().reply(step->reply);
            const bool isLost = move.kind == Move::Kind::LostCommand;
            const Event event = actor.run->eventFor(conversation, isLost, reply);
            isLost ? actor.run->lose(conversation, reply) : actor.run->answer(conversation, reply);
            if (auto advanced = m_behaviour->advance(*actor.process, event, actor.run->at()); !advanced)
                return failure(advanced.error().during(program().name()));
        }
        const auto successor = transitions.apply(state, move);
        if (!successor)
            return failure(successor.error());
        state = successor->state;
    }
    return {};
}

races::Subject subjectFor(const Program &program, int clients)
{
    const auto explored = std::make_shared<ExploredProgram>(program);
    races::Subject subject;
    subject.recipe = program.name();
    subject.clients = clients;
    subject.key = base::Key(program.resource);
    for (const races::Rule *rule : rules()) {
        subject.claims += rule->promise(); // Nobody wants a program that breaks them.
        subject.promises += rule->promise();
    }
    subject.client = [explored](ClientIndex client, const races::Faults &) { return explored->client(client); };
    subject.mustExpire = [explored](const KeyState &key) { return explored->isBookkeeping(key.key); };
    subject.foreign = explored;
    return subject;
}

} // namespace latchkey::programs

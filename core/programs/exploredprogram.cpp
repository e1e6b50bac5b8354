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

namespace {

/// Longer than any client by itself goes on that is worth exploring.
constexpr int mostAlone = 10'000;

bool hasChanged(const QByteArray &key, const Snapshot &before, const Snapshot &after)
{
    const KeyState *old = before.find(key);
    const KeyState *now = after.find(key);
    if (old == nullptr || now == nullptr)
        return old != now;
    return old->dump != now->dump || old->type != now->type;
}

} // namespace

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

Result<void> ExploredProgram::prepare(races::Testbed &testbed)
{
    const base::Text name = program().name();
    if (auto opened = m_behaviour->open(); !opened)
        return failure(opened.error().during(name));
    const auto empty = testbed.prepare({});
    if (!empty)
        return failure(empty.error());
    races::SnapshotId held = *empty;
    ProgramRun alone(m_behaviour, 0);
    for (int sent = 0; sent < mostAlone; ++sent) {
        const auto offers = alone.offers();
        if (offers.empty())
            break;
        const races::Offer &offer = offers.front();
        const auto effect =
            testbed.carryOut(held, races::speakerOf(0, offer.conversation), testbed.number(offer.commands));
        if (!effect)
            return failure(effect.error());
        const Touch touched = touch(offer.commands, testbed.reply(effect->reply), testbed.snapshot(held),
                                    testbed.snapshot(effect->after));
        m_usesResource = m_usesResource || touched.reads || touched.writes;
        const bool isHeld = effect->after == held;
        held = effect->after;
        const PointId before = alone.at();
        alone.answer(offer.conversation, testbed.reply(effect->reply));
        if (m_behaviour->trouble())
            return failure(m_behaviour->trouble()->during(name));
        if (isHeld && alone.at() == before)
            break; // It tries for ever.
    }
    return {};
}

bool ExploredProgram::applies(const QString &promise) const
{
    if (promise == lostUpdate())
        return m_usesResource;
    if (promise == caches::promiseId(caches::Promise::NoImmortalKey))
        return true;
    return m_behaviour->hasRooms();
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
    const bool changed = hasChanged(key, before, after);
    if (commands.size() == 1)
        return touchOf(key, commands.front(), reply, changed);
    Touch all;
    for (std::size_t i = 0; i < reply.elements().size() && i + 2 < commands.size(); ++i) {
        const Touch touch = touchOf(key, commands[i + 1], reply.elements()[i], changed);
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
    subject.isData = [explored](const KeyState &key) { return explored->isBookkeeping(key.key); };
    subject.foreign = explored;
    return subject;
}

} // namespace latchkey::programs

#include "ui/pages/playground/clientbelief.h"

#include "ui/kit/widgets/bidi.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/views/keytable/keytext.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>

namespace latchkey::ui::playground {

using latchkey::playground::ClientPool;
using latchkey::playground::ClientProcess;
using State = ClientProcess::State;
using Tone = widgets::Pill::Tone;
using namespace std::chrono_literals;

namespace {

/// The translation context of the texts below.
struct BeliefText
{
    Q_DECLARE_TR_FUNCTIONS(ClientBelief)
};

QString duration(std::chrono::nanoseconds time)
{
    return widgets::isolated(keytable::durationText(time));
}

void describeState(const ClientProcess &client, BeliefView &view)
{
    if (client.isPaused()) {
        view.state = BeliefText::tr("paused");
        view.stateTone = Tone::Warning;
        return;
    }
    switch (client.state()) {
    case State::Starting:
        view.state = BeliefText::tr("starting");
        break;
    case State::Idle:
        view.state = BeliefText::tr("idle");
        break;
    case State::Working:
        view.state = BeliefText::tr("working");
        view.stateTone = Tone::Accent;
        break;
    case State::Holding:
        view.state = BeliefText::tr("holding");
        view.stateTone = Tone::Good;
        break;
    case State::Dead:
        view.state = BeliefText::tr("crashed");
        view.stateTone = Tone::Critical;
        break;
    }
}

/// Returns the text about the fencing number. A resource that checks it can refuse a holder that writes too late.
QString fencingText(const ClientProcess::Hold &hold)
{
    return hold.fencing
             ? BeliefText::tr(", with fencing number %1").arg(widgets::isolated(QString::number(*hold.fencing)))
             : QString();
}

QString beliefText(const ClientProcess &client, base::MonotonicTime now)
{
    const auto &hold = client.hold();
    if (client.state() == State::Dead)
        return hold ? BeliefText::tr("nothing: it crashed while it held the lock")
                    : BeliefText::tr("nothing: it has crashed");
    const auto &last = client.lastReport();
    if (!hold && last && last->event == latchkey::playground::ClientReport::Event::Lost)
        return BeliefText::tr("it has lost the lock: %1").arg(last->message.toString());
    if (!hold)
        return client.state() == State::Working ? BeliefText::tr("nothing yet") : BeliefText::tr("holds no lock");
    if (hold->validUntil == base::MonotonicTime::max())
        return BeliefText::tr("holds it, without a lease") + fencingText(*hold);
    const auto left = hold->validUntil - now;
    if (left >= 0ns)
        return BeliefText::tr("holds it, %1 left").arg(duration(left)) + fencingText(*hold);
    return BeliefText::tr("holds it, but the lease ended %1 ago").arg(duration(-left)) + fencingText(*hold);
}

QString leftText(const KeyServerState &serverState, base::MonotonicTime now)
{
    const auto left = serverState.deadline.remaining(now);
    if (!left)
        return BeliefText::tr("without expiry");
    return *left < 0ns ? BeliefText::tr("due") : BeliefText::tr("for %1").arg(duration(*left));
}

locks::LockValue valueOf(const QString &recipe)
{
    const auto found = locks::findRecipe(recipe);
    return found ? (*found)->value : locks::LockValue::Constant;
}

/// Returns whether the value of the lock proves that this client holds it. A token does, and so does a deadline that
/// this client wrote. Another deadline proves nothing, because contenders change it. A constant proves nothing.
bool isOwnLock(const ClientProcess::Hold &hold, const KeyServerState &serverState)
{
    return valueOf(hold.recipe) != locks::LockValue::Constant && !hold.token.isEmpty()
        && serverState.value == hold.token.bytes();
}

bool isAnothersLock(const ClientProcess::Hold &hold, const KeyServerState &serverState)
{
    return valueOf(hold.recipe) == locks::LockValue::Token && !hold.token.isEmpty() && !serverState.value.isEmpty()
        && serverState.value != hold.token.bytes();
}

/// Sets the texts for an existing lock, depending on its holder.
void describeHeld(const ClientProcess &client, const KeyServerState &serverState, base::MonotonicTime now,
                  BeliefView &view)
{
    const auto &hold = client.hold();
    const bool isDead = client.state() == State::Dead;
    const bool isOthers = hold && isAnothersLock(*hold, serverState);
    const QString left = leftText(serverState, now);
    if (hold && isOwnLock(*hold, serverState)) {
        view.truth = isDead ? BeliefText::tr("still held by this client, %1").arg(left)
                            : BeliefText::tr("held by this client, %1").arg(left);
        view.truthTone = isDead ? Tone::Warning : Tone::Good;
    } else if (!serverState.holder.isEmpty() && !serverState.isHolderAlive) {
        view.truth = BeliefText::tr("held by %1, which has crashed, %2").arg(serverState.holder, left);
        view.truthTone = Tone::Warning;
    } else if (!serverState.holder.isEmpty()) {
        view.truth = BeliefText::tr("held by %1, %2").arg(serverState.holder, left);
    } else if (isOthers) {
        view.truth = BeliefText::tr("held with another token, %1").arg(left);
    } else if (serverState.valueRefusal) {
        view.truth =
            BeliefText::tr("held, %1; the holder cannot be read: %2").arg(left, serverState.valueRefusal->message());
        view.truthTone = Tone::Warning;
    } else if (isDead && hold) {
        view.truth = BeliefText::tr("still held, %1").arg(left);
        view.truthTone = Tone::Warning;
    } else {
        // The value does not prove who wrote it, so the tone is not Good.
        view.truth = BeliefText::tr("held, %1; holder not recorded").arg(left);
    }
    if (isOthers && !isDead)
        view.truthTone = Tone::Critical;
}

/// Adds `on 3 of 5 servers` and its consequence: without a majority, no client holds the lock.
void describeVotes(const ClientProcess &client, const KeyServerState &serverState, BeliefView &view)
{
    const Votes &votes = *serverState.votes;
    view.truth = BeliefText::tr("%1, on %2 of %3 servers")
                     .arg(view.truth, widgets::isolated(QString::number(votes.holding)),
                          widgets::isolated(QString::number(votes.servers)));
    if (votes.refusing > 0)
        view.truth += votes.unknown() == 1 ? BeliefText::tr("; 1 cannot be read")
                                           : BeliefText::tr("; %n cannot be read", nullptr, votes.unknown());
    else if (votes.silent > 0)
        view.truth += votes.silent == 1 ? BeliefText::tr("; 1 does not answer")
                                        : BeliefText::tr("; %n do not answer", nullptr, votes.silent);
    if (votes.holding >= votes.majority())
        return;
    view.truth += BeliefText::tr(": no majority");
    const bool believes = client.hold() && client.state() != State::Dead;
    const bool mayBe = votes.holding + votes.unknown() >= votes.majority();
    view.truthTone = believes && !mayBe ? Tone::Critical : Tone::Warning;
}

/// Returns the text for a state that cannot be read: an error reply is not silence.
QString unobservedText(const KeyServerState &serverState)
{
    if (serverState.refusal)
        return BeliefText::tr("unknown: %1").arg(serverState.refusal->message());
    return serverState.votes ? BeliefText::tr("unknown: most servers do not answer")
                             : BeliefText::tr("unknown: the server does not answer");
}

void describeTruth(const ClientProcess &client, const KeyServerState &serverState, base::MonotonicTime now,
                   BeliefView &view)
{
    if (serverState.isUnobserved) {
        view.truth = unobservedText(serverState);
    } else if (!serverState.isKnown) {
        view.truth = BeliefText::tr("not requested yet");
    } else if (serverState.exists) {
        describeHeld(client, serverState, now, view);
        if (serverState.votes)
            describeVotes(client, serverState, view);
    } else {
        view.truth = serverState.votes ? BeliefText::tr("on none of %1 servers").arg(serverState.votes->servers)
                                       : BeliefText::tr("the key does not exist");
        view.truthTone = client.hold() && client.state() != State::Dead ? Tone::Critical : Tone::Neutral;
    }
}

QString acquiredText(const latchkey::playground::ClientReport &report, const QString &recipe)
{
    QString text = BeliefText::tr("Acquired.");
    switch (valueOf(recipe)) {
    case locks::LockValue::Constant:
        break;
    case locks::LockValue::Deadline: {
        bool isNumber = false;
        const qint64 end = report.token.bytes().toLongLong(&isNumber);
        if (isNumber)
            text = BeliefText::tr("Acquired; the deadline in the lock is %1.")
                       .arg(widgets::isolated(QDateTime::fromSecsSinceEpoch(end).toString(QStringLiteral("HH:mm:ss"))));
        break;
    }
    case locks::LockValue::Token:
        if (!report.token.isEmpty())
            text = BeliefText::tr("Acquired; the token is %1.")
                       .arg(widgets::isolated(base::printable(report.token.bytes(), 12)));
    }
    if (report.fencing)
        text +=
            u' ' + BeliefText::tr("The fencing number is %1.").arg(widgets::isolated(QString::number(*report.fencing)));
    return text;
}

/// Sets the remaining shares of the leases. A lease longer than requested counts as full.
void describeShares(const ClientProcess &client, const KeyServerState &serverState, base::MonotonicTime now,
                    BeliefView &view)
{
    const auto &hold = client.hold();
    auto lease = hold ? hold->lease : std::nullopt;
    if (!hold && client.attempt() && client.attempt()->options.lease)
        lease = client.attempt()->options.lease->duration(); // Assumes the requested lease for the other holder too,
                                                             // because its lease is unknown.
    const auto share = [&](std::chrono::nanoseconds left) {
        return std::clamp(std::chrono::duration<double>(left) / std::chrono::duration<double>(*lease), 0.0, 1.0);
    };
    if (!lease || lease->count() <= 0)
        return;
    if (hold && client.state() != State::Dead) {
        view.beliefShare = share(hold->validUntil - now);
        view.isPastLease = hold->validUntil < now;
    }
    if (const auto left = serverState.deadline.remaining(now); serverState.exists && !serverState.isUnobserved && left)
        view.truthShare = share(*left);
}

} // namespace

BeliefView describe(const ClientProcess &client, const KeyServerState &serverState, base::MonotonicTime now)
{
    BeliefView view;
    describeState(client, view);
    view.belief = beliefText(client, now);
    describeTruth(client, serverState, now, view);
    describeShares(client, serverState, now, view);
    if (view.isConflict() && client.hold() && now - client.hold()->since < maxReadAge) {
        view.truth = BeliefText::tr("requesting…");
        view.truthTone = Tone::Neutral;
    }
    return view;
}

QString reportText(const latchkey::playground::ClientReport &report, const QString &recipe)
{
    using Event = latchkey::playground::ClientReport::Event;
    switch (report.event) {
    case Event::Wire:
    case Event::Ready:
    case Event::Renewed: // The belief shows a renewal; a message every few seconds is not needed.
    case Event::ExpiryChanged:
    case Event::Done:
    case Event::AtBreakpoint:
    case Event::Reconnected:
        return {};
    case Event::Acquired:
        return acquiredText(report, recipe);
    case Event::Busy:
        if (!report.message.isEmpty())
            return widgets::fullSentence(report.message.toString());
        return BeliefText::tr("Busy: another client holds %1.")
            .arg(widgets::isolated(base::printable(report.key.bytes(), 60)));
    case Event::Released:
        return BeliefText::tr("Released.");
    case Event::Extended:
        return BeliefText::tr("Extended.");
    case Event::NotOwner:
        return BeliefText::tr("No longer the owner: the lock may belong to another client and was not changed.");
    case Event::Gone:
        return BeliefText::tr("Gone: the lock no longer existed.");
    case Event::Lost:
        return BeliefText::tr("Lost: %1.").arg(report.message.toString());
    case Event::Unknown:
        return BeliefText::tr("Unknown: %1.").arg(report.message.toString());
    case Event::Error:
        return widgets::sentence(report.message.toString());
    }
    Q_UNREACHABLE();
}

KeyServerState serverStateOf(const keys::KeyStore &store, const base::Key &key, const ClientPool &clientPool)
{
    KeyServerState serverState;
    serverState.isKnown = true;
    const keys::KnownKeys &known = store.known();
    const auto id = known.table.find(key.bytes());
    if (!id)
        return serverState;
    serverState.exists = true;
    serverState.deadline = known.table.deadline(*id);
    if (const keys::RawValue *value = known.value(*id))
        serverState.value = value->bytes();
    if (serverState.value.isEmpty())
        return serverState;
    if (const auto owner = clientPool.holderOf(key, base::OwnerToken(serverState.value))) {
        serverState.holder = owner->name;
        serverState.isHolderAlive = owner->isAlive;
    }
    return serverState;
}

} // namespace latchkey::ui::playground

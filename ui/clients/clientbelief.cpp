#include "ui/clients/clientbelief.h"

#include "ui/keytable/keytext.h"

#include <QCoreApplication>

namespace latchkey::ui::clients {

using keys::KeyState;
using playground::ClientProcess;
using playground::Crew;
using State = ClientProcess::State;
using Tone = widgets::Pill::Tone;
using namespace std::chrono_literals;

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("ClientBelief", text);
}

void describeState(const ClientProcess &client, BeliefView &view)
{
    if (client.isPaused()) {
        view.state = tr("paused");
        view.stateTone = Tone::Warning;
        return;
    }
    switch (client.state()) {
    case State::Starting:
        view.state = tr("starting");
        break;
    case State::Idle:
        view.state = tr("idle");
        break;
    case State::Working:
        view.state = tr("working");
        view.stateTone = Tone::Accent;
        break;
    case State::Holding:
        view.state = tr("holding");
        view.stateTone = Tone::Good;
        break;
    case State::Dead:
        view.state = tr("crashed");
        view.stateTone = Tone::Critical;
        break;
    }
}

QString beliefText(const ClientProcess &client, base::MonotonicTime now)
{
    const auto &hold = client.hold();
    if (client.state() == State::Dead)
        return hold ? tr("nothing: it died holding the lock") : tr("nothing: it is dead");
    const auto &last = client.lastReport();
    if (!hold && last && last->event == playground::ClientReport::Event::Lost)
        return tr("it has lost the lock: %1").arg(last->message);
    if (!hold)
        return client.state() == State::Working ? tr("nothing yet") : tr("holds no lock");
    if (hold->validUntil == base::MonotonicTime::max())
        return tr("holds it, without a lease");
    const auto left = hold->validUntil - now;
    if (left >= 0ns)
        return tr("holds it for another %1").arg(keytable::durationText(left));
    return tr("holds it, yet its lease ended %1 ago").arg(keytable::durationText(-left));
}

QString leftText(const Truth &truth, base::MonotonicTime now)
{
    const auto left = truth.deadline.remaining(now);
    if (!left)
        return tr("without expiry");
    return *left < 0ns ? tr("due") : tr("for %1").arg(keytable::durationText(*left));
}

/// Whether what the lock holds tells whose it is. A constant does not, nor does a deadline, which others may push.
bool hasToken(const ClientProcess::Hold &hold)
{
    const auto recipe = locks::findRecipe(hold.recipe);
    return !hold.token.isEmpty() && recipe && (*recipe)->value == locks::LockValue::Token;
}

void describeTruth(const ClientProcess &client, const Truth &truth, base::MonotonicTime now, BeliefView &view)
{
    const auto &hold = client.hold();
    if (!truth.isKnown) {
        view.truth = tr("not asked yet");
        return;
    }
    const bool believes = hold && client.state() != State::Dead;
    if (!truth.exists) {
        view.truth = tr("the key does not exist");
        view.truthTone = believes ? Tone::Critical : Tone::Neutral;
        return;
    }
    const bool knowsItsOwn = hold && hasToken(*hold);
    const bool isOwn = knowsItsOwn && truth.value == hold->token.bytes();
    const QString left = leftText(truth, now);
    if (client.state() == State::Dead && hold && (isOwn || !knowsItsOwn)) {
        view.truth = knowsItsOwn ? tr("still held by this client, %1").arg(left) : tr("still held, %1").arg(left);
        view.truthTone = Tone::Warning;
    } else if (isOwn) {
        view.truth = tr("held by this client, %1").arg(left);
        view.truthTone = Tone::Good;
    } else if (believes && knowsItsOwn && !truth.value.isEmpty()) {
        view.truth = truth.holder.isEmpty() ? tr("held with another token, %1").arg(left)
                                            : tr("held by %1, %2").arg(truth.holder, left);
        view.truthTone = Tone::Critical;
    } else if (!truth.holder.isEmpty()) {
        view.truth = tr("held by %1, %2").arg(truth.holder, left);
    } else {
        // Such a value proves nothing about who wrote it.
        view.truth = tr("held, %1; by whom is not recorded").arg(left);
        view.truthTone = believes && !knowsItsOwn ? Tone::Good : Tone::Neutral;
    }
}

} // namespace

BeliefView describe(const ClientProcess &client, const Truth &truth, base::MonotonicTime now)
{
    BeliefView view;
    describeState(client, view);
    view.belief = beliefText(client, now);
    describeTruth(client, truth, now, view);
    if (view.isConflict() && client.hold() && now - client.hold()->since < oldestLook) {
        view.truth = tr("being asked…");
        view.truthTone = Tone::Neutral;
    }
    return view;
}

Truth truthOf(const rows::RowStore &store, const base::Key &key, const Crew &crew)
{
    Truth truth;
    truth.isKnown = true;
    const auto id = store.table().find(key.bytes());
    if (!id || store.table().state(*id) != KeyState::Live)
        return truth;
    truth.exists = true;
    truth.deadline = store.table().deadline(*id);
    if (const keys::ValuePreview *value = store.value(*id); value != nullptr && value->isText)
        truth.value = value->text;
    if (const ClientProcess *holder =
            truth.value.isEmpty() ? nullptr : crew.holderOf(key, base::OwnerToken(truth.value)))
        truth.holder = holder->name();
    return truth;
}

} // namespace latchkey::ui::clients

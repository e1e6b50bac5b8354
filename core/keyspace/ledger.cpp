#include "core/keyspace/ledger.h"

namespace latchkey::keyspace {

using base::MonotonicTime;
using keys::EndChange;
using keys::KeyState;
using keys::KeyType;
using What = Happening::What;

Ledger::Ledger(QObject *parent)
    : QObject(parent)
{}

Ledger::~Ledger() = default;

void Ledger::follow(const QByteArray &key, NodeIndex node)
{
    ++m_followed[{key, node}].followers;
}

void Ledger::unfollow(const QByteArray &key, NodeIndex node)
{
    const auto found = m_followed.find({key, node});
    if (found != m_followed.end() && --found->followers <= 0)
        m_followed.erase(found);
}

void Ledger::observed(const Observations &observations)
{
    if (m_followed.isEmpty())
        return;
    QList<Place> open;
    for (const Observation &observation : observations) {
        const Place place {observation.key, observation.node};
        const auto found = m_followed.find(place);
        if (found == m_followed.end())
            continue;
        take(place, *found, observation);
        if (!open.contains(place))
            open += place;
    }
    for (const Place &place : std::as_const(open)) {
        // Whoever hears of one key may stop following another.
        if (const auto found = m_followed.find(place); found != m_followed.end())
            close(place, *found);
    }
}

void Ledger::take(const Place &place, Entry &entry, const Observation &observation)
{
    if (const auto *exists = std::get_if<Exists>(&observation.what)) {
        if (entry.newDeadline)
            close(place, entry); // A second look within one batch.
        entry.newDeadline = exists->deadline;
    } else if (const auto *valued = std::get_if<Valued>(&observation.what)) {
        entry.newValue = valued->value;
    } else if (std::holds_alternative<Gone>(observation.what)) {
        close(place, entry);
        end(place, entry, observation);
        return;
    } else if (std::holds_alternative<Hidden>(observation.what)) {
        const int followers = entry.followers;
        entry = Entry();
        entry.followers = followers;
        return;
    } else if (std::holds_alternative<Met>(observation.what) && entry.presence == Entry::Presence::There) {
        entry.lastAlive = observation.asked;
        return;
    } else {
        return;
    }
    entry.asked = observation.asked;
    entry.answered = observation.answered;
    entry.source = observation.source;
}

/// What a look at a key that was there says; nothing where all is as it was.
std::optional<What> Ledger::judge(const Entry &entry)
{
    const bool hasOtherValue = entry.newValue && entry.value && *entry.newValue != *entry.value;
    if (hasOtherValue) {
        const bool isOneValue = entry.newValue->type == KeyType::String || entry.newValue->type != entry.value->type;
        return isOneValue ? What::Replaced : What::Changed;
    }
    if (!entry.newDeadline)
        return std::nullopt;
    switch (keys::endChange(entry.deadline, entry.span, *entry.newDeadline, entry.answered)) {
    case EndChange::None:
        return std::nullopt;
    case EndChange::Renewed:
        return What::Renewed;
    case EndChange::Moved:
        break;
    }
    const bool isSameValue = entry.newValue && entry.value;
    const bool isLater = !entry.deadline.isNever() && entry.newDeadline->at() > entry.deadline.at();
    return isSameValue && isLater && !entry.newDeadline->isNever() ? What::Renewed : What::Changed;
}

void Ledger::tell(const Place &place, const Entry &entry, What what, bool isInferred)
{
    Q_EMIT happened({place.first, place.second, what, KeyState::Live, entry.newDeadline.value_or(entry.deadline),
                     entry.lastLook, entry.answered, entry.source, isInferred});
}

void Ledger::close(const Place &place, Entry &entry)
{
    if (!entry.newDeadline && !entry.newValue)
        return;
    const Entry before = entry;
    const auto what = judge(before);
    const auto left = before.newDeadline ? keys::leftAt(*before.newDeadline, before.answered) : before.span;
    const bool isSameHold = before.presence == Entry::Presence::There && (!what || *what == What::Renewed);
    if (before.newDeadline) {
        entry.span = isSameHold ? std::max(before.span, left) : left;
        entry.deadline = *before.newDeadline;
    }
    if (before.newValue)
        entry.value = before.newValue;
    else if (what && *what != What::Renewed)
        entry.value.reset(); // It may be another's by now.
    entry.presence = Entry::Presence::There;
    entry.lastLook = before.asked;
    entry.lastAlive = before.asked;
    entry.newDeadline.reset();
    entry.newValue.reset();
    // The entry is as it will be before anybody hears of it: they may stop following.
    if (before.presence == Entry::Presence::NotThere)
        tell(place, before, What::Appeared, false);
    else if (before.presence == Entry::Presence::There && what)
        tell(place, before, *what, !before.newValue);
}

void Ledger::end(const Place &place, Entry &entry, const Observation &observation)
{
    const Entry before = entry;
    entry.presence = Entry::Presence::NotThere;
    entry.value.reset();
    entry.lastLook = observation.asked;
    if (before.presence != Entry::Presence::There)
        return;
    Q_EMIT happened({place.first, place.second, What::Ended,
                     keys::endingOf(before.deadline, before.lastAlive, observation.answered), before.deadline,
                     before.lastAlive, observation.answered, observation.source, observation.isInferred});
}

void Ledger::emptied(NodeIndex node, MonotonicTime asked, MonotonicTime answered)
{
    const QList<Place> places = m_followed.keys();
    for (const Place &place : places) {
        const auto found = m_followed.find(place);
        if (place.second == node && found != m_followed.end())
            end(place, *found, {place.first, Gone {}, asked, answered, Source::Poll, false, node});
    }
}

} // namespace latchkey::keyspace

#include "ui/pages/group/grouptexts.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/duration.h"
#include "core/inspect/voting/votetexts.h"

namespace latchkey::ui::group {

using base::MonotonicTime;
using voting::LockVotes;

namespace {

using Vote = LockVotes::Vote;

/// Maximum length of a holder in a text.
constexpr qsizetype holderLength = 200;

QString durationText(std::chrono::nanoseconds left)
{
    const auto whole = std::chrono::floor<std::chrono::milliseconds>(left);
    // Below ten seconds with tenths, which can be read while they change.
    if (whole < std::chrono::seconds(10))
        return GroupTexts::tr("%1 s").arg(
            QLocale().toString(static_cast<double>(std::max<qint64>(whole.count(), 0)) / 1000.0, 'f', 1));
    return base::displayDuration(std::chrono::floor<std::chrono::seconds>(whole));
}

QString timeLeft(const LockVotes::Reply &reply, MonotonicTime now)
{
    if (!reply.isExpiryKnown)
        return GroupTexts::tr("time left not known");
    if (reply.deadline.isNever())
        return GroupTexts::tr("no expiry");
    return durationText(*reply.deadline.remaining(now));
}

QString holderOf(const LockVotes::Reply &reply)
{
    return base::printable(reply.holder.value_or(QByteArray()), holderLength);
}

} // namespace

QString GroupTexts::holder(const Lock &lock)
{
    return lock.votes.holder() ? base::printable(*lock.votes.holder(), holderLength) : QString();
}

QString GroupTexts::votes(const Lock &lock)
{
    const QString counts = tr("%1 of %2").arg(lock.votes.votes()).arg(lock.votes.servers());
    const std::optional<bool> hasMajority = lock.votes.hasMajority();
    if (hasMajority == true)
        return counts;
    return hasMajority ? tr("%1, no majority").arg(counts) : tr("%1, majority not known").arg(counts);
}

QString GroupTexts::validity(const Lock &lock, MonotonicTime now)
{
    if (const auto until = lock.votes.validUntil(now))
        return *until > now ? durationText(*until - now) : tr("no longer");
    const auto end = lock.votes.majorityEnd();
    return end && end->isNever() ? tr("no expiry") : QStringLiteral("–");
}

QString GroupTexts::serverCell(const Lock &lock, std::size_t server, MonotonicTime now)
{
    switch (lock.votes.voteOf(server)) {
    case Vote::Holds:
        return timeLeft(lock.votes.reply(server), now);
    case Vote::OtherHolder:
        return tr("other holder, %1").arg(timeLeft(lock.votes.reply(server), now));
    case Vote::NoKey:
        return tr("no key");
    case Vote::Unknown:
        return lock.missingVotes[server].since ? tr("silent") : tr("not read yet");
    }
    Q_UNREACHABLE();
}

QString GroupTexts::serverSentence(const Lock &lock, std::size_t server, const QString &name, MonotonicTime now)
{
    const LockVotes::Reply &reply = lock.votes.reply(server);
    switch (lock.votes.voteOf(server)) {
    case Vote::Holds:
        return tr("%1 votes for the holder; time left: %2.").arg(name, timeLeft(reply, now));
    case Vote::OtherHolder:
        return tr("%1 has another holder, %2; time left: %3.").arg(name, holderOf(reply), timeLeft(reply, now));
    case Vote::NoKey:
        return tr("%1 has no such key.").arg(name);
    case Vote::Unknown:
        break;
    }
    return silence(name, lock.missingVotes[server], now);
}

QString GroupTexts::answer(const Lock &lock, MonotonicTime now)
{
    if (!lock.votes.holder())
        return tr("No server that answers has this key.");
    const QString counts = tr("%1 of %2, %3")
                               .arg(lock.votes.votes())
                               .arg(lock.votes.servers())
                               .arg(voting::majorityText(lock.votes).toString());
    QString text = tr("Votes for %1: %2.").arg(holder(lock), counts);
    if (const auto until = lock.votes.validUntil(now))
        text += u' '
              + (*until > now ? tr("The holder may rely on the lock for at most %1.").arg(durationText(*until - now))
                              : tr("The holder may no longer rely on the lock."));
    return text;
}

QString GroupTexts::silence(const QString &name, const voting::MissingVote &silence, MonotonicTime now)
{
    if (silence.since)
        return tr("%1 is silent, nothing was seen for %2: %3. Its votes are not known.")
            .arg(name, durationText(now - *silence.since), silence.why);
    return silence.why.isEmpty() ? tr("The key on %1 is being read.").arg(name)
                                 : tr("The vote of %1 is not known: %2.").arg(name, silence.why);
}

QString GroupTexts::undescribed(const QString &name)
{
    return tr("%1 refuses INFO: it is not known whether it is another server of the group, and its vote may be counted "
              "twice.")
        .arg(name);
}

} // namespace latchkey::ui::group

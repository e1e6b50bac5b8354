#include "core/inspect/findings/findingtexts.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/duration.h"

namespace latchkey::findings {

namespace {

QString text(const QByteArray &bytes)
{
    return base::printable(bytes, 100);
}

QString time(std::chrono::milliseconds time)
{
    return base::displayDuration(time);
}

} // namespace

QString FindingTexts::title(FindingKind kind)
{
    switch (kind) {
    case FindingKind::NoExpiry:
        return tr("no expiry");
    case FindingKind::ConstantValue:
        return tr("names no holder");
    case FindingKind::PastDeadline:
        return tr("past its deadline");
    case FindingKind::SkewedDeadline:
        return tr("two clocks disagree");
    case FindingKind::StaleQueue:
        return tr("dead waiters in the queue");
    case FindingKind::StaleSignal:
        return tr("a signal is left over");
    case FindingKind::FencingDecreased:
        return tr("fencing number went back");
    case FindingKind::FencingExpires:
        return tr("fencing numbers expire");
    case FindingKind::NoFencing:
        return tr("no fencing number");
    case FindingKind::SharedId:
        return tr("names a process, not a holder");
    case FindingKind::PredictableToken:
        return tr("token can be guessed");
    case FindingKind::LeakedPermits:
        return tr("permits can be lost");
    case FindingKind::OneOfMany:
        return tr("held on several servers");
    case FindingKind::PlainDelete:
        return tr("released without a check");
    case FindingKind::NotAtomic:
        return tr("expiry set afterwards");
    case FindingKind::UncheckedRenewal:
        return tr("renewed without a check");
    case FindingKind::ExtendedByContender:
        return tr("losers prolong the lease");
    case FindingKind::TakenOver:
        return tr("taken over by GETSET");
    case FindingKind::ExpiredUnderHolder:
        return tr("expired under its holder");
    case FindingKind::Recreated:
        return tr("made anew after its end");
    case FindingKind::OrphanRenewal:
        return tr("renewed without an end");
    case FindingKind::LeaseTooShort:
        return tr("lease hardly suffices");
    case FindingKind::HolderGone:
        return tr("its client has left");
    default:
        return otherTitle(kind);
    }
}

QString FindingTexts::otherTitle(FindingKind kind)
{
    switch (kind) {
    case FindingKind::MayBeEvicted:
        return tr("may be evicted");
    case FindingKind::LostByFailover:
        return tr("may be lost by a failover");
    case FindingKind::ReadFromReplica:
        return tr("read from a replica");
    case FindingKind::LostByRestart:
        return tr("lost by a restart");
    case FindingKind::LimitNotStored:
        return tr("its limit is not stored");
    case FindingKind::UnlockedJob:
        return tr("a job without its lock");
    case FindingKind::SeveralHolders:
        return tr("several holders");
    case FindingKind::NotChecked:
        return tr("not fully checked");
    default:
        Q_UNREACHABLE();
    }
}

QString FindingTexts::evidence(const Finding &finding, const QString &library)
{
    const QString known = tr("%1 is known for it").arg(library);
    switch (finding.kind) {
    case FindingKind::NoExpiry:
        return finding.time.count() > 0
                 ? tr("the key does not expire, and has been there for at least %1").arg(time(finding.time))
                 : tr("the key does not expire");
    case FindingKind::ConstantValue:
        return tr("the value is \"%1\", which every holder writes").arg(text(finding.text));
    case FindingKind::PastDeadline:
        return tr("the deadline in the value was over %1 ago, and the key is still there").arg(time(finding.time));
    case FindingKind::SkewedDeadline:
        return finding.time.count() > 0
                 ? tr("the deadline in the value is %1 later than the end of the key").arg(time(finding.time))
                 : tr("the deadline in the value is %1 earlier than the end of the key").arg(time(-finding.time));
    case FindingKind::StaleQueue:
        return tr("expired waiters in the queue: %1").arg(finding.number);
    case FindingKind::StaleSignal:
        return tr("the list \"%1\" is there while the lock is held").arg(text(finding.text));
    case FindingKind::FencingDecreased:
        return finding.text.isEmpty()
                 ? tr("the counter is gone, after it had reached %1").arg(finding.number)
                 : tr("it is %1, after it had been %2").arg(text(finding.text), QString::number(finding.number));
    case FindingKind::FencingExpires:
        return tr("the counter ends in %1").arg(time(finding.time));
    case FindingKind::LeakedPermits:
        return finding.time.count() > 0
                 ? tr("nothing says who holds them, and they have been held for %1").arg(time(finding.time))
                 : known;
    case FindingKind::NoFencing:
    case FindingKind::SharedId:
    case FindingKind::PredictableToken:
    case FindingKind::OneOfMany:
        return known;
    case FindingKind::PlainDelete:
    case FindingKind::UncheckedRenewal:
        return finding.isObserved ? tracedEvidence(finding) : known;
    default:
        return historyEvidence(finding, known);
    }
}

QString FindingTexts::meaning(FindingKind kind)
{
    switch (kind) {
    case FindingKind::NoExpiry:
        return tr("If its holder dies, no client can acquire the lock again");
    case FindingKind::ConstantValue:
        return tr("The holder is not recorded, so any client can release the lock");
    case FindingKind::PastDeadline:
        return tr("The next client takes the lock over; its holder may be dead or late");
    case FindingKind::SkewedDeadline:
        return tr("A clock is wrong, so a client acquires the lock too early or too late");
    case FindingKind::StaleQueue:
        return tr("The waiters are gone; the next client that acquires the lock has to remove them first");
    case FindingKind::StaleSignal:
        return tr("A waiter wakes up without a lock; older versions of the library leave such lists behind");
    case FindingKind::FencingDecreased:
        return tr("The resource refuses the right holder, or takes the write of one that comes late");
    case FindingKind::FencingExpires:
        return tr("After the counter expires, the numbers restart and prove nothing");
    case FindingKind::NoFencing:
        return tr("The resource behind the lock cannot refuse a holder that comes late");
    case FindingKind::SharedId:
        return tr("Two threads of one process have the same identity and can release each other's lock");
    case FindingKind::PredictableToken:
        return tr("Two holders can come to have the same token");
    case FindingKind::LeakedPermits:
        return tr("The permits of a dead holder are never returned, so fewer and fewer are available");
    case FindingKind::OneOfMany:
        return tr("The lock needs a majority of servers; one server alone does not decide");
    case FindingKind::PlainDelete:
        return tr("A holder that comes late deletes the next holder's lock");
    case FindingKind::NotAtomic:
        return tr("A crash in between leaves a lock without an expiry");
    case FindingKind::UncheckedRenewal:
        return tr("A holder that comes late prolongs the next holder's lock");
    case FindingKind::ExtendedByContender:
        return tr("While clients keep trying, the lock of a dead holder does not end");
    case FindingKind::TakenOver:
        return tr("Two that see the same past deadline can both come to believe that they hold it");
    case FindingKind::ExpiredUnderHolder:
        return tr("If the first was still at work, two were inside at once: it has not released the lock in time");
    case FindingKind::Recreated:
        return tr("Its holder does not learn that it had lost the lock in between");
    case FindingKind::OrphanRenewal:
        return tr("Something renews it although its work may be over; then it is never released");
    case FindingKind::LeaseTooShort:
        return tr("If the work slows down, the lease ends before the work");
    case FindingKind::HolderGone:
        return tr("If the holder has died, the lock ends only with its lease, if it has one; but the holder may have "
                  "reconnected under another name or address");
    default:
        return otherMeaning(kind);
    }
}

QString FindingTexts::otherMeaning(FindingKind kind)
{
    switch (kind) {
    case FindingKind::MayBeEvicted:
        return tr("When memory runs short the server drops the lock, and two are inside");
    case FindingKind::LostByFailover:
        return tr("A replica that takes over may not have heard of the lock yet, and gives it to another");
    case FindingKind::ReadFromReplica:
        return tr("What is shown may be late, and a lock that has ended may still be listed");
    case FindingKind::LostByRestart:
        return tr("After a restart the lock is gone, though its holder may still be inside");
    case FindingKind::LimitNotStored:
        return tr("Each client says for itself how many may hold it, so that one with a larger limit lets in too many");
    case FindingKind::UnlockedJob:
        return tr("The queue takes its worker for dead and gives it to another, so that it may run twice");
    case FindingKind::SeveralHolders:
        return tr("Several clients are inside at once");
    case FindingKind::NotChecked:
        return tr("The lock may have these problems");
    default:
        Q_UNREACHABLE();
    }
}

QString FindingTexts::advice(FindingKind kind)
{
    switch (kind) {
    case FindingKind::NoExpiry:
        return tr("Acquire with SET NX PX; to free this one, make sure that its holder is dead and delete it");
    case FindingKind::ConstantValue:
        return tr("Write a random token, and release with a script that compares it");
    case FindingKind::PastDeadline:
        return tr("Check if its holder is alive; let the server end leases, with SET NX PX");
    case FindingKind::SkewedDeadline:
        return tr("Set the clocks by NTP; let the server end leases, with SET NX PX");
    case FindingKind::StaleQueue:
        return tr("Nothing needs to be done");
    case FindingKind::StaleSignal:
        return tr("Bring the library up to date");
    case FindingKind::FencingDecreased:
        return tr("Keep the counter where nothing expires or is evicted, and raise it above the last number");
    case FindingKind::FencingExpires:
        return tr("Remove the counter's expiry with PERSIST");
    case FindingKind::NoFencing:
        return tr("Where a late write does harm, hand out a number with each hold and let the resource check it");
    case FindingKind::SharedId:
        return tr("Give each holder a value of its own");
    case FindingKind::PredictableToken:
        return tr("Draw 16 bytes from the system's random source");
    case FindingKind::LeakedPermits:
        return tr("Use a semaphore that records its holders with an end for each");
    case FindingKind::OneOfMany:
        return tr("Look at the other servers too");
    case FindingKind::PlainDelete:
        return tr("Release with a script that compares the token and then deletes");
    case FindingKind::NotAtomic:
        return tr("Acquire with one command: SET NX PX");
    case FindingKind::UncheckedRenewal:
        return tr("Renew with a script that compares the token and then sets the expiry");
    case FindingKind::ExtendedByContender:
        return tr("Set the expiry only if the lock was won: SET NX PX does");
    case FindingKind::TakenOver:
        return tr("Let the server end leases, with SET NX PX");
    case FindingKind::ExpiredUnderHolder:
        return tr("Use a longer lease, or renew it during the work; use fencing numbers");
    case FindingKind::Recreated:
        return tr("Renew only what is still there, and treat a lost lock as lost");
    case FindingKind::OrphanRenewal:
        return tr("Check if the holder still works; if not, end its process, and the lease ends too");
    case FindingKind::LeaseTooShort:
        return tr("Use a longer lease, or renew it during the work");
    case FindingKind::HolderGone:
        return tr("Make sure that it is dead, and release the lock");
    default:
        return otherAdvice(kind);
    }
}

QString FindingTexts::otherAdvice(FindingKind kind)
{
    switch (kind) {
    case FindingKind::MayBeEvicted:
        return tr("Keep locks on a server with the policy noeviction");
    case FindingKind::LostByFailover:
        return tr("Set min-replicas-to-write and WAIT after acquiring, or use fencing numbers");
    case FindingKind::ReadFromReplica:
        return tr("Connect to the primary");
    case FindingKind::LostByRestart:
        return tr("Switch on the append-only file, or wait out the longest lease after a restart");
    case FindingKind::LimitNotStored:
        return tr("Give all clients one and the same limit");
    case FindingKind::UnlockedJob:
        return tr("Give the jobs' locks more time, and do not block the worker: it has to renew them meanwhile");
    case FindingKind::SeveralHolders:
        return tr("Find the client that writes into the lock without the library's script");
    case FindingKind::NotChecked:
        return tr("Permit INFO and CONFIG GET to this user, or check the settings of the server");
    default:
        Q_UNREACHABLE();
    }
}

/// Describes how a traced client changed a lock without checking its holder. `number` > 0: the client had read the
/// value before.
QString FindingTexts::tracedEvidence(const Finding &finding)
{
    const QString client = text(finding.text);
    if (finding.kind == FindingKind::PlainDelete)
        return finding.number > 0
                 ? tr("the client %1 checked the holder and deleted the lock with a second command").arg(client)
                 : tr("the client %1 deleted the lock without checking the holder").arg(client);
    return finding.number > 0
             ? tr("the client %1 checked the holder and renewed the lock with a second command").arg(client)
             : tr("the client %1 renewed the lock without checking the holder").arg(client);
}

/// Describes findings about history and servers.
QString FindingTexts::historyEvidence(const Finding &finding, const QString &known)
{
    switch (finding.kind) {
    case FindingKind::NotAtomic:
        if (finding.time.count() > 0)
            return tr("the key was there for %1 without an expiry").arg(time(finding.time));
        return finding.isObserved ? tr("the client %1 set the expiry with a second command").arg(text(finding.text))
                                  : known;
    case FindingKind::ExtendedByContender:
        return finding.isObserved
                 ? tr("the client %1 did not acquire the lock, but set its expiry").arg(text(finding.text))
                 : tr("its lease grew again and again, now after %1, now after %2")
                       .arg(time(finding.time), time(finding.limit));
    case FindingKind::TakenOver:
        if (!finding.text.isEmpty())
            return tr("the client %1 replaced its value by GETSET while it was held").arg(text(finding.text));
        return finding.isObserved
                 ? tr("its value was replaced without an end in between; seen so often: %1").arg(finding.number)
                 : known;
    case FindingKind::ExpiredUnderHolder:
        return tr("its lease of %1 ended without a release, and the next holder came soon after; seen so often: %2")
            .arg(time(finding.time))
            .arg(finding.number);
    case FindingKind::Recreated:
        return finding.isObserved
                 ? tr("it had expired, and came back with the same value, \"%1\"").arg(text(finding.text))
                 : known;
    case FindingKind::OrphanRenewal:
        return tr("it has been renewed for %1, and was never held longer than %2 before")
            .arg(time(finding.time), time(finding.limit));
    case FindingKind::LeaseTooShort:
        return tr("one hold in ten took %1 or more of a lease of %2; holds seen: %3")
            .arg(time(finding.time), time(finding.limit), QString::number(finding.number));
    case FindingKind::HolderGone:
        return tr("the client %1 was connected and is not any more; that it is the holder is an inference")
            .arg(text(finding.text));
    case FindingKind::MayBeEvicted:
        return tr("the policy is %1, and memory is limited; keys evicted so far: %2")
            .arg(text(finding.text), QString::number(finding.number));
    case FindingKind::LostByFailover:
        return tr("replicas that are connected: %1, and none has to confirm a write").arg(finding.number);
    case FindingKind::ReadFromReplica:
        return tr("this server is a replica");
    case FindingKind::LostByRestart:
        return tr("the server keeps neither an append-only file nor snapshots");
    case FindingKind::LimitNotStored:
        return finding.isObserved ? tr("holders at once: %1; the limit is not recorded").arg(finding.number) : known;
    case FindingKind::UnlockedJob:
        return tr("jobs of its queue that are at work without a lock: %1, the first is \"%2\"")
            .arg(QString::number(finding.number), text(finding.text));
    case FindingKind::SeveralHolders:
        return tr("holders of a lock that admits one: %1").arg(finding.number);
    case FindingKind::NotChecked:
        return tr("the server does not say in INFO or CONFIG GET what these depend on: %1")
            .arg(titlesOf(finding.number));
    default:
        return known;
    }
}

/// Returns the titles of the kinds with these bits.
QString FindingTexts::titlesOf(qint64 kinds)
{
    QStringList titles;
    for (int kind = 0; kind < kindCount; ++kind) {
        if ((kinds & 1LL << kind) != 0)
            titles += title(static_cast<FindingKind>(kind));
    }
    return titles.join(QStringLiteral(", "));
}

QString FindingTexts::severity(Severity severity)
{
    switch (severity) {
    case Severity::Info:
        return tr("hint");
    case Severity::Warning:
        return tr("warning");
    case Severity::Error:
        return tr("error");
    }
    Q_UNREACHABLE();
}

} // namespace latchkey::findings

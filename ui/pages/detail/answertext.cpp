#include "ui/pages/detail/answertext.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/base/timetext.h"
#include "core/inspect/history/historytexts.h"
#include "core/inspect/recognition/recognitiontexts.h"
#include "ui/pages/detail/durationbounds.h"

#include <QLocale>

#include <algorithm>

namespace latchkey::ui::detail {

using detection::ClientMatch;
using recognition::Family;
using recognition::Holder;
using recognition::LockContent;
using std::chrono::nanoseconds;
using HolderClient = detection::HolderClients::HolderClient;
using namespace std::chrono_literals;

namespace {

/// Length limits of names and tokens. The rows below the answer contain the full texts.
constexpr qsizetype maxNameLength = 40;
constexpr qsizetype maxTokenLength = 24;

/// Returns the time between two renewals to a tenth of a second: "10.0 s", "9.1 s to 12.4 s".
QString periodText(std::chrono::milliseconds shortest, std::chrono::milliseconds longest)
{
    const auto text = [](std::chrono::milliseconds period) {
        return period < 2min
                 ? AnswerText::tr("%1 s").arg(QLocale().toString(static_cast<double>(period.count()) / 1000, 'f', 1))
                 : base::wholeDuration(period);
    };
    if (longest - shortest <= longest / 10)
        return text((shortest + longest) / 2);
    return AnswerText::tr("%1 to %2", "two lengths of time").arg(text(shortest), text(longest));
}

/// Returns how a connection was inferred. Empty if the value or a trace contains the address.
QString inferenceText(ClientMatch::Criterion by)
{
    switch (by) {
    case ClientMatch::Criterion::Address:
    case ClientMatch::Criterion::Trace:
        return {};
    case ClientMatch::Criterion::Id:
        return AnswerText::tr("inferred from its number");
    case ClientMatch::Criterion::Name:
    case ClientMatch::Criterion::HostAndPid:
        return AnswerText::tr("inferred from its name");
    }
    Q_UNREACHABLE();
}

/// Returns a client with its address: "worker-7 (10.0.0.12:5041)".
QString clientWithAddress(const HolderClient &matched, const QString &holder)
{
    const detection::ConnectedClient &client = matched.match.clients.front();
    const int connections = static_cast<int>(matched.match.clients.size());
    const bool isSocket = client.address.startsWith('/') || client.address.startsWith("unix:");
    QString name = base::printable(client.name, maxNameLength);
    QStringList place;
    if (connections > 1) {
        name = holder.isEmpty() ? name : holder;
        place += AnswerText::tr("one of %Ln connections", nullptr, connections);
    } else if (isSocket) {
        place += AnswerText::tr("Unix socket");
    } else if (name.isEmpty()) {
        name = AnswerText::tr("client %1", "an address").arg(base::printable(client.address, maxNameLength));
    } else {
        place += base::printable(client.address, maxNameLength);
    }
    if (name.isEmpty())
        name = holder.isEmpty() ? AnswerText::tr("a client without a name") : holder;
    if (const QString grounds = inferenceText(matched.match.criterion); !grounds.isEmpty())
        place += grounds;
    if (!matched.isConnected)
        place += AnswerText::tr("no longer connected");
    return place.isEmpty() ? name
                           : AnswerText::tr("%1 (%2)", "a client, and its address")
                                 .arg(name, place.join(AnswerText::tr(", ", "between the parts of a sentence")));
}

QString holderWithClient(const Holder &holder, const AnswerInput &input)
{
    const auto matched = std::ranges::find(input.clients, holder.bytes, &HolderClient::holder);
    const QString name = recognition::RecognitionTexts::holder(holder);
    const bool isNamed = detection::identifiesClient(holder);
    if (matched != input.clients.end())
        return clientWithAddress(*matched, isNamed ? name : QString());
    const QString unknown = input.isClientListDenied ? AnswerText::tr("client unknown: the server refuses CLIENT LIST")
                                                     : AnswerText::tr("client unknown");
    const QString shown =
        isNamed ? name : AnswerText::tr("token %1").arg(base::printable(holder.bytes, maxTokenLength));
    return AnswerText::tr("%1 (%2)", "a holder, and what is known of its client").arg(shown, unknown);
}

/// Returns the first words for a lock without a named holder.
QString unnamedText(const AnswerInput &input)
{
    const LockContent &decoded = input.recognition.decoded;
    const QString count = QLocale().toString(decoded.holderCount);
    if (input.family == Family::Latch)
        return AnswerText::tr("Clients wait until its count is 0; now it is %1").arg(count);
    if (decoded.free)
        return AnswerText::tr("Free permits: %1; the holders of the others are not recorded")
            .arg(QLocale().toString(*decoded.free));
    if (input.family == Family::Semaphore || input.family == Family::Limiter)
        return AnswerText::tr("Permits in use: %1; the holders are not recorded").arg(count);
    if (!input.clients.empty())
        return AnswerText::tr("Held by %1").arg(clientWithAddress(input.clients.front(), {}));
    return AnswerText::tr("Held by an unknown client (the value does not name it)");
}

QString severalText(const AnswerInput &input)
{
    constexpr std::size_t maxNamed = 2;
    const LockContent &decoded = input.recognition.decoded;
    QStringList named;
    for (std::size_t i = 0; i < std::min(decoded.holders.size(), maxNamed); ++i)
        named += holderWithClient(decoded.holders[i], input);
    const bool areReaders = decoded.holders.front().access == Holder::Access::Read;
    const QString count = QLocale().toString(static_cast<qint64>(decoded.holders.size()));
    QString text = areReaders        ? AnswerText::tr("Held by %1 readers: %2")
                 : decoded.isPartial ? AnswerText::tr("Held by at least %1 holders: %2")
                                     : AnswerText::tr("Held by %1 holders: %2");
    text = text.arg(count, named.join(AnswerText::tr("; ", "between two holders")));
    const auto more = static_cast<int>(decoded.holders.size()) - static_cast<int>(named.size());
    return more > 0 ? AnswerText::tr("%1 and %Ln more", nullptr, more).arg(text) : text;
}

QString holderText(const AnswerInput &input)
{
    const LockContent &decoded = input.recognition.decoded;
    if (decoded.holders.empty() || !decoded.isHolderRecorded)
        return unnamedText(input);
    if (decoded.holders.size() > 1)
        return severalText(input);
    const QString holder = holderWithClient(decoded.holders.front(), input);
    switch (decoded.holders.front().access) {
    case Holder::Access::Read:
        return AnswerText::tr("Held for reading by %1").arg(holder);
    case Holder::Access::Write:
        return AnswerText::tr("Held for writing by %1").arg(holder);
    case Holder::Access::Exclusive:
        break;
    }
    return AnswerText::tr("Held by %1").arg(holder);
}

/// Returns the current hold if it belongs to the only holder; null otherwise.
const history::Hold *holdOf(const AnswerInput &input)
{
    const LockContent &decoded = input.recognition.decoded;
    if (input.hold == nullptr || input.hold->isOver() || decoded.holders.size() > 1)
        return nullptr;
    const bool isSame =
        !input.hold->holder || decoded.holders.empty() || *input.hold->holder == decoded.holders.front().bytes;
    return isSame ? input.hold : nullptr;
}

/// Returns whether the value is a random token, which a single acquisition writes. Any other value may belong to a
/// later hold.
bool isToken(const AnswerInput &input)
{
    constexpr qsizetype minTokenLength = 16;
    const LockContent &decoded = input.recognition.decoded;
    return decoded.isHolderRecorded && decoded.holders.size() == 1
        && decoded.holders.front().bytes.size() >= minTokenLength
        && !detection::identifiesClient(decoded.holders.front());
}

QString sinceText(const AnswerInput &input)
{
    const history::Hold *hold = holdOf(input);
    if (hold == nullptr)
        return {};
    nanoseconds held = hold->shortestDuration(input.now);
    const bool isSeenThroughout = isToken(input) || (input.seenSince && *input.seenSince <= hold->from.latest);
    if (!isSeenThroughout && !input.seenSince)
        return AnswerText::tr("at every look for %1, with changes that may not have been seen")
            .arg(base::wholeDuration(held));
    if (isSeenThroughout && hold->start != history::Hold::Start::Unseen)
        return AnswerText::tr("for %1", "how long a lock has been held")
            .arg(boundsText(held, hold->longestDuration(input.now)));
    if (!isSeenThroughout)
        held = input.now - *input.seenSince;
    else if (input.unusedSince)
        held = std::max(held, input.now - *input.unusedSince);
    return held < 1s ? AnswerText::tr("since an unknown time")
                     : AnswerText::tr("since at least %1").arg(base::wholeDuration(held));
}

QString renewalText(const AnswerInput &input)
{
    const recognition::TtlHistory *ttlHistory = input.ttlHistory;
    const history::Hold *hold = holdOf(input);
    if (ttlHistory == nullptr || ttlHistory->renewals() == 0) {
        const bool isWorthSaying = hold != nullptr && !input.deadline.isNever() && hold->duration(input.now) >= 2s;
        return isWorthSaying ? AnswerText::tr("not seen renewed") : QString();
    }
    if (ttlHistory->renewals() == 1)
        return AnswerText::tr("seen renewed once");
    const QString period = periodText(ttlHistory->shortestPeriod(), ttlHistory->longestPeriod());
    if (hold != nullptr && !hold->extensions.empty()) {
        const nanoseconds since = input.now - hold->extensions.back();
        if (since > 2 * nanoseconds(ttlHistory->longestPeriod()))
            return AnswerText::tr("renewed every %1 until %2 ago").arg(period, base::wholeDuration(since));
    }
    return AnswerText::tr("renewed every %1").arg(period);
}

/// Returns the end of the key. `isLock`: whether its holder may renew it.
QString endText(const AnswerInput &input, bool isLock)
{
    if (input.isEndDenied)
        return AnswerText::tr("its expiry is unknown because the server refuses to tell");
    const auto left = input.end.remaining(input.now);
    if (!left)
        return AnswerText::tr("without expiry");
    if (*left < 0ns)
        return AnswerText::tr("due to end now");
    const QString time = base::wholeDuration(*left);
    if (input.deadline.isNever())
        return AnswerText::tr("ends with its last field in %1").arg(time);
    return isLock ? AnswerText::tr("ends in %1 unless renewed").arg(time) : AnswerText::tr("ends in %1").arg(time);
}

/// Returns a sentence about the other clients that want the lock.
QString othersText(const AnswerInput &input)
{
    const LockContent &decoded = input.recognition.decoded;
    const auto waiting = std::max(static_cast<qint64>(decoded.waiters.size()), decoded.waitingClients.value_or(0));
    if (waiting > 0)
        return waiting == 1 ? AnswerText::tr("1 client waits for it.")
                            : AnswerText::tr("%Ln clients wait for it.", nullptr, static_cast<int>(waiting));
    if (!input.trace)
        return AnswerText::tr("Other clients: unknown without a trace.");
    const QString span = base::wholeDuration(input.trace->span);
    QSet<QByteArray> others = input.trace->clients;
    if (others.isEmpty())
        return AnswerText::tr("No client has asked for it during a trace of %1.").arg(span);
    bool isHolderKnown = false;
    for (const HolderClient &matched : input.clients) {
        for (const detection::ConnectedClient &client : matched.match.clients)
            isHolderKnown = others.remove(client.address) || isHolderKnown;
    }
    const bool isSocket =
        std::ranges::any_of(input.trace->clients, [](const QByteArray &client) { return client.startsWith("unix:"); });
    if (isSocket)
        return AnswerText::tr("Clients on the Unix socket have asked for it during a trace of %1.").arg(span);
    if (!isHolderKnown)
        return AnswerText::tr("Clients that sent commands for it during a trace of %1: %2.")
            .arg(span, QLocale().toString(static_cast<qint64>(others.size())));
    if (others.isEmpty())
        return AnswerText::tr("No other client has asked for it during a trace of %1.").arg(span);
    return AnswerText::tr("Other clients that asked for it during a trace of %1: %2.")
        .arg(span, QLocale().toString(static_cast<qint64>(others.size())));
}

/// Returns a sentence about a deadline in the value, which the server does not enforce.
QString valueDeadlineText(const AnswerInput &input)
{
    const auto &deadline = input.recognition.decoded.deadline;
    if (!deadline)
        return {};
    const nanoseconds left = *deadline - input.wallNow;
    return left >= 0ns
             ? AnswerText::tr("The deadline in its value is in %1 by the local clock.").arg(base::wholeDuration(left))
             : AnswerText::tr("The deadline in its value passed %1 ago by the local clock.")
                   .arg(base::wholeDuration(-left));
}

QString lockText(const AnswerInput &input)
{
    const QString comma = AnswerText::tr(", ", "between the parts of a sentence");
    QString first = holderText(input);
    if (const QString since = sinceText(input); !since.isEmpty())
        first = AnswerText::tr("%1 %2", "who holds a lock, and since when").arg(first, since);
    QStringList parts {first, renewalText(input), endText(input, true)};
    parts.removeAll(QString());
    QStringList sentences {AnswerText::tr("%1.", "a sentence").arg(parts.join(comma))};
    if (!input.isEndDenied && input.end.isNever() && !input.recognition.decoded.deadline)
        sentences += AnswerText::tr("It stays until a client deletes it.");
    sentences += valueDeadlineText(input);
    sentences += othersText(input);
    if (input.recognition.best().confidence == recognition::Confidence::Low)
        sentences += AnswerText::tr("The key is possibly no lock.");
    sentences.removeAll(QString());
    QString text = sentences.takeFirst();
    for (const QString &next : std::as_const(sentences))
        text = AnswerText::tr("%1 %2", "two sentences").arg(text, next);
    return text;
}

/// Returns the last hold, which is over: its holder, its duration and its end.
QString endedHoldText(const AnswerInput &input)
{
    const history::Hold &hold = *input.hold;
    const QString holder =
        hold.holder ? base::printable(*hold.holder, maxNameLength) : AnswerText::tr("an unknown holder");
    const nanoseconds shortest = hold.shortestDuration(input.now);
    const QString held = hold.start == history::Hold::Start::Unseen
                           ? AnswerText::tr("at least %1", "a length of time").arg(base::wholeDuration(shortest))
                           : boundsText(shortest, hold.longestDuration(input.now));
    const nanoseconds latest = std::max<nanoseconds>(input.now - hold.until->latest, 0ns);
    const nanoseconds earliest = std::max<nanoseconds>(input.now - hold.until->earliest, 0ns);
    const QString ending = history::endingText(hold);
    return isExact(latest, earliest)
             ? AnswerText::tr("%1 held it for %2 until %3 ago: %4.")
                   .arg(holder, held, base::wholeDuration(latest + (earliest - latest) / 2), ending)
             : AnswerText::tr("%1 held it for %2; the end was between %3 and %4 ago: %5.")
                   .arg(holder, held, base::wholeDuration(latest), base::wholeDuration(earliest), ending);
}

/// Returns the text for a key that does not exist.
QString goneText(const AnswerInput &input)
{
    const QString gone = AnswerText::tr("The key does not exist.");
    const bool isHoldOver = input.hold != nullptr && input.hold->isOver();
    return isHoldOver ? AnswerText::tr("%1 %2", "two sentences").arg(gone, endedHoldText(input)) : gone;
}

QString clockText(base::MonotonicTime time, const AnswerInput &input)
{
    const auto at = input.wallNow + std::chrono::floor<std::chrono::milliseconds>(time - input.now);
    return base::timeOfDay(at);
}

/// Returns the text for a key that the server no longer permits reading, with its last known state.
QString unreadableText(const AnswerInput &input)
{
    const keys::UnreadableKey &last = *input.unreadable;
    const QString refusal =
        AnswerText::tr("Whether the key still exists is unknown: the server has not permitted reading it since %1.")
            .arg(clockText(last.refusedAt, input));
    const QString seen = clockText(last.lastSeen, input);
    const bool hasHold = input.hold != nullptr && !input.hold->isOver();
    const QString holder = hasHold && input.hold->holder ? base::printable(*input.hold->holder, maxNameLength)
                                                         : AnswerText::tr("an unknown holder");
    const QString end = last.deadline.isNever() ? QString() : clockText(last.deadline.at(), input);
    if (input.hold != nullptr && input.hold->isOver() && input.hold->until->latest > last.lastSeen)
        return AnswerText::tr("%1 %2", "two sentences").arg(endedHoldText(input), refusal);
    QString state;
    if (hasHold)
        state = end.isEmpty()
                  ? AnswerText::tr("When last seen, at %1, it was held by %2 without expiry.").arg(seen, holder)
                  : AnswerText::tr("When last seen, at %1, it was held by %2 and due to end at %3 unless renewed.")
                        .arg(seen, holder, end);
    else
        state = end.isEmpty() ? AnswerText::tr("When last seen, at %1, it had no expiry.").arg(seen)
                              : AnswerText::tr("When last seen, at %1, it was due to end at %2.").arg(seen, end);
    return AnswerText::tr("%1 %2", "two sentences").arg(refusal, state);
}

QString otherKeyText(const AnswerInput &input)
{
    if (!input.isValueKnown)
        return input.isValueDenied
                 ? AnswerText::tr("Whether the key is a lock is unknown: the server refuses to show its value.")
                 : AnswerText::tr("The key has not been read yet.");
    return AnswerText::tr("The key is not recognised as a lock; %1.").arg(endText(input, false));
}

} // namespace

QString answerText(const AnswerInput &input)
{
    if (input.unreadable)
        return unreadableText(input);
    QString text;
    if (input.exists && input.isEndReported)
        text = AnswerText::tr("%1 The key has not been read since.").arg(endedHoldText(input));
    else if (!input.exists)
        text = goneText(input);
    else if (!input.recognition.isLock())
        text = otherKeyText(input);
    else
        text = lockText(input);
    if (!input.isFrozen)
        return text;
    return AnswerText::tr("Not seen since %1. State then: %2").arg(clockText(input.now, input), text);
}

} // namespace latchkey::ui::detail

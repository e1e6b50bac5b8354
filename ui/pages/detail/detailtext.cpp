#include "ui/pages/detail/detailtext.h"

#include "core/foundation/base/timetext.h"
#include "core/inspect/findings/findingtexts.h"
#include "core/inspect/history/historytexts.h"
#include "core/inspect/inspection/readstate.h"
#include "core/inspect/recognition/displaytitle.h"
#include "core/inspect/recognition/recognitiontexts.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/pages/detail/clienttext.h"
#include "ui/views/keytable/keytext.h"

#include <QLocale>

#include <algorithm>

namespace latchkey::ui::detail {

using recognition::Candidate;
using recognition::Holder;
using recognition::LockContent;
using recognition::Recognition;
using recognition::RecognitionTexts;
using std::chrono::milliseconds;

namespace {

constexpr qsizetype maxLineLength = 400;
/// Number of holders or waiters listed.
constexpr std::size_t maxListed = 8;

QString moment(base::WallTime time)
{
    const auto at = base::localTime(time);
    const bool isToday = at.date() == QDate::currentDate();
    return at.toString(isToday ? QStringLiteral("HH:mm:ss") : QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString titleOf(const detection::LockFinder &locks, const QString &dialect)
{
    const recognition::Dialect *found = locks.recogniser().dialects().find(dialect);
    return found == nullptr ? dialect : recognition::displayTitle(found->title);
}

void addHolders(const LockContent &decoded, QList<DetailRow> &rows)
{
    if (!decoded.isHolderRecorded) {
        rows.append({DetailText::tr("Holder"),
                     decoded.isConstant ? DetailText::tr("not recorded: all holders write the same value")
                                        : DetailText::tr("not recorded: the value does not name the holder")});
        return;
    }
    for (std::size_t i = 0; i < std::min(decoded.holders.size(), maxListed); ++i) {
        const Holder &holder = decoded.holders[i];
        QString access = DetailText::tr("Holder");
        if (holder.access == Holder::Access::Read)
            access = DetailText::tr("Reader");
        else if (holder.access == Holder::Access::Write)
            access = DetailText::tr("Writer");
        rows.append({access, RecognitionTexts::holder(holder), true});
        if (decoded.holders.size() == 1) {
            for (const QString &part : RecognitionTexts::parts(holder)) {
                const qsizetype colon = part.indexOf(QLatin1String(": "));
                if (colon > 0)
                    rows.append({widgets::sentence(part.first(colon)), part.sliced(colon + 2)});
            }
        }
        if (holder.count > 1)
            rows.append({DetailText::tr("Held"), DetailText::tr("%1 times").arg(widgets::numberText(holder.count))});
    }
    if (const auto all = static_cast<std::size_t>(decoded.holderCount); all > maxListed)
        rows.append({DetailText::tr("Holders"), widgets::numberText(decoded.holderCount)});
}

/// Adds the connected clients that match the holders, if they can be inferred.
void addClients(const QByteArray &key, const LockContent &decoded, detection::HolderClients &clients,
                QList<DetailRow> &rows)
{
    for (const auto &matched : clients.clientsForDetails(key, decoded))
        rows.append({DetailText::tr("Client"), clientText(matched), true});
    if (clients.denial() && std::ranges::any_of(decoded.holders, &detection::identifiesClient))
        rows.append({DetailText::tr("Client"), DetailText::tr("unknown: %1").arg(clients.denial()->message()), true});
}

void addQueue(const LockContent &decoded, QList<DetailRow> &rows)
{
    int index = 0;
    for (const recognition::Waiter &waiter : decoded.waiters) {
        if (++index > static_cast<int>(maxListed))
            break;
        rows.append({DetailText::tr("Waiting, %1").arg(index), base::printable(waiter.bytes, maxLineLength)});
    }
    if (decoded.waiters.size() > maxListed)
        rows.append({DetailText::tr("Waiting"), widgets::numberText(static_cast<qint64>(decoded.waiters.size()))});
    if (decoded.waitingClients)
        rows.append({DetailText::tr("Waiting clients"), widgets::numberText(*decoded.waitingClients)});
    if (decoded.free)
        rows.append({DetailText::tr("Free permits"), widgets::numberText(*decoded.free)});
    if (decoded.fencing)
        rows.append({DetailText::tr("Fencing number"), QString::number(*decoded.fencing)});
    if (decoded.deadline)
        rows.append({DetailText::tr("Deadline in the value"), moment(*decoded.deadline)});
}

void addTimes(const keys::KnownKeys &known, keys::KeyId id, base::MonotonicTime now, base::WallTime wallNow,
              QList<DetailRow> &rows)
{
    const base::Deadline deadline = known.table.deadline(id);
    const auto left = deadline.remaining(now);
    if (!left) {
        rows.append({DetailText::tr("Expires"),
                     known.endOf(id).isNever() ? DetailText::tr("never") : DetailText::tr("with the last field")});
        return;
    }
    // Rounded to a tenth of a second, because each measurement changes by less than that.
    const auto end = (wallNow + std::chrono::floor<milliseconds>(*left)).time_since_epoch().count() / 100 * 100;
    rows.append({DetailText::tr("Expires"), moment(base::WallTime(milliseconds(end)))});
    const keys::KeyAnalysis *analysis = known.analysisOf(id);
    const bool isLock = analysis != nullptr && !analysis->kind.isEmpty();
    const QString span = keytable::lengthText(known.table.span(id));
    rows.append({isLock ? DetailText::tr("Lease") : DetailText::tr("Lifetime"),
                 known.table.isStartSeen(id) ? span : DetailText::tr("at least %1").arg(span)});
}

void addRenewals(const recognition::TtlHistory *ttlHistory, QList<DetailRow> &rows)
{
    if (ttlHistory == nullptr || ttlHistory->renewals() == 0)
        return;
    if (ttlHistory->renewals() == 1) {
        rows.append({DetailText::tr("Renewed"), DetailText::tr("once since watching began")});
        return;
    }
    const QString renewals = DetailText::tr("%Ln times since watching began", nullptr, ttlHistory->renewals());
    rows.append({DetailText::tr("Renewed"),
                 DetailText::tr("%1, every %2")
                     .arg(renewals, keytable::rangeText(ttlHistory->shortestPeriod(), ttlHistory->longestPeriod())),
                 true});
}

void addFindings(const std::vector<findings::Finding> &found, KeyDetail &detail)
{
    for (const findings::Finding &finding : found) {
        detail.findings.append({findings::FindingTexts::title(finding.kind),
                                widgets::sentence(findings::FindingTexts::evidence(finding, detail.kind)),
                                findings::FindingTexts::meaning(finding.kind),
                                findings::FindingTexts::advice(finding.kind), static_cast<int>(finding.severity)});
    }
}

/// Returns the text of a hold: holder, start, duration, end and kind of end, each with its uncertainty. `lastSeen`:
/// last time at which the key was known to exist, if that is not now.
QString holdLine(const history::Hold &hold, std::optional<base::MonotonicTime> lastSeen, base::MonotonicTime now,
                 base::WallTime wallNow)
{
    QString holder = hold.holder ? base::printable(*hold.holder, 60) : DetailText::tr("holder unknown");
    if (hold.holder && hold.isHolderInferred)
        holder = DetailText::tr("%1 (inferred)", "a holder").arg(holder);
    const QString from = DetailText::tr("%1 %2", "acquired, and when")
                             .arg(history::startText(hold.start), history::momentText(hold.from, now, wallNow));
    if (!hold.isOver() && lastSeen)
        return DetailText::tr("%1: %2, and held at least until %3", "who, from when, until when")
            .arg(holder, from, history::momentText({*lastSeen, *lastSeen}, now, wallNow));
    if (!hold.isOver())
        return DetailText::tr("%1: %2, and held since", "who, from when").arg(holder, from);
    return DetailText::tr("%1: %2, held for %3, until %4: %5", "who, from when, how long, until when, how it ended")
        .arg(holder, from, history::heldText(hold, now), history::momentText(*hold.until, now, wallNow),
             history::endSentence(hold));
}

void addHolds(const history::History &history, const QByteArray &key, std::optional<base::MonotonicTime> lastSeen,
              base::MonotonicTime now, base::WallTime wallNow, KeyDetail &detail)
{
    const auto &holds = history.holds({key, 0});
    if (holds.empty())
        return;
    std::size_t listed = 0;
    for (auto hold = holds.rbegin(); hold != holds.rend() && listed < maxListed; ++hold, ++listed) {
        detail.holds += holdLine(*hold, lastSeen, now, wallNow);
        for (const history::OwnChange &change : hold->ownChanges)
            detail.holds += QStringLiteral("    ") + history::ownChangeText(change, now, wallNow);
    }
    for (const history::StatisticText &figure : history::statisticTexts(history.statistics({key, 0})))
        detail.statistics.append({figure.name, figure.value, true});
}

/// Returns the time since which no change of a key was missed. Absent if changes may be missed now.
std::optional<base::MonotonicTime> seenSince(inspection::InspectedServer &server)
{
    const events::EventCoverage events = server.keyEventTracker().eventCoverage(0);
    if (events.depth == events::EventCoverage::Depth::None)
        return std::nullopt;
    base::MonotonicTime since = events.since;
    for (const history::History::Gap &gap : server.holds().history().gaps()) {
        if (!gap.to)
            return std::nullopt;
        since = std::max(since, *gap.to);
    }
    return since;
}

bool isDenied(const events::Coverage &coverage, events::KeyRequest request)
{
    return std::ranges::find(coverage.denied(), request, &events::Coverage::Denial::request) != coverage.denied().end();
}

/// Adds the known state of an existing key to the facts for the answer.
void addState(const QByteArray &key, keys::KeyId id, inspection::InspectedServer &server, AnswerInput &input)
{
    const keys::KnownKeys &known = server.store().known();
    const events::Coverage coverage = server.watcher().coverage();
    input.exists = true;
    input.isEndReported = input.hold != nullptr && input.hold->isOver()
                       && input.hold->until->latest > known.table.sampled(id) + keys::KeyTable::sampledResolution;
    input.deadline = known.table.deadline(id);
    input.end = known.endOf(id);
    input.isValueKnown = known.value(id) != nullptr;
    // A write of an element does not always count as a use of the key.
    if (known.table.type(id) == keys::KeyType::String)
        input.unusedSince = known.existedAt(id);
    input.isValueDenied =
        isDenied(coverage, events::KeyRequest::Value) || known.table.type(id) == keys::KeyType::Refused;
    input.isEndDenied = input.end.isNever() && isDenied(coverage, events::KeyRequest::Expiry);
    input.ttlHistory = server.locks().ttlHistory(key);
    if (!input.recognition.isLock())
        return;
    const QString kind = input.recognition.best().dialect;
    if (const recognition::Dialect *dialect = server.locks().recogniser().dialects().find(kind))
        input.family = dialect->family;
    input.clients = server.clients().clientsForDetails(key, input.recognition.decoded);
    input.isClientListDenied = server.clients().denial().has_value();
}

QString answerOf(const QByteArray &key, const Recognition &recognition, inspection::InspectedServer &server,
                 const DetailMoment &moment, const std::optional<TraceSummary> &trace,
                 const std::optional<keys::UnreadableKey> &unreadable = std::nullopt)
{
    AnswerInput input;
    input.recognition = recognition;
    input.unreadable = unreadable;
    input.now = moment.now;
    input.wallNow = moment.wallNow;
    input.isFrozen = moment.isFrozen;
    input.trace = trace;
    if (const auto &holds = server.holds().history().holds({key, 0}); !holds.empty())
        input.hold = &holds.back();
    input.seenSince = seenSince(server);
    const keys::KnownKeys &known = server.store().known();
    if (const auto id = known.table.find(key); id && known.isLive(*id))
        addState(key, *id, server, input);
    return answerText(input);
}

} // namespace

QString findingForTicket(const KeyDetail &detail, const DetailFinding &finding)
{
    QStringList lines {detail.key, detail.answer, finding.title, finding.evidence, finding.meaning, finding.advice};
    lines.removeAll(QString());
    return lines.join(u'\n');
}

KeyDetail detailOf(const QByteArray &key, inspection::InspectedServer &server, const DetailMoment &moment,
                   const std::optional<TraceSummary> &trace)
{
    const auto [now, wallNow, isFrozen] = moment;
    const keys::KnownKeys &known = server.store().known();
    const detection::LockFinder &locks = server.locks();
    KeyDetail detail;
    detail.keyBytes = key;
    detail.key = keytable::keyText(key);
    const auto id = known.table.find(key);
    if (!id || !known.isLive(*id)) {
        const auto unreadable = inspection::unreadableKey(server, key);
        addHolds(server.holds().history(), key, unreadable ? std::optional(unreadable->lastSeen) : std::nullopt, now,
                 wallNow, detail);
        detail.answer = answerOf(key, {}, server, moment, trace, unreadable);
        detail.facts.append({DetailText::tr("State"), unreadable ? DetailText::tr("unknown: may not be read")
                                                                 : DetailText::tr("the key no longer exists")});
        return detail;
    }
    addHolds(server.holds().history(), key, std::nullopt, now, wallNow, detail);
    const Recognition recognition = locks.recognise(key);
    detail.answer = answerOf(key, recognition, server, moment, trace);
    if (recognition.isLock()) {
        const Candidate &best = recognition.best();
        detail.kind = titleOf(locks, best.dialect);
        detail.confidence = RecognitionTexts::confidence(best.confidence);
        detail.isCertain = best.confidence >= recognition::Confidence::High;
        for (const recognition::Evidence &evidence : best.evidence)
            detail.evidence += widgets::sentence(RecognitionTexts::evidence(evidence, detail.kind));
        for (std::size_t i = 1; i < recognition.candidates.size(); ++i) {
            const Candidate &other = recognition.candidates[i];
            detail.others += DetailText::tr("%1 (%2)").arg(titleOf(locks, other.dialect),
                                                           RecognitionTexts::confidence(other.confidence));
        }
        addHolders(recognition.decoded, detail.facts);
        addClients(key, recognition.decoded, server.clients(), detail.facts);
        addQueue(recognition.decoded, detail.facts);
        addFindings(server.evaluator().findingsOf(key), detail);
    }
    addTimes(known, *id, now, wallNow, detail.facts);
    addRenewals(locks.ttlHistory(key), detail.facts);
    detail.exists = true;
    if (const keys::RawValue *value = known.value(*id))
        detail.value = *value;
    if (const keys::FieldDeadlines *fields = known.fieldEndsOf(*id))
        detail.fieldEnds = *fields;
    const watching::FieldLifetimeSupport lifetimes = server.watcher().fieldLifetimes();
    if (known.table.type(*id) == keys::KeyType::Hash
        && lifetimes.state == watching::FieldLifetimeSupport::State::Denied)
        detail.fieldsRefusal =
            widgets::sentence(DetailText::tr("expiry of the fields unknown: %1").arg(lifetimes.refusal->message()));
    return detail;
}

} // namespace latchkey::ui::detail

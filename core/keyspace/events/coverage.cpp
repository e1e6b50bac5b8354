#include "core/keyspace/events/coverage.h"

#include "core/foundation/base/duration.h"
#include "core/keyspace/events/refusalspan.h"

#include <QJsonArray>
#include <QRegularExpression>

#include <algorithm>

namespace latchkey::events {

using base::MonotonicTime;
using base::Text;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Maximum lag of a complete coverage; a shorter one is normal.
constexpr auto maxLag = 1s;

QString spanText(std::chrono::nanoseconds span)
{
    return base::displayDuration(std::chrono::ceil<milliseconds>(span));
}

/// Returns the refused requests as JSON: those that are still refused, and those that were refused for a part of the
/// time.
QJsonArray deniedJson(const Coverage &coverage)
{
    const MonotonicTime now = coverage.parts().now;
    std::vector<RefusalSpan> spans = RefusalSpan::of(coverage.parts());
    const auto inMilliseconds = [](std::chrono::nanoseconds span) {
        return qint64(std::chrono::ceil<milliseconds>(span).count());
    };
    const auto addTimes = [&](QJsonObject object, const RefusalSpan &span) {
        object[QStringLiteral("began_ago_ms")] = inMilliseconds(now - span.from);
        object[QStringLiteral("lasted_ms")] = inMilliseconds(span.lasted);
        return object;
    };
    QJsonArray denied;
    const auto json = [](KeyRequest request, bool isOfSomeKeys, const base::Error &why) {
        return QJsonObject {{QStringLiteral("question"), requestName(request)},
                            {QStringLiteral("some_keys"), isOfSomeKeys},
                            {QStringLiteral("why"), why.message()}};
    };
    for (const Coverage::Denial &denial : coverage.denied()) {
        QJsonObject object = json(denial.request, denial.isOfSomeKeys, denial.why);
        const auto span = std::ranges::find_if(spans, [&](const RefusalSpan &each) {
            return each.request == denial.request && each.isOfSomeKeys == denial.isOfSomeKeys;
        });
        denied += span == spans.end() ? object : addTimes(object, *span);
        if (span != spans.end())
            spans.erase(span);
    }
    for (const RefusalSpan &span : spans)
        denied += addTimes(json(span.request, span.isOfSomeKeys, span.why), span);
    return denied;
}

QJsonObject deletionJson(const Coverage::Deletion &deletion)
{
    return {{QStringLiteral("keys_before"), deletion.keysBefore},
            {QStringLiteral("keys_after"), deletion.keysAfter},
            {QStringLiteral("checked"), deletion.checked},
            {QStringLiteral("gone"), deletion.gone}};
}

/// Adds the sentences about the nodes of a cluster.
void addSentences(const Coverage::ClusterParts &cluster, std::vector<Text> &all)
{
    for (const auto &node : cluster.nodes) {
        if (node.missing)
            all.push_back(Text(QT_TRANSLATE_NOOP("core", "keys of the cluster node %1 are missing: %2"), node.name,
                               node.missing->text));
    }
    if (cluster.whyNotFound)
        all.push_back(
            Text(QT_TRANSLATE_NOOP("core", "the server is a cluster node, and the keys of the other nodes are "
                                           "missing, because it does not name them: %1"),
                 cluster.whyNotFound->text));
    if (cluster.unservedSlots > 0)
        all.push_back(Text(QT_TRANSLATE_NOOP("core", "slots of the cluster that no node serves: %1; assign them, or "
                                                     "start their node (CLUSTER INFO shows the state)"),
                           qint64(cluster.unservedSlots)));
    if (cluster.haveSlotsMoved)
        all.push_back(
            Text(QT_TRANSLATE_NOOP("core", "slots moved between nodes of the cluster meanwhile, so keys may be "
                                           "missing; try again when they have moved")));
}

QJsonObject clusterJson(const Coverage::ClusterParts &cluster)
{
    const auto why = [](const std::optional<base::Error> &error) {
        return error ? QJsonValue(error->message()) : QJsonValue();
    };
    QJsonArray nodes;
    for (const auto &node : cluster.nodes)
        nodes += QJsonObject {{QStringLiteral("node"), node.name},
                              {QStringLiteral("looked_at"), node.scannedKeys},
                              {QStringLiteral("why"), why(node.missing)}};
    return {{QStringLiteral("nodes"), nodes},
            {QStringLiteral("slots_moved"), cluster.haveSlotsMoved},
            {QStringLiteral("unserved_slots"), cluster.unservedSlots},
            {QStringLiteral("why"), why(cluster.whyNotFound)}};
}

} // namespace

QString requestName(KeyRequest request)
{
    switch (request) {
    case KeyRequest::Names:
        return QStringLiteral("SCAN");
    case KeyRequest::Expiry:
        return QStringLiteral("PTTL");
    case KeyRequest::Type:
        return QStringLiteral("TYPE");
    case KeyRequest::Value:
        return QStringLiteral("values");
    case KeyRequest::Changes:
        return QStringLiteral("events");
    }
    Q_UNREACHABLE();
}

Coverage Coverage::narrowedTo(KeyRequests needed) const
{
    Parts parts = m_parts;
    parts.needed = needed;
    return Coverage(std::move(parts));
}

bool Coverage::isNeeded(const std::optional<KeyRequest> &request) const
{
    return !request || m_parts.needed.testFlag(*request);
}

bool Coverage::isComplete() const
{
    return sentences().empty();
}

const Coverage::Gap *Coverage::gap() const
{
    const auto open =
        std::ranges::find_if(m_parts.gaps, [&](const Gap &each) { return !each.to && isUnobserved(each); });
    return open == m_parts.gaps.end() ? nullptr : &*open;
}

/// Returns whether nothing was seen in that interval. Without change events, requests find the changes.
bool Coverage::isUnobserved(const Gap &interval) const
{
    return isNeeded(interval.request) && interval.request != KeyRequest::Changes;
}

std::chrono::nanoseconds Coverage::unobservedDuration() const
{
    return durationOf([this](const Gap &each) { return isUnobserved(each); });
}

std::chrono::nanoseconds Coverage::unreportedDuration() const
{
    return durationOf([this](const Gap &each) { return isNeeded(each.request); }) - unobservedDuration();
}

bool Coverage::hasUnreportedSince(MonotonicTime from) const
{
    return std::ranges::any_of(m_parts.gaps, [from](const Gap &each) {
        return each.request == KeyRequest::Changes && (!each.to || *each.to > from);
    });
}

/// Sums the intervals; overlapping times count once.
std::chrono::nanoseconds Coverage::durationOf(const std::function<bool(const Gap &)> &isCounted) const
{
    std::chrono::nanoseconds sum {};
    MonotonicTime counted = MonotonicTime::min();
    for (const Gap &each : m_parts.gaps) {
        const MonotonicTime to = each.to.value_or(std::max(m_parts.now, each.from));
        if (!isCounted(each) || to <= counted)
            continue;
        sum += to - std::max(each.from, counted);
        counted = to;
    }
    return sum;
}

Text Coverage::Gap::sentence(MonotonicTime now) const
{
    const QString span = spanText(now - from);
    if (why.kind == base::ErrorKind::StaleReplica)
        return Text(QT_TRANSLATE_NOOP("core", "keys may be missing or out of date: %1"), why.text);
    if (!request)
        return Text(QT_TRANSLATE_NOOP("core", "nothing has been seen for %1: %2"), span, why.text);
    if (why.kind == base::ErrorKind::Protocol) // For example, a SCAN that does not end.
        return Text(QT_TRANSLATE_NOOP("core", "%1 has failed for %2: %3"), requestName(*request), span, why.text);
    if (*request == KeyRequest::Value)
        return Text(QT_TRANSLATE_NOOP("core", "the server has refused to show values for %1, so holders are not "
                                              "reported: %2"),
                    span, why.text);
    if (isOfSomeKeys)
        return Text(QT_TRANSLATE_NOOP("core", "the server has refused %1 of some keys for %2: %3"),
                    requestName(*request), span, why.text);
    return Text(QT_TRANSLATE_NOOP("core", "the server has refused %1 for %2: %3"), requestName(*request), span,
                why.text);
}

Text Coverage::Gap::pastSentence(MonotonicTime end) const
{
    const QString span = spanText(end - from);
    if (why.kind == base::ErrorKind::StaleReplica)
        return Text(QT_TRANSLATE_NOOP("core", "keys may have been missing or out of date for %1"), span);
    if (!request)
        return Text(QT_TRANSLATE_NOOP("core", "nothing was seen for %1"), span);
    if (why.kind == base::ErrorKind::Protocol)
        return Text(QT_TRANSLATE_NOOP("core", "%1 failed for %2: %3"), requestName(*request), span, why.text);
    return Text(QT_TRANSLATE_NOOP("core", "the server refused %1 for %2: %3"), requestName(*request), span, why.text);
}

Text Coverage::Denial::sentence() const
{
    if (isOfSomeKeys && request == KeyRequest::Value)
        return Text(QT_TRANSLATE_NOOP("core", "some values cannot be read: %1"), why.text);
    if (isOfSomeKeys)
        return Text(QT_TRANSLATE_NOOP("core", "some keys are not shown: %1"), why.text);
    return Text(QT_TRANSLATE_NOOP("core", "%1 cannot be asked: %2"), requestName(request), why.text);
}

bool Coverage::Denial::isForWholeType() const
{
    // The server says that the user may not "run" a command, or not "access" a key.
    static const QRegularExpression ofCommand(QStringLiteral("\\brun\\b"));
    return isOfSomeKeys && request == KeyRequest::Value
        && (why.kind == base::ErrorKind::UnknownCommand
            || (why.kind == base::ErrorKind::PermissionDenied && why.message().contains(ofCommand)));
}

Text Coverage::Denial::wholeTypeSentence() const
{
    return Text(QT_TRANSLATE_NOOP("core", "values of one type cannot be read, so the locks with such a value and their "
                                          "holders are not reported: %1"),
                why.text);
}

std::optional<Text> Coverage::unreadSentence() const
{
    if (m_parts.unread == 0 || !isNeeded(KeyRequest::Value))
        return std::nullopt;
    return Text(QT_TRANSLATE_NOOP("core", "possible locks with values that have not been read: %1"), m_parts.unread);
}

/// Adds the sentence about the gap that still lasts, or those about the past.
void Coverage::addGapSentences(std::vector<Text> &all) const
{
    const Gap *open = gap();
    const auto isStale = [](const Gap &each) { return each.why.kind == base::ErrorKind::StaleReplica; };
    const auto unanswered = durationOf([&](const Gap &each) { return each.to && !each.request && !isStale(each); });
    const auto stale = durationOf(isStale);
    if (open != nullptr && m_parts.cluster)
        all.push_back(Text(QT_TRANSLATE_NOOP("core", "not all nodes of the cluster have been seen for %1: %2"),
                           spanText(m_parts.now - open->from), open->why.text));
    else if (open != nullptr)
        all.push_back(open->sentence(m_parts.now));
    const QString span = spanText(unanswered);
    if (!m_parts.cluster && unanswered > 0ns)
        all.push_back(open != nullptr ? Text(QT_TRANSLATE_NOOP("core", "before that, nothing was seen for %1"), span)
                                      : Text(QT_TRANSLATE_NOOP("core", "nothing was seen for %1"), span));
    if (open != nullptr || unobservedDuration() == 0ns)
        return;
    if (m_parts.cluster)
        return all.push_back(Text(QT_TRANSLATE_NOOP("core", "not all nodes of the cluster were seen for %1"),
                                  spanText(unobservedDuration())));
    if (stale > 0ns)
        all.push_back(
            Text(QT_TRANSLATE_NOOP("core", "keys may have been missing or out of date for %1"), spanText(stale)));
    addRefusalSentences(all);
}

/// Adds a sentence about each needed request that was refused, and no longer is.
void Coverage::addRefusalSentences(std::vector<Text> &all) const
{
    for (const RefusalSpan &span : RefusalSpan::of(m_parts)) {
        if (isNeeded(span.request) && span.lasted > 0ns)
            all.push_back(span.endedText(m_parts.now));
    }
}

std::vector<Text> Coverage::sentences() const
{
    std::vector<Text> all;
    const Gap *open = gap();
    addGapSentences(all);
    if (const auto unreported = unreportedDuration(); unreported > 0ns)
        all.push_back(Text(QT_TRANSLATE_NOOP("core", "the server reported no changes for %1, so a key that came and "
                                                     "went meanwhile may be missing"),
                           spanText(unreported)));
    for (const Denial &denial : m_parts.denied) {
        if (!isNeeded(denial.request) || denial.request == KeyRequest::Changes)
            continue;
        if (open == nullptr || open->why != denial.why || open->isOfSomeKeys != denial.isOfSomeKeys)
            all.push_back(denial.sentence());
    }
    if (m_parts.cluster)
        addSentences(*m_parts.cluster, all);
    if (const auto &deletion = m_parts.deletion)
        all.push_back(Text(QT_TRANSLATE_NOOP("core", "many keys were deleted during the scan, so the found keys may be "
                                                     "only a part: the server had %1 keys at the beginning and %2 "
                                                     "at the end, and of %3 found keys %4 no longer exist"),
                           deletion->keysBefore, deletion->keysAfter, deletion->checked, deletion->gone));
    else if (m_parts.flushes > 0)
        all.push_back(Text(QT_TRANSLATE_NOOP("core", "the server executed FLUSHALL, FLUSHDB or SWAPDB during the scan, "
                                                     "perhaps in another database, so keys may be missing")));
    if (m_parts.renames > 0)
        all.push_back(
            Text(QT_TRANSLATE_NOOP("core", "keys were renamed during the scan (RENAME: %1), perhaps in another "
                                           "database, so renamed keys may be missing"),
                 m_parts.renames));
    if (isNeeded(KeyRequest::Names) && !m_parts.isScanComplete)
        all.push_back(m_parts.databaseSize
                          ? Text(QT_TRANSLATE_NOOP("core", "of %1 keys only %2 were looked at"), *m_parts.databaseSize,
                                 m_parts.scannedKeys)
                          : Text(QT_TRANSLATE_NOOP("core", "only %1 keys were looked at"), m_parts.scannedKeys));
    if (auto unread = unreadSentence())
        all.push_back(std::move(*unread));
    if (m_parts.lag > maxLag)
        all.push_back(Text(QT_TRANSLATE_NOOP("core", "changes have waited for %1 to be read"), spanText(m_parts.lag)));
    return all;
}

QJsonObject toJson(const Coverage &coverage)
{
    QJsonArray missing;
    for (const Text &sentence : coverage.sentences())
        missing += sentence.toString();
    QJsonObject json {
        {QStringLiteral("complete"), coverage.isComplete()},
        {QStringLiteral("looked_at"), coverage.scannedKeys()},
        {QStringLiteral("of"), coverage.databaseSize() ? QJsonValue(*coverage.databaseSize()) : QJsonValue()},
        {QStringLiteral("denied"), deniedJson(coverage)},
        {QStringLiteral("unread"), coverage.unread()},
        {QStringLiteral("blind_ms"), qint64(std::chrono::ceil<milliseconds>(coverage.unobservedDuration()).count())},
        {QStringLiteral("unreported_ms"),
         qint64(std::chrono::ceil<milliseconds>(coverage.unreportedDuration()).count())},
        {QStringLiteral("lag_ms"), qint64(std::chrono::ceil<milliseconds>(coverage.lag()).count())},
        {QStringLiteral("missing"), missing}};
    if (const auto &cluster = coverage.parts().cluster)
        json[QStringLiteral("cluster")] = clusterJson(*cluster);
    if (const auto &deletion = coverage.parts().deletion)
        json[QStringLiteral("deletion")] = deletionJson(*deletion);
    if (coverage.parts().flushes > 0)
        json[QStringLiteral("flushes")] = coverage.parts().flushes;
    if (coverage.parts().renames > 0)
        json[QStringLiteral("renames")] = coverage.parts().renames;
    return json;
}

Coverage withoutRedirects(const Coverage &coverage)
{
    const auto isRedirect = [](const auto &part) { return part.why.kind == base::ErrorKind::ClusterRedirect; };
    Coverage::Parts parts = coverage.parts();
    std::erase_if(parts.denied, isRedirect);
    std::erase_if(parts.gaps, isRedirect);
    return Coverage(std::move(parts));
}

Coverage::Parts sumOf(const std::vector<Coverage::Parts> &each)
{
    Coverage::Parts sum;
    sum.isScanComplete = true;
    sum.databaseSize = 0;
    for (const Coverage::Parts &part : each) {
        sum.isScanComplete = sum.isScanComplete && part.isScanComplete;
        sum.scannedKeys += part.scannedKeys;
        sum.databaseSize = sum.databaseSize && part.databaseSize ? std::optional(*sum.databaseSize + *part.databaseSize)
                                                                 : std::nullopt;
        for (const Coverage::Denial &denial : part.denied) {
            if (std::ranges::find(sum.denied, denial) == sum.denied.end())
                sum.denied.push_back(denial); // Several servers may refuse the same request.
        }
        sum.gaps.insert(sum.gaps.end(), part.gaps.begin(), part.gaps.end());
        if (part.deletion) {
            Coverage::Deletion &deletion = sum.deletion.emplace(sum.deletion.value_or(Coverage::Deletion()));
            deletion.keysBefore += part.deletion->keysBefore;
            deletion.keysAfter += part.deletion->keysAfter;
            deletion.checked += part.deletion->checked;
            deletion.gone += part.deletion->gone;
        }
        sum.flushes += part.flushes;
        sum.renames += part.renames;
        sum.unread += part.unread;
        sum.lag = std::max(sum.lag, part.lag);
        sum.now = std::max(sum.now, part.now);
    }
    std::ranges::sort(sum.gaps, {}, &Coverage::Gap::from);
    return sum;
}

} // namespace latchkey::events

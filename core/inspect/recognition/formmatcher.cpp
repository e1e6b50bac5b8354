#include "core/inspect/recognition/formmatcher.h"

#include "core/foundation/base/hashtag.h"
#include "core/inspect/recognition/text.h"

#include <algorithm>

namespace latchkey::recognition {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Maximum age of a token that indicates a current client.
constexpr milliseconds freshness = 24h * 7;
/// Maximum lease of a lock if only a script or a timer indicates one; a key with a longer TTL is treated as data.
constexpr milliseconds maxLease = 2min;

ShapeInput readingOf(const KeySample &sample)
{
    const bool isWhole = sample.value && sample.value->isWholeString();
    return {sample, isWhole ? unwrap(sample.value->bytes()) : UnwrappedValue()};
}

} // namespace

bool Renewal::fits(const TtlHistory &ttlHistory) const
{
    if (ttlHistory.renewals() < 2)
        return false;
    // Infrequent polls see a renewal late, by up to their interval, and some libraries skip a renewal.
    const milliseconds expected = every.count() > 0
                                    ? every
                                    : std::chrono::round<milliseconds>(
                                          std::chrono::duration<double, std::milli>(ttlHistory.longestTtl()) * share);
    const bool isInTime =
        ttlHistory.shortestPeriod() * 10 >= expected * 7 && ttlHistory.longestPeriod() * 10 <= expected * 22;
    return isInTime
        && (ceiling.count() == 0
            || (ttlHistory.longestTtl() * 10 >= ceiling * 7 && ttlHistory.longestTtl() <= ceiling + 250ms));
}

FormMatcher::FormMatcher(const KeySample &sample, const ServerContext &serverContext,
                         const NameClassifier &nameClassifier)
    : m_sample(sample)
    , m_serverContext(serverContext)
    , m_name(unwrap(sample.key))
    , m_nameText(QString::fromLatin1(m_name.bytes))
    , m_found(nameClassifier.classify(m_name.bytes))
    , m_reading(readingOf(sample))
    , m_everyForms {{"key", m_name.bytes},
                    {"tagged", taggedName(m_name.bytes)},
                    {"hashtag", base::withHashTag(sample.key)},
                    {"value", m_reading.text.bytes}}
{}

std::optional<FormMatcher::FormMatch> FormMatcher::match(const Dialect &dialect, const Form &form)
{
    // The cheapest check comes first: it rejects most forms.
    const auto isIn = [&](std::size_t hint) { return m_found.hints.test(hint); };
    if (m_sample.type != form.type || !m_sample.value
        || (!form.hints.empty() && std::ranges::none_of(form.hints, isIn)))
        return std::nullopt;
    auto decoded = readValue(form);
    if (!decoded || !matchesName(form))
        return std::nullopt;
    FormMatch match;
    match.decoded = std::move(*decoded);
    ConditionResult needs = check(dialect, form, form.needs, match.decoded);
    if (needs.truth == TriState::No)
        return std::nullopt;

    match.candidate.dialect = dialect.id;
    std::vector<Evidence> &evidence = match.candidate.evidence;
    if (form.name)
        evidence.push_back({Evidence::Kind::Name, {}, 0, {}});
    evidence.push_back({form.shape == nullptr ? Evidence::Kind::OwnValue : Evidence::Kind::Value,
                        form.shape == nullptr ? QByteArray() : form.shapeId,
                        0,
                        {}});
    if (!m_reading.text.wrapper.isEmpty())
        evidence.push_back({Evidence::Kind::Wrapped, m_reading.text.wrapper, 0, {}});
    std::ranges::move(needs.evidence, std::back_inserter(evidence));
    match.requests = std::move(needs.requests);
    if (needs.truth == TriState::Unknown)
        return match;

    if (form.alone) {
        match.isCandidate = true;
        match.candidate.confidence = *form.alone;
    }
    for (const Raise &raise : form.raises) {
        const bool isHigher = !match.isCandidate || raise.to > match.candidate.confidence;
        ConditionResult result = check(dialect, form, raise.when, match.decoded);
        if (result.truth == TriState::No || (result.truth == TriState::Unknown && !isHigher))
            continue;
        std::ranges::move(result.requests, std::back_inserter(match.requests));
        if (result.truth != TriState::Yes)
            continue;
        for (Evidence &piece : result.evidence) {
            if (std::ranges::find(evidence, piece) == evidence.end())
                evidence.push_back(std::move(piece));
        }
        match.candidate.confidence = isHigher ? raise.to : match.candidate.confidence;
        match.isCandidate = true;
    }
    if (match.isCandidate) {
        addFencing(match.decoded);
        addWaiting(match, form);
    }
    if (!match.isCandidate && !form.asks)
        match.requests.clear();
    return match;
}

bool FormMatcher::matchesName(const Form &form)
{
    m_variables = m_everyForms;
    if (!form.name)
        return true;
    const QRegularExpressionMatch match = form.name->match(m_nameText);
    if (!match.hasMatch())
        return false;
    if (form.name->captureCount() == 0)
        return true;
    for (const QString &group : form.name->namedCaptureGroups()) {
        if (!group.isEmpty())
            m_variables[group.toLatin1()] = match.captured(group).toLatin1();
    }
    return true;
}

std::optional<LockContent> FormMatcher::readValue(const Form &form) const
{
    if (!form.holderField.isEmpty())
        return readField(form.holderField);
    const bool isString = form.type == keys::KeyType::String;
    if (isString && !m_sample.value->isWholeString())
        return std::nullopt;
    return form.shape != nullptr ? form.shape->read(m_reading) : readPattern(*form.pattern);
}

/// Reads the holder from a field of the hash; an empty field names no holder.
std::optional<LockContent> FormMatcher::readField(const QByteArray &field) const
{
    const QList<QByteArray> &parts = m_sample.value->parts;
    for (qsizetype i = 0; i + 1 < parts.size(); i += 2) {
        if (parts[i] != field)
            continue;
        LockContent decoded;
        decoded.holderCount = 1;
        decoded.isHolderRecorded = !parts[i + 1].isEmpty();
        if (decoded.isHolderRecorded)
            decoded.holders.emplace_back().bytes = parts[i + 1];
        return decoded;
    }
    return std::nullopt;
}

std::optional<LockContent> FormMatcher::readPattern(const QRegularExpression &pattern) const
{
    const QRegularExpressionMatch match = pattern.match(QString::fromLatin1(m_reading.text.bytes));
    if (!match.hasMatch())
        return std::nullopt;
    const auto group = [&](const char *name) { return match.captured(QLatin1String(name)).toLatin1(); };
    Holder holder;
    const QByteArray own = group("holder");
    holder.bytes = own.isEmpty() ? m_reading.text.bytes : own;
    holder.host = group("host");
    holder.pid = wholeNumber(group("pid"));
    holder.thread = group("thread");
    holder.client = group("client").isEmpty() ? group("id") : group("client");
    holder.since = group("at").isEmpty() ? unixTime(group("ms")) : isoTime(group("at"));
    holder.until = unixTime(group("until"));
    if (const auto count = wholeNumber(group("count")); count && *count > 0)
        holder.count = *count;
    LockContent decoded;
    decoded.fencing = wholeNumber(group("fence"));
    decoded.holderCount = holder.count;
    decoded.holders.push_back(std::move(holder));
    return decoded;
}

/// Reads the fencing number from the counter beside the lock, as with `latchkey.fenced`.
void FormMatcher::addFencing(LockContent &decoded) const
{
    const auto counter = m_sample.companions.constFind(latchkeyFencingCounter(m_sample.key));
    if (!decoded.fencing && counter != m_sample.companions.cend() && counter->exists)
        decoded.fencing = wholeNumber(counter->value.bytes());
}

/// Adds reads that provide more facts but no evidence.
void FormMatcher::addWaiting(FormMatch &match, const Form &form) const
{
    for (const QByteArray &companion : form.reads) {
        const QByteArray key = expand(companion, m_variables);
        if (!m_sample.companions.contains(key))
            match.requests.push_back({ReadRequest::Kind::Companion, key});
    }
    QByteArrayList channels = form.counts;
    for (const Raise &raise : form.raises) {
        if (!raise.when.subscriber.isEmpty())
            channels += raise.when.subscriber;
    }
    for (const QByteArray &each : channels) {
        const QByteArray channel = expand(each, m_variables);
        if (const auto number = subscribersOf(channel))
            match.decoded.waitingClients = std::max(*number, match.decoded.waitingClients.value_or(0));
        else
            match.requests.push_back({ReadRequest::Kind::Subscribers, channel});
    }
    if (match.decoded.isPartial)
        match.requests.push_back({ReadRequest::Kind::Value, {}});
}

FormMatcher::ConditionResult FormMatcher::check(const Dialect &dialect, const Form &form, const Condition &condition,
                                                const LockContent &decoded) const
{
    ConditionResult result;
    checkName(result, condition);
    checkLease(result, condition);
    checkHistory(result, dialect, condition, decoded);
    // If users choose the name, an everyday name outweighs evidence from the server or the clock.
    const bool isIndirect = condition.wantsScript || condition.wantsRenewal || condition.wantsSteadyRenewal
                         || condition.wantsFresh || condition.wantsSameValue || condition.wantsReleases;
    if (form.hints.empty() && isIndirect && !isPlainName() && m_found.lockWord.isEmpty())
        result.add(false);
    const bool isServersOrTimers =
        condition.wantsScript || condition.wantsRenewal || condition.wantsSteadyRenewal || condition.wantsReleases;
    if (form.hints.empty() && isServersOrTimers && m_found.lockWord.isEmpty())
        result.add(lease().value_or(maxLease) <= maxLease);
    if (result.truth == TriState::No)
        return result; // No further request is needed.
    if (condition.wantsScript)
        checkScripts(result, dialect);
    checkCompanions(result, condition);
    if (!condition.subscriber.isEmpty())
        checkSubscribers(result, expand(condition.subscriber, m_variables));
    return result;
}

void FormMatcher::checkName(ConditionResult &result, const Condition &condition) const
{
    if (condition.wantsPlainName)
        result.add(isPlainName());
    if (condition.wantsUnwrapped)
        result.add(m_reading.text.wrapper.isEmpty());
    if (condition.wantsLockWord) {
        result.add(!m_found.lockWord.isEmpty());
        result.evidence.push_back({Evidence::Kind::LockWord, m_found.lockWord.toByteArray(), 0, {}});
    }
}

std::optional<milliseconds> FormMatcher::lease() const
{
    if (!m_sample.left)
        return std::nullopt;
    return std::max(*m_sample.left, m_sample.ttlHistory.longestTtl());
}

void FormMatcher::checkLease(ConditionResult &result, const Condition &condition) const
{
    if (!condition.expires && !condition.leaseAtMost)
        return;
    if (!m_sample.isExpiryKnown)
        return result.add(TriState::Unknown);
    if (condition.expires)
        result.add(*condition.expires == m_sample.left.has_value());
    if (condition.leaseAtMost) {
        result.add(lease().has_value() && *lease() <= *condition.leaseAtMost);
        result.evidence.push_back({Evidence::Kind::Expiry, {}, 0, *condition.leaseAtMost});
    }
}

void FormMatcher::checkHistory(ConditionResult &result, const Dialect &dialect, const Condition &condition,
                               const LockContent &decoded) const
{
    const TtlHistory &ttlHistory = m_sample.ttlHistory;
    if (condition.wantsFresh) {
        const auto since = decoded.holders.empty() ? std::nullopt : decoded.holders.front().since;
        const milliseconds age = since ? m_sample.now - *since : milliseconds::max();
        result.add(age <= freshness);
        result.evidence.push_back({Evidence::Kind::Fresh, {}, 0, std::max(age, 0ms)});
    }
    if (condition.wantsRenewal) {
        result.add(ttlHistory.renewals() < 2          ? TriState::Unknown
                   : dialect.renewal.fits(ttlHistory) ? TriState::Yes
                                                      : TriState::No);
        result.evidence.push_back({Evidence::Kind::Renewal, {}, ttlHistory.renewals(), ttlHistory.longestTtl()});
    }
    if (condition.wantsSteadyRenewal) {
        result.add(ttlHistory.renewals() < 2 ? TriState::Unknown
                   : ttlHistory.isSteady()   ? TriState::Yes
                                             : TriState::No);
        result.evidence.push_back({Evidence::Kind::Renewal, {}, ttlHistory.renewals(), ttlHistory.longestTtl()});
    }
    if (condition.wantsReleases) {
        result.add(m_sample.releases > 0);
        result.evidence.push_back({Evidence::Kind::Released, {}, m_sample.releases, {}});
    }
    if (condition.wantsSameValue) {
        const QByteArray own = m_sample.key.first(std::max<qsizetype>(0, m_sample.key.indexOf(':')));
        const auto same =
            std::ranges::count_if(m_sample.sameValue.value_or(QByteArrayList()), [&](const QByteArray &other) {
                return other != m_sample.key && other.startsWith(own);
            });
        result.add(!m_sample.sameValue ? TriState::Unknown : same > 0 ? TriState::Yes : TriState::No);
        result.evidence.push_back({Evidence::Kind::SameValue, {}, same, {}});
    }
}

void FormMatcher::checkScripts(ConditionResult &result, const Dialect &dialect) const
{
    if (!m_serverContext.scripts) {
        result.add(TriState::Unknown);
        result.requests.push_back({ReadRequest::Kind::Scripts, {}});
        return;
    }
    const auto known = std::ranges::find_if(
        dialect.scripts, [&](const QByteArray &script) { return m_serverContext.scripts->contains(script); });
    result.add(known != dialect.scripts.end());
    if (known != dialect.scripts.end())
        result.evidence.push_back({Evidence::Kind::Script, *known, 0, {}});
}

void FormMatcher::checkCompanions(ConditionResult &result, const Condition &condition) const
{
    const auto classify = [&](const QByteArray &text, bool wanted, Evidence::Kind kind) {
        if (text.isEmpty())
            return;
        const QByteArray key = expand(text, m_variables);
        const auto found = m_sample.companions.constFind(key);
        if (found == m_sample.companions.cend()) {
            result.add(TriState::Unknown);
            result.requests.push_back({ReadRequest::Kind::Companion, key});
            return;
        }
        result.add(found->exists == wanted);
        result.evidence.push_back({kind, key, 0, {}});
    };
    classify(condition.companion, true, Evidence::Kind::Companion);
    classify(condition.absent, false, Evidence::Kind::NoCompanion);
}

std::optional<qint64> FormMatcher::subscribersOf(const QByteArray &channel) const
{
    const auto found = m_serverContext.subscribers.constFind(channel);
    if (found != m_serverContext.subscribers.cend())
        return *found;
    return m_serverContext.areChannelsComplete ? std::optional<qint64>(0) : std::nullopt;
}

void FormMatcher::checkSubscribers(ConditionResult &result, const QByteArray &channel) const
{
    const auto number = subscribersOf(channel);
    result.add(!number ? TriState::Unknown : *number > 0 ? TriState::Yes : TriState::No);
    if (!number)
        result.requests.push_back({ReadRequest::Kind::Subscribers, channel});
    else
        result.evidence.push_back({Evidence::Kind::Subscribers, channel, *number, {}});
}

} // namespace latchkey::recognition

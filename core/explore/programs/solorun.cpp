#include "core/explore/programs/solorun.h"

#include "core/explore/programs/tokenplaceholders.h"
#include "core/explore/schedules/waiting.h"

#include <algorithm>

namespace latchkey::programs {

using base::failure;
using base::Result;
using races::Offer;
using races::Snapshot;
using races::SnapshotKey;
using resp::Reply;
using std::chrono::milliseconds;

namespace {

constexpr races::ClientIndex self = 0;

/// Returns the command for the number of elements of a type; null: the type has no elements that are taken one by one.
const char *countCommand(const QByteArray &type)
{
    return type == "list" ? "LLEN" : type == "set" ? "SCARD" : type == "zset" ? "ZCARD" : nullptr;
}

/// Returns the number of elements of the key, which may be absent.
Result<qint64> countOf(races::EffectCache &effectCache, races::SnapshotId server, const char *command,
                       const QByteArray &key)
{
    const auto effect = effectCache.execute(server, races::noClient, effectCache.number(resp::Command {command, key}));
    if (!effect)
        return failure(effect.error());
    return effectCache.reply(effect->reply).toInteger();
}

/// Returns by how many elements the key has more after a command, negative for fewer; 0 if it has no elements, or has
/// another type now.
Result<qint64> gainOf(races::EffectCache &effectCache, races::SnapshotId before, races::SnapshotId after,
                      const SnapshotKey &key)
{
    const char *const command = countCommand(key.type);
    const auto isOther = [&](const SnapshotKey *each) { return each != nullptr && each->type != key.type; };
    const SnapshotKey *former = effectCache.snapshot(before).find(key.key);
    const SnapshotKey *now = effectCache.snapshot(after).find(key.key);
    if (command == nullptr || races::haveEqualValues(former, now) || isOther(former) || isOther(now))
        return 0;
    const auto formerCount = countOf(effectCache, before, command, key.key);
    const auto count = countOf(effectCache, after, command, key.key);
    if (!formerCount || !count)
        return failure(formerCount ? count.error() : formerCount.error());
    return *count - *formerCount;
}

} // namespace

SoloRun::SoloRun(std::shared_ptr<ObservationTree> tree, std::vector<races::SnapshotId> start, QByteArray resource,
                 AccessClassifier accessOf)
    : m_tree(std::move(tree))
    , m_resource(std::move(resource))
    , m_classify(std::move(accessOf))
    , m_run(m_tree, self)
    , m_held(std::move(start))
{}

quint32 SoloRun::enteredSections(races::ClientIndex client) const
{
    return m_tree->criticalSections().bitsOf({m_enteredSections.begin(), m_enteredSections.end()}, client,
                                             (*m_tree)[m_run.at()].tokens);
}

/// Carries out one message or command, in round-robin order of the conversations.
Result<bool> SoloRun::advance(races::EffectCache &effectCache)
{
    if (receive(effectCache))
        return false;
    auto offers = m_run.offers();
    std::ranges::rotate(offers,
                        std::ranges::find_if(offers, [&](const Offer &each) { return each.conversation > m_served; }));
    for (const Offer &offer : offers) {
        const auto effect = effectCache.execute(m_held[offer.server], races::conversationIdOf(self, offer.conversation),
                                                effectCache.number(offer.commands));
        if (!effect)
            return failure(effect.error());
        if (!waits(offer, effectCache.reply(effect->reply)))
            return answer(effectCache, offer, *effect).map([](bool continues) { return !continues; });
    }
    return !timer() || !advanceClock(effectCache);
}

/// Delivers the first pending message. Returns whether there was one.
bool SoloRun::receive(races::EffectCache &effectCache)
{
    for (races::SnapshotId &held : m_held) {
        const auto conversation = effectCache.snapshot(held).conversationWithMessage(self);
        if (!conversation)
            continue;
        Snapshot snapshot = effectCache.snapshot(held);
        const Reply message = snapshot.takeMessage(races::conversationIdOf(self, *conversation));
        held = effectCache.number(std::move(snapshot));
        m_run.receive(*conversation, message);
        closeListening(effectCache);
        return true;
    }
    return false;
}

/// Delivers the reply. Returns false if the client retries forever.
Result<bool> SoloRun::answer(races::EffectCache &effectCache, const Offer &offer, const races::Effect &effect)
{
    if (!isNew(m_served)) {
        m_endlessCommand = offer.commands.back().toText();
        return false;
    }
    m_served = offer.conversation;
    races::SnapshotId &held = m_held[offer.server];
    races::WriteDetector probe(effectCache);
    const auto influence = probe.influence(held, races::conversationIdOf(self, offer.conversation),
                                           effectCache.number(offer.commands), m_resource);
    if (!influence)
        return failure(influence.error());
    const Reply reply = effectCache.reply(effect.reply); // A copy: each count of elements adds a reply.
    noteSent(offer.commands, reply);
    const races::ResourceAccess accessed =
        m_classify(offer.commands, reply, effectCache.snapshot(held), effectCache.snapshot(effect.after), *influence);
    m_usesResource = m_usesResource || accessed.reads || accessed.writes;
    if (const auto recorded = recordReads(effectCache, offer, effect); !recorded)
        return failure(recorded.error());
    recordKeyUse(effectCache.snapshot(held), effectCache.snapshot(effect.after));
    if (const auto watched = recordElements(effectCache, held, effect.after); !watched)
        return failure(watched.error());
    held = effect.after;
    const bool wasInside = m_run.clientStatus().isInside;
    m_run.answer(offer.conversation, reply);
    const QList<QByteArray> &sections = (*m_tree)[m_run.at()].criticalSections;
    m_enteredSections.insert(sections.begin(), sections.end());
    if (!wasInside && m_run.clientStatus().isInside) {
        noteKeys(effectCache);
        m_hasEntered = true;
    }
    closeListening(effectCache);
    return true;
}

/// Records the commands and their replies; MULTI and EXEC are around those of a transaction.
void SoloRun::noteSent(const resp::Commands &commands, const Reply &reply)
{
    if (commands.size() < 3) {
        m_sentCommands.push_back({commands.back(), reply, m_hasEntered});
        return;
    }
    for (std::size_t i = 0; i < reply.elements().size() && i + 2 < commands.size(); ++i)
        m_sentCommands.push_back({commands[i + 1], reply.elements()[i], m_hasEntered});
}

/// Records the keys on which a reply outside a critical section depends: those named by a command that only reads, and
/// those for which another content gives another reply.
Result<void> SoloRun::recordReads(races::EffectCache &effectCache, const Offer &offer, const races::Effect &effect)
{
    if (m_run.clientStatus().isInside)
        return {};
    const races::SnapshotId held = m_held[offer.server];
    if (effect.after == held) {
        for (const resp::Command &command : offer.commands) {
            for (const QByteArray &word : command.words())
                m_watched[word].isRead = true;
        }
    }
    races::WriteDetector probe(effectCache);
    const auto keys = effectCache.snapshot(effect.after).keys; // A copy: each question adds snapshots.
    for (const SnapshotKey &key : keys) {
        if (key.type == "stream") // The reply to XADD is an id, which depends on the last one.
            continue;
        const auto influence = probe.influence(held, races::conversationIdOf(self, offer.conversation),
                                               effectCache.number(offer.commands), key.key);
        if (!influence)
            return failure(influence.error());
        m_watched[key.key].isRead = m_watched[key.key].isRead || influence->reads;
    }
    return {};
}

/// Records the properties of the keys that a command shows.
void SoloRun::recordKeyUse(const Snapshot &before, const Snapshot &after)
{
    const QByteArray token = tokenName(self, 0);
    for (const SnapshotKey &key : after.keys) {
        Watched &watched = m_watched[key.key];
        watched.hasToken = watched.hasToken || key.text.contains(token) || key.dump.contains(token);
        watched.hasElements = countCommand(key.type) != nullptr;
        watched.isLeftBehind = true;
    }
    for (const SnapshotKey &key : before.keys) {
        Watched &watched = m_watched[key.key];
        const SnapshotKey *now = after.find(key.key);
        watched.isLeftBehind = now != nullptr;
        watched.isDeleted = watched.isDeleted || now == nullptr;
        watched.isChangedLater = watched.isChangedLater || (m_hasEntered && !races::haveEqualValues(&key, now));
    }
}

/// Records the lists and sets from which the client takes an element before it enters, and those to which it moves one.
Result<void> SoloRun::recordElements(races::EffectCache &effectCache, races::SnapshotId before, races::SnapshotId after)
{
    if (m_hasEntered)
        return recordRefills(effectCache, before, after);
    const QByteArray token = tokenName(self, 0);
    const auto hasToken = [&](const SnapshotKey &key) { return key.text.contains(token) || key.dump.contains(token); };
    bool isAnyLost = false;
    bool isTokenLost = false;
    const auto keys = effectCache.snapshot(before).keys; // Copies: each count adds a snapshot.
    const auto keysAfter = effectCache.snapshot(after).keys;
    for (const SnapshotKey &key : keys) {
        const auto gained = gainOf(effectCache, before, after, key);
        if (!gained)
            return failure(gained.error());
        if (*gained >= 0)
            continue;
        m_watched[key.key].hasLostElement = true;
        isAnyLost = true;
        isTokenLost = isTokenLost || hasToken(key);
    }
    for (const SnapshotKey &key : keysAfter) {
        if (!isAnyLost || (hasToken(key) && !isTokenLost)) // The client's own entry is no moved element.
            continue;
        const auto gained = gainOf(effectCache, before, after, key);
        if (!gained)
            return failure(gained.error());
        m_watched[key.key].hasGotElement = m_watched[key.key].hasGotElement || *gained > 0;
    }
    return {};
}

/// Records the lists and sets to which the client adds an element again: a lock, and not a job that is done.
Result<void> SoloRun::recordRefills(races::EffectCache &effectCache, races::SnapshotId before, races::SnapshotId after)
{
    const auto keys = effectCache.snapshot(after).keys; // Copies: each count adds a snapshot.
    for (const SnapshotKey &key : keys) {
        Watched &watched = m_watched[key.key];
        if (!watched.hasLostElement || watched.isRefilled)
            continue;
        const auto gained = gainOf(effectCache, before, after, key);
        if (!gained)
            return failure(gained.error());
        watched.isRefilled = *gained > 0;
    }
    return {};
}

/// Records the keys that exist when the client enters.
void SoloRun::noteKeys(const races::EffectCache &effectCache)
{
    std::map<QByteArray, int> servers;
    for (const races::SnapshotId held : m_held) {
        for (const SnapshotKey &key : effectCache.snapshot(held).keys)
            ++servers[key.key];
    }
    for (const auto &[key, count] : servers)
        m_watched[key].servers = std::max(m_watched[key].servers, count);
}

std::vector<races::LockKey> SoloRun::lockKeys() const
{
    using Reason = races::LockKey::Reason;
    const bool isAnyRead = std::ranges::any_of(m_watched, [](const auto &watched) {
        return watched.second.servers > 0 && watched.second.hasToken && watched.second.isRead;
    });
    const bool isAnyReleased = std::ranges::any_of(m_watched, [](const auto &watched) {
        return watched.second.servers > 0 && watched.second.hasToken && watched.second.isDeleted;
    });
    const auto isKept = [&](const Watched &watched) {
        return isAnyReleased && watched.hasElements && watched.isLeftBehind && !watched.isChangedLater;
    };
    std::vector<races::LockKey> keys;
    for (const auto &[key, watched] : m_watched) {
        if (watched.servers > 0 || watched.hasLostElement)
            keys.push_back({key,
                            watched.hasLostElement  ? Reason::Popped
                            : watched.hasGotElement ? Reason::Moved
                            : watched.hasToken      ? (isAnyRead && !watched.isRead ? Reason::Unread
                                                       : isKept(watched)            ? Reason::Kept
                                                                                    : Reason::HasToken)
                            : watched.isDeleted     ? Reason::Released
                                                    : Reason::Data,
                            watched.servers, watched.isRefilled, watched.isChangedLater, watched.isLeftBehind});
    }
    return keys;
}

/// Advances the time to the moment for which the client waits and removes expired keys. Returns false if the client
/// waits forever.
bool SoloRun::advanceClock(races::EffectCache &effectCache)
{
    const auto time = *timer() + milliseconds(1);
    for (races::SnapshotId &held : m_held) {
        Snapshot after = effectCache.snapshot(held);
        std::erase_if(after.keys, [&](const SnapshotKey &key) { return key.lifetime && *key.lifetime <= time; });
        for (SnapshotKey &key : after.keys) {
            key.shortenLifetime(time);
            for (auto &[field, end] : key.fieldEnds)
                end = std::max(end, milliseconds(1)); // An expired field stays until its key ends.
        }
        held = effectCache.number(std::move(after));
    }
    if (!isNew(-1))
        return false;
    m_run.advanceClock(time);
    closeListening(effectCache);
    return true;
}

bool SoloRun::isNew(int served)
{
    return m_seen.insert({m_held, m_tree->withoutTime(m_run.at()), served}).second;
}

/// Returns whether the client continues to wait in the server after this reply.
bool SoloRun::waits(const Offer &offer, const Reply &reply) const
{
    const auto waiting = schedules::waitingOf(offer.commands);
    if (!waiting || !waiting->isTimeoutReply(reply))
        return false;
    return !waiting->timeout || m_run.waited(offer.conversation) < *waiting->timeout;
}

/// Returns the time until the client's timer or the timeout of a blocking command ends.
std::optional<milliseconds> SoloRun::timer() const
{
    auto time = m_run.timer();
    for (const Offer &offer : m_run.offers()) {
        const auto waiting = schedules::waitingOf(offer.commands);
        if (!waiting || !waiting->timeout || !m_tree->isClockControlled())
            continue;
        const auto left = *waiting->timeout - m_run.waited(offer.conversation);
        time = std::min(time.value_or(left), left);
    }
    return time;
}

void SoloRun::closeListening(races::EffectCache &effectCache)
{
    for (races::SnapshotId &held : m_held) {
        Snapshot snapshot = effectCache.snapshot(held);
        snapshot.closeListening(self, m_run.listening());
        held = effectCache.number(std::move(snapshot));
    }
}

} // namespace latchkey::programs

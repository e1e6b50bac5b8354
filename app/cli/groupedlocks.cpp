#include "app/cli/groupedlocks.h"

#include "app/cli/listing.h"
#include "app/cli/servervotes.h"

#include <QCoreApplication>
#include <QTimer>

#include <algorithm>

namespace latchkey::cli {

using base::MonotonicTime;
using base::SystemClock;
using detection::KeyExamination;
using voting::LockVotes;
using voting::ServerReply;
using namespace std::chrono_literals;

namespace {

using Vote = LockVotes::Vote;

/// Number of keys that are read again at a time on each server.
constexpr std::size_t keysAtOnce = 64;

/// Returns the findings of all servers, each kind once.
std::vector<findings::Finding> united(const std::vector<const std::vector<findings::Finding> *> &all)
{
    std::vector<findings::Finding> found;
    for (const auto *ofServer : all) {
        for (const findings::Finding &finding : *ofServer) {
            if (std::ranges::find(found, finding.kind, &findings::Finding::kind) == found.end())
                found.push_back(finding);
        }
    }
    return found;
}

} // namespace

void GroupedLocks::add(std::size_t server, std::vector<LsRow> locks)
{
    for (LsRow &row : locks) {
        Lock &lock = m_locks[row.record.key.bytes()];
        lock.resize(m_servers.size());
        Seen &seen = lock[server];
        seen.isKnown = true;
        seen.found.exists = true;
        seen.found.type = row.record.type;
        seen.found.deadline = row.record.deadline;
        seen.found.sample = std::move(row.sample);
        seen.found.recognition = std::move(row.recognition);
        seen.findings = std::move(row.findings);
    }
}

/// Returns whether all servers that can be reached have the key, with one holder.
bool GroupedLocks::isAgreed(const Lock &lock) const
{
    const std::vector<ServerReply> replies = repliesIn(lock);
    const LockVotes votes = voting::votesIn(replies);
    for (std::size_t i = 0; i < m_servers.size(); ++i) {
        if (!m_servers[i].listing->failure() && votes.voteOf(i) != Vote::Holds)
            return false;
    }
    return true;
}

void GroupedLocks::readAgain()
{
    std::vector<Entry *> disputed;
    for (Entry &entry : m_locks) {
        if (!isAgreed(entry.second))
            disputed.push_back(&entry);
    }
    for (std::size_t first = 0; first < disputed.size(); first += keysAtOnce) {
        const std::size_t end = std::min(first + keysAtOnce, disputed.size());
        waitForBudget();
        readTogether({disputed.begin() + static_cast<std::ptrdiff_t>(first),
                      disputed.begin() + static_cast<std::ptrdiff_t>(end)});
    }
}

/// Waits until the limit of each server permits another read.
void GroupedLocks::waitForBudget() const
{
    for (const Server &server : m_servers) {
        while (!server.listing->failure() && !server.listing->canAfford()) {
            QTimer::singleShot(20ms, QCoreApplication::instance(), &Listing::endLoop);
            QCoreApplication::exec();
        }
    }
}

/// Reads these keys on all servers at once. After a timeout, the driver immediately answers further reads of that
/// server with an error.
void GroupedLocks::readTogether(const std::vector<Entry *> &entries)
{
    std::size_t pending = 0;
    for (Entry *entry : entries) {
        for (std::size_t i = 0; i < m_servers.size(); ++i) {
            Seen *seen = &entry->second[i];
            if (m_servers[i].listing->failure())
                continue;
            ++pending;
            m_servers[i].listing->examine(base::Key(entry->first),
                                          [&pending, seen](base::Result<KeyExamination> found) {
                                              *seen = {};
                                              seen->isKnown = found.has_value();
                                              if (found)
                                                  seen->found = std::move(*found);
                                              else
                                                  seen->why = found.error().message();
                                              if (--pending == 0)
                                                  Listing::endLoop();
                                          });
        }
    }
    while (pending > 0)
        QCoreApplication::exec();
    for (Entry *entry : entries) {
        for (std::size_t i = 0; i < m_servers.size(); ++i) {
            if (Seen &seen = entry->second[i]; seen.isKnown && seen.found.recognition.isLock())
                seen.findings = m_servers[i].listing->findingsOf(seen.found);
        }
    }
}

std::vector<ServerReply> GroupedLocks::repliesIn(const Lock &lock) const
{
    std::vector<ServerReply> replies;
    for (std::size_t i = 0; i < m_servers.size(); ++i) {
        const auto &failure = m_servers[i].listing->failure();
        const QString why = lock[i].why.isEmpty() && failure ? failure->message() : lock[i].why;
        replies.push_back({m_servers[i].address, lock[i].isKnown ? &lock[i].found : nullptr, why});
    }
    return replies;
}

QJsonObject GroupedLocks::rowOf(const Entry &entry, const recognition::Dialects &dialects, MonotonicTime now) const
{
    const auto &[key, lock] = entry;
    const std::vector<ServerReply> replies = repliesIn(lock);
    const LockVotes votes = voting::votesIn(replies);
    std::vector<const std::vector<findings::Finding> *> findings;
    const KeyExamination *first = nullptr;
    for (std::size_t i = 0; i < lock.size(); ++i) {
        findings.push_back(&lock[i].findings);
        if (first == nullptr && votes.voteOf(i) == Vote::Holds)
            first = &lock[i].found;
    }
    keys::KeyRecord record {base::Key(key), first->type, keys::KeyState::Live, first->deadline, {}, now};
    const LsRow row {std::move(record), nullptr, first->sample, first->recognition, united(findings), false};
    QJsonObject json = row.toJson(dialects, now);
    const auto end = votes.majorityEnd();
    json[QStringLiteral("pttl_ms")] = end ? QJsonValue(end->pttl(now)) : QJsonValue();
    if (votes.hasMajority() != true) {
        json.remove(QStringLiteral("holder_base64"));
        for (const char *ofHolder : {"holder", "count", "waiters", "fencing"})
            json[QLatin1String(ofHolder)] = QJsonValue::Null;
    }
    json[QStringLiteral("votes")] = countsJson(votes, now);
    json[QStringLiteral("servers")] = serversJson(votes, replies, now);
    return json;
}

std::vector<LsLine> GroupedLocks::lines(const recognition::Dialects &dialects) const
{
    const MonotonicTime now = SystemClock::instance().now();
    std::vector<LsLine> lines;
    for (const Entry &entry : m_locks) {
        const bool exists =
            std::ranges::any_of(entry.second, [](const Seen &seen) { return seen.isKnown && seen.found.exists; });
        if (exists)
            lines.push_back({rowOf(entry, dialects, now), {}});
    }
    return lines;
}

} // namespace latchkey::cli

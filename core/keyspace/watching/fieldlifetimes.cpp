#include "core/keyspace/watching/fieldlifetimes.h"

#include <algorithm>

namespace latchkey::watching {

using base::Deadline;
using base::ErrorKind;
using base::Key;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using exchange::Instant;
using keys::FieldDeadlines;
using resp::Command;
using resp::Reply;
using State = FieldLifetimeSupport::State;

namespace {

/// Approximate maximum memory of the field names read from one hash, in bytes.
constexpr qint64 maxNameBytes = 1024LL * 1024;
/// Number of fields read if the server does not report the memory of the hash.
constexpr int fieldsUnweighed = 100;
/// Maximum number of HSCAN calls per hash, because one may return few fields or none.
constexpr int maxFieldRounds = 4;

/// A hash while it is being asked.
struct Asked
{
    FieldLifetimes result;
    QList<QByteArray> names;
    QByteArray cursor = "0";
    qsizetype limit = 0;
    bool isScanned = false; ///< HSCAN has finished.
    bool isCut = false;     ///< Some of the returned names are not asked.
    bool isOut = false;     ///< No further requests for this hash.

    [[nodiscard]] bool isToBeScanned() const { return !isOut && !isScanned && names.size() < limit; }
};

/// Throws if an answer did not arrive. The cause is a lost connection, possibly due to the request, and not a reply
/// about one hash.
void checkArrived(const Answers &answers)
{
    for (const Answer &answer : answers) {
        if (answer)
            continue;
        const ErrorKind kind = answer.error().kind;
        if (kind == ErrorKind::Local || kind == ErrorKind::Unreachable || kind == ErrorKind::Protocol
            || base::leavesOutcomeUnknown(kind))
            throw base::Failure(answer.error());
    }
}

FieldLifetimeSupport supportFrom(const Answer &probe)
{
    if (probe || probe.error().kind == ErrorKind::WrongType || probe.error().kind == ErrorKind::ClusterRedirect)
        return {State::Supported, {}};
    if (probe.error().kind == ErrorKind::UnknownCommand || probe.error().kind == ErrorKind::OtherServerError)
        return {State::NotSupported, probe.error()};
    if (probe.error().kind != ErrorKind::PermissionDenied)
        throw base::Failure(probe.error()); // The support stays unknown.
    // If the user may not read the key, the error does not name the command.
    const bool isOfTheCommand = probe.error().message().contains(QLatin1String("hpttl"), Qt::CaseInsensitive);
    return isOfTheCommand ? FieldLifetimeSupport {State::Denied, probe.error()}
                          : FieldLifetimeSupport {State::Supported, {}};
}

/// Returns the number of fields with about a page of names, estimated from the memory of the whole hash.
qsizetype fieldsAtOnce(const Answer &memory, qint64 size, int request)
{
    return static_cast<qsizetype>(
        std::min<qint64>(elementsWithin(maxNameBytes, memory, size).value_or(fieldsUnweighed), request));
}

void takeNames(Asked &hash, const Answer &answer)
{
    if (!answer || answer->elements().size() != 2) {
        hash.isOut = true;
        return;
    }
    hash.cursor = answer->elements()[0].bytes();
    hash.isScanned = hash.cursor == "0";
    for (const Reply &element : answer->elements()[1].elements()) {
        const QByteArray name = element.bytes();
        if (name.size() > FieldDeadlines::maxNameLength || hash.names.size() >= hash.limit)
            hash.isCut = true;
        else
            hash.names += name;
    }
}

void takeLifetimes(Asked &hash, const Answer &answer, base::MonotonicTime asked, base::MonotonicTime answered)
{
    if (!answer || answer->elements().size() != static_cast<std::size_t>(hash.names.size())) {
        hash.isOut = true;
        return;
    }
    FieldDeadlines &ends = hash.result.ends;
    std::vector<std::pair<qint64, QByteArray>> ending;
    for (qsizetype i = 0; i < hash.names.size(); ++i) {
        const qint64 left = answer->elements()[static_cast<std::size_t>(i)].toInteger();
        if (left >= -1)
            ++ends.readCount; // Otherwise the field has ended meanwhile.
        if (left >= 0)
            ending.emplace_back(left, hash.names[i]);
    }
    std::ranges::sort(ending); // Sort by name too, to keep the order of fields that end together.
    ends.endingCount = static_cast<qint64>(ending.size());
    const auto deadline = [&](const std::pair<qint64, QByteArray> &field) {
        return Deadline::measured(std::chrono::milliseconds(field.first), asked, answered);
    };
    for (std::size_t i = 0; i < ending.size() && i < static_cast<std::size_t>(FieldDeadlines::maxFields); ++i)
        ends.first.push_back({ending[i].second, deadline(ending[i])});
    if (!ending.empty())
        ends.last = deadline(ending.back());
    ends.isWhole = hash.isScanned && !hash.isCut;
    hash.result.isKnown = true;
    hash.result.asked = asked;
    hash.result.answered = answered;
}

/// Reads the sizes of the hashes.
Exchange<int> weigh(std::vector<Asked> *hashes, FieldRequest request)
{
    Batch sizes;
    for (const Asked &hash : *hashes) {
        const QByteArray &name = hash.result.key.bytes();
        const Command length {QByteArrayLiteral("HLEN"), name};
        const Command memory {QByteArrayLiteral("MEMORY"), QByteArrayLiteral("USAGE"), name};
        sizes.add(length).add(memory);
    }
    const auto sent = static_cast<int>(sizes.requests().size());
    const Answers answers = co_await std::move(sizes);
    checkArrived(answers);
    for (std::size_t i = 0; i < hashes->size(); ++i) {
        Asked &hash = (*hashes)[i];
        const Answer &length = answers[2 * i];
        const bool isHash = length && length->isInteger() && length->toInteger() > 0;
        hash.isOut = !isHash;
        hash.result.ends.size = isHash ? length->toInteger() : 0;
        hash.limit = fieldsAtOnce(answers[2 * i + 1], hash.result.ends.size, request.fields);
    }
    co_return sent;
}

/// Reads the field names, without values.
Exchange<int> scan(std::vector<Asked> *hashes)
{
    int sent = 0;
    for (int round = 0; round < maxFieldRounds; ++round) {
        Batch scans;
        std::vector<Asked *> asked;
        for (Asked &hash : *hashes) {
            if (!hash.isToBeScanned())
                continue;
            const Command command {
                QByteArrayLiteral("HSCAN"), hash.result.key.bytes(),        hash.cursor,
                QByteArrayLiteral("COUNT"), QByteArray::number(hash.limit), QByteArrayLiteral("NOVALUES")};
            scans.add(command);
            asked.push_back(&hash);
        }
        if (asked.empty())
            break;
        sent += static_cast<int>(asked.size());
        const Answers answers = co_await std::move(scans);
        checkArrived(answers);
        for (std::size_t i = 0; i < asked.size(); ++i)
            takeNames(*asked[i], answers[i]);
    }
    co_return sent;
}

Exchange<int> requestLifetimes(std::vector<Asked> *hashes)
{
    Batch questions;
    std::vector<Asked *> asked;
    for (Asked &hash : *hashes) {
        if (hash.isOut || hash.names.isEmpty())
            continue;
        questions.add(resp::hpttl(hash.result.key, hash.names));
        asked.push_back(&hash);
    }
    if (asked.empty())
        co_return 0;
    const Instant before = co_await exchange::now();
    const Answers answers = co_await std::move(questions);
    checkArrived(answers);
    const Instant after = co_await exchange::now();
    for (std::size_t i = 0; i < asked.size(); ++i)
        takeLifetimes(*asked[i], answers[i], before.monotonic, after.monotonic);
    co_return static_cast<int>(asked.size());
}

} // namespace

std::optional<qint64> elementsWithin(qint64 bytes, const Answer &memory, qint64 size)
{
    if (!memory || !memory->isInteger() || size <= 0)
        return std::nullopt;
    const qint64 average = std::max<qint64>(1, memory->toInteger() / size);
    return std::max<qint64>(1, bytes / average);
}

Exchange<FieldLifetimesRead> readFieldLifetimes(std::vector<Key> keys, FieldRequest request,
                                                FieldLifetimeSupport support)
{
    FieldLifetimesRead read;
    read.support = std::move(support);
    if (keys.empty() || read.support.isRefused())
        co_return read;
    if (read.support.state == State::Unknown) {
        const Command probe = resp::hpttl(keys.front(), QList<QByteArray>(1));
        const Answer answer = co_await exchange::tentatively(probe);
        ++read.commands;
        read.support = supportFrom(answer);
        if (read.support.isRefused())
            co_return read;
    }
    std::vector<Asked> hashes(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        hashes[i].result.key = keys[i];
    const int weighing = co_await weigh(&hashes, request);
    const int scanning = co_await scan(&hashes);
    const int asking = co_await requestLifetimes(&hashes);
    read.commands += weighing + scanning + asking;
    for (Asked &hash : hashes)
        read.hashes.push_back(std::move(hash.result));
    co_return read;
}

} // namespace latchkey::watching

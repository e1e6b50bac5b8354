#include "core/inspect/detection/keyexamination.h"

#include "core/keyspace/events/observation.h"
#include "core/keyspace/watching/rawvalues.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::detection {

using base::Deadline;
using base::Key;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using exchange::Instant;
using keys::KeyType;
using recognition::Companion;
using recognition::ReadRequest;
using recognition::Recogniser;
using resp::Command;
using resp::Reply;
using std::chrono::milliseconds;

namespace {

/// Number of bytes and elements that is sufficient to recognise any kind of lock.
constexpr watching::ReadSize readSize {4096, 64};
/// Limit of the rounds, because one answer can lead to another question.
constexpr int maxRounds = 6;

/// The data that was read of one key. The type is Unknown if the key does not exist.
struct ReadKey
{
    KeyType type = KeyType::Unknown;
    Deadline deadline = Deadline::never();
    std::optional<milliseconds> left;
    milliseconds existedFor {}; ///< Minimum age of the key; zero if unknown.
    std::optional<keys::RawValue> value;
};

[[noreturn]] void fail(const base::Error &error)
{
    throw base::Failure(error);
}

const Reply &granted(const Answer &answer)
{
    if (!answer)
        fail(answer.error());
    return *answer;
}

/// Returns the reply. Fails for an unexpected type, because such a reply does not even show that the key is absent.
const Reply &granted(const Answer &answer, Reply::Kind kind)
{
    const Reply &reply = granted(answer);
    if (reply.kind() != kind)
        fail(resp::serverError(reply));
    return reply;
}

/// Returns the value from the replies to valueCommands(). Absent if the key has changed its type.
std::optional<keys::RawValue> readValue(KeyType type, const resp::Replies &replies)
{
    std::optional<keys::RawValue> value = watching::valueFrom(type, replies, readSize);
    if (!value && type != KeyType::Other && keys::keyTypeFrom(replies.front().bytes()) == type)
        fail(resp::serverError(replies.back()));
    return value;
}

Exchange<ReadKey> readKey(Key key, AskIdleTime askIdleTime = AskIdleTime::No)
{
    ReadKey read;
    const Instant before = co_await exchange::now();
    Batch requests;
    requests.add(resp::type(key)).add(resp::pttl(key));
    if (askIdleTime == AskIdleTime::Yes)
        requests.add(resp::idleTime(key));
    const Answers first = co_await std::move(requests);
    const Instant after = co_await exchange::now();
    read.type = keys::keyTypeFrom(granted(first[0], Reply::Kind::Status).bytes());
    const Reply &left = granted(first[1], Reply::Kind::Integer);
    if (read.type == KeyType::Unknown || left.toInteger() < -1) {
        read.type = KeyType::Unknown;
        co_return read;
    }
    if (const auto idle = first.size() > 2 && first[2] ? events::idleTimeFrom(*first[2]) : std::nullopt)
        read.existedFor = idle->existedFor();
    if (left.toInteger() >= 0) {
        read.left = milliseconds(left.toInteger());
        read.deadline = Deadline::measured(*read.left, before.monotonic, after.monotonic);
    }
    Batch reading;
    for (const Command &command : watching::valueCommands(key, read.type, readSize))
        reading.add(command);
    const Answers answers = co_await std::move(reading);
    resp::Replies replies;
    for (const Answer &answer : answers)
        replies.push_back(granted(answer));
    read.value = readValue(read.type, replies);
    co_return read;
}

/// Reads a companion key. Absent if the key is not readable.
Exchange<std::optional<Companion>> readCompanion(Key key)
{
    try {
        const ReadKey read = co_await readKey(key);
        if (read.type == KeyType::Unknown)
            co_return Companion();
        co_return Companion {true, read.value.value_or(keys::RawValue {read.type, 0, {}}), read.left};
    } catch (const base::Failure &failure) {
        if (failure.error().kind != base::ErrorKind::PermissionDenied)
            throw;
    }
    co_return std::nullopt;
}

/// Returns which of these scripts the server has loaded. Absent if the server does not report it.
Exchange<std::optional<QSet<QByteArray>>> knownScripts(QByteArrayList scripts)
{
    Command command {QByteArrayLiteral("SCRIPT"), QByteArrayLiteral("EXISTS")};
    for (const QByteArray &script : scripts)
        command << script;
    const Answers answers = co_await Batch().add(command);
    if (!answers.front())
        co_return std::nullopt;
    const std::vector<Reply> &flags = answers.front()->elements();
    QSet<QByteArray> known;
    for (std::size_t i = 0; i < flags.size() && i < static_cast<std::size_t>(scripts.size()); ++i) {
        if (flags[i].isInteger(1))
            known.insert(scripts[static_cast<qsizetype>(i)]);
    }
    co_return known;
}

Exchange<std::optional<qint64>> subscribersOf(QByteArray channel)
{
    const Command command {QByteArrayLiteral("PUBSUB"), QByteArrayLiteral("NUMSUB"), channel};
    const Answers answers = co_await Batch().add(command);
    if (!answers.front() || answers.front()->elements().size() != 2)
        co_return std::nullopt;
    co_return answers.front()->elements()[1].toInteger();
}

/// Asks one question and stores the answer. Returns false if there is no answer.
Exchange<bool> answer(ReadRequest request, KeyExamination *examination, Recogniser recogniser)
{
    switch (request.kind) {
    case ReadRequest::Kind::Value:
        co_return false; // The value was already read in full.
    case ReadRequest::Kind::Companion: {
        const std::optional<Companion> companion = co_await readCompanion(Key(request.subject));
        if (!companion)
            co_return false;
        examination->sample.companions.insert(request.subject, *companion);
        co_return true;
    }
    case ReadRequest::Kind::Scripts: {
        const std::optional<QSet<QByteArray>> scripts = co_await knownScripts(recogniser.dialects().scripts());
        if (!scripts)
            co_return false;
        examination->serverContext.scripts = *scripts;
        co_return true;
    }
    case ReadRequest::Kind::Subscribers: {
        const std::optional<qint64> subscribers = co_await subscribersOf(request.subject);
        if (!subscribers)
            co_return false;
        examination->serverContext.subscribers.insert(request.subject, *subscribers);
        co_return true;
    }
    }
    Q_UNREACHABLE();
}

} // namespace

Exchange<KeyExamination> examine(Key key, Recogniser recogniser, AskIdleTime askIdleTime,
                                 recognition::ServerContext known)
{
    KeyExamination examination;
    examination.serverContext = std::move(known);
    const ReadKey read = co_await readKey(key, askIdleTime);
    examination.exists = read.type != KeyType::Unknown;
    if (!examination.exists)
        co_return examination;
    const Instant instant = co_await exchange::now();
    examination.type = read.type;
    examination.deadline = read.deadline;
    examination.sample.key = key.bytes();
    examination.sample.type = read.type;
    examination.sample.value = read.value;
    examination.sample.isExpiryKnown = true;
    examination.sample.left = read.left;
    examination.sample.existedFor = read.existedFor;
    examination.sample.now = instant.wall;

    examination.recognition = recogniser.recognise(examination.sample, examination.serverContext);
    co_return co_await examineFurther(std::move(examination), std::move(recogniser));
}

Exchange<KeyExamination> examineFurther(KeyExamination examination, Recogniser recogniser)
{
    for (int round = 0; round < maxRounds; ++round) {
        bool hasLearned = false;
        for (const ReadRequest &request : examination.recognition.requests) {
            if (std::ranges::find(examination.refused, request) != examination.refused.end())
                continue;
            const bool isAnswered = co_await answer(request, &examination, recogniser);
            if (!isAnswered)
                examination.refused.push_back(request);
            hasLearned = hasLearned || isAnswered;
        }
        if (!hasLearned)
            break;
        examination.recognition = recogniser.recognise(examination.sample, examination.serverContext);
    }
    co_return examination;
}

} // namespace latchkey::detection

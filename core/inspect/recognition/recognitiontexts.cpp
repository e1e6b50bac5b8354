#include "core/inspect/recognition/recognitiontexts.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/base/timetext.h"

#include <QLocale>

#include <algorithm>
#include <array>

namespace latchkey::recognition {

using base::printable;

namespace {

constexpr qsizetype maxTextLength = 100;

QString text(const QByteArray &bytes)
{
    return printable(bytes, maxTextLength);
}

QString time(base::WallTime time)
{
    return QLocale().toString(base::localTime(time), QLocale::ShortFormat);
}

QString card(const QByteArray &mac)
{
    return QString::fromLatin1(mac.toHex(':'));
}

} // namespace

QString RecognitionTexts::evidence(const Evidence &evidence, const QString &title)
{
    switch (evidence.kind) {
    case Evidence::Kind::Name:
        return tr("the key has the naming pattern of %1").arg(title);
    case Evidence::Kind::LockWord:
        return tr("the key has a word for a lock in it: \"%1\"").arg(text(evidence.text));
    case Evidence::Kind::Value:
        return tr("the value is %1").arg(shape(evidence.text));
    case Evidence::Kind::OwnValue:
        return tr("the value has the format of %1").arg(title);
    case Evidence::Kind::Wrapped:
        return tr("the value is serialised by %1").arg(text(evidence.text));
    case Evidence::Kind::Fresh:
        return tr("its token was made %1 ago").arg(base::displayDuration(evidence.time));
    case Evidence::Kind::Companion:
        return tr("the key \"%1\" exists too").arg(text(evidence.text));
    case Evidence::Kind::NoCompanion:
        return tr("there is no key \"%1\"").arg(text(evidence.text));
    case Evidence::Kind::Script:
        return tr("the server knows a script of %1 (%2), so it has been used there")
            .arg(title, text(evidence.text.left(8)));
    case Evidence::Kind::Subscribers:
        return tr("connections that listen to \"%1\": %2").arg(text(evidence.text), QString::number(evidence.number));
    case Evidence::Kind::Renewal:
        return tr("its lease of %1 is renewed; seen so far: %2")
            .arg(base::displayDuration(evidence.time))
            .arg(evidence.number);
    case Evidence::Kind::SameValue:
        return tr("other keys with the same value: %1").arg(evidence.number);
    case Evidence::Kind::Released:
        return tr("other tokens that were deleted before their expiry, as by a release: %1").arg(evidence.number);
    case Evidence::Kind::Expiry:
        return tr("its lease is at most %1").arg(base::displayDuration(evidence.time));
    }
    Q_UNREACHABLE();
}

QString RecognitionTexts::shape(const QByteArray &id)
{
    const std::array<std::pair<const char *, QString>, 50> words {{
        {"uuid1-hex", tr("a UUID of version 1 without dashes, which has a time and a machine in it")},
        {"uuid1", tr("a UUID of version 1, which has a time and a machine in it")},
        {"uuid1-base64", tr("a UUID of version 1 in base64, which has a time and a machine in it")},
        {"uuid4", tr("a random UUID")},
        {"uuid", tr("a UUID")},
        {"hex-32", tr("32 hexadecimal digits")},
        {"hex-64", tr("64 hexadecimal digits")},
        {"base64-16", tr("16 bytes in base64")},
        {"base64-18", tr("18 bytes in base64")},
        {"base64url-16", tr("16 bytes in base64 for URLs, and what may follow them")},
        {"alnum-16", tr("16 letters and digits")},
        {"letters-16", tr("16 letters")},
        {"alnum-20", tr("20 letters and digits")},
        {"alnum-22", tr("22 letters and digits")},
        {"raw-16", tr("16 bytes that are no text")},
        {"raw-20", tr("20 bytes that are no text")},
        {"raw-32", tr("32 bytes that are no text")},
        {"uniqid", tr("a time as PHP's uniqid() writes it")},
        {"token", tr("a token that looks random")},
        {"text", tr("a short text")},
        {"any", tr("a value chosen by the caller")},
        {"constant", tr("a constant that every holder writes")},
        {"empty", tr("empty, without a holder")},
        {"unix-seconds", tr("a Unix time")},
        {"unix-ms", tr("a Unix time in milliseconds")},
        {"unix-float", tr("a Unix time with a fraction")},
        {"free-permits", tr("a number: available permits")},
        {"countdown", tr("a number: remaining count")},
        {"taken-permits", tr("a number: permits in use")},
        {"suo", tr("an array of times and tokens in MessagePack")},
        {"owner", tr("the name of a machine with a process on it")},
        {"owner-name", tr("a short name")},
        {"owner-json", tr("a JSON object that names an owner")},
        {"owner-fields", tr("a hash that names an owner")},
        {"medallion", tr("a machine's name, a process's number and a random number")},
        {"medallion-readers", tr("a set of machines' names with processes' and random numbers")},
        {"medallion-permits", tr("a sorted set of machines' names with processes' and random numbers")},
        {"bullmq-token", tr("a worker's UUID and a number")},
        {"sidekiq-process", tr("a hash that tells of a running process")},
        {"redisson-hold", tr("a hash with the UUID of a JVM and a thread's number, and how often it is inside")},
        {"redisson-read-write", tr("a hash with a mode, and the readers or the writer")},
        {"redisson-multi", tr("a hash of holders with their ends and counts")},
        {"redisson-json", tr("the UUID of a JVM and a thread's number in JSON, and how often it is inside")},
        {"redisson-permits", tr("a sorted set of permits of 16 bytes with their ends")},
        {"elements", tr("a list of active jobs")},
        {"timed-members", tr("a sorted set with current times as scores")},
        {"timed-fields", tr("a hash with times as values")},
        {"symfony-members", tr("a sorted set of holders, 32 bytes in base64 each, with their ends")},
        {"sidekiq-locked", tr("a hash of jobs with the times at which they got it")},
        {"sidekiq-locked-9", tr("a hash of jobs")},
    }};
    const auto found = std::ranges::find_if(words, [&](const auto &word) { return id == word.first; });
    return found == words.end() ? text(id) : found->second;
}

QString RecognitionTexts::family(Family family)
{
    switch (family) {
    case Family::Lock:
        return tr("lock");
    case Family::ReadWriteLock:
        return tr("read-write lock");
    case Family::Semaphore:
        return tr("semaphore");
    case Family::Latch:
        return tr("latch");
    case Family::Job:
        return tr("job at work");
    case Family::Leader:
        return tr("leader");
    case Family::Uniqueness:
        return tr("unique job");
    case Family::Limiter:
        return tr("limiter");
    case Family::Presence:
        return tr("heartbeat");
    }
    Q_UNREACHABLE();
}

QString RecognitionTexts::confidence(Confidence confidence)
{
    switch (confidence) {
    case Confidence::Low:
        return tr("possible");
    case Confidence::Medium:
        return tr("probable");
    case Confidence::High:
        return tr("very probable");
    case Confidence::Certain:
        return tr("certain");
    }
    Q_UNREACHABLE();
}

QString RecognitionTexts::holder(const Holder &holder)
{
    const QString host = text(holder.host);
    if (!host.isEmpty() && holder.pid)
        return tr("process %1 on %2").arg(*holder.pid).arg(host);
    if (!host.isEmpty())
        return holder.client.isEmpty() ? host : tr("%1 on %2").arg(text(holder.client), host);
    if (!holder.client.isEmpty() && !holder.thread.isEmpty())
        return tr("thread %1 of %2").arg(text(holder.thread), text(holder.client));
    return text(holder.bytes);
}

QStringList RecognitionTexts::parts(const Holder &holder)
{
    QStringList parts;
    const auto add = [&](bool isKnown, const QString &part) {
        if (isKnown)
            parts += part;
    };
    add(!holder.host.isEmpty(), tr("machine: %1").arg(text(holder.host)));
    add(holder.pid.has_value(), tr("process: %1").arg(holder.pid.value_or(0)));
    add(!holder.client.isEmpty(), tr("client: %1").arg(text(holder.client)));
    add(!holder.thread.isEmpty(), tr("thread: %1").arg(text(holder.thread)));
    add(!holder.mac.isEmpty(), tr("network card: %1").arg(card(holder.mac)));
    add(holder.count != 1, tr("holds: %1").arg(holder.count));
    add(holder.access == Holder::Access::Read, tr("reads"));
    add(holder.access == Holder::Access::Write, tr("writes"));
    add(holder.since.has_value(), tr("since: %1").arg(time(holder.since.value_or(base::WallTime()))));
    add(holder.until.has_value(), tr("until: %1").arg(time(holder.until.value_or(base::WallTime()))));
    return parts;
}

} // namespace latchkey::recognition

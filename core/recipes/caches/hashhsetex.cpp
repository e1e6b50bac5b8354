#include "core/recipes/caches/hashhsetex.h"

#include "core/recipes/caches/hashlua.h"

namespace latchkey::caches {

using base::ErrorKind;
using base::Failure;
using exchange::Answer;
using exchange::Exchange;
using exchange::tentatively;
using resp::hgetall;
using resp::Reply;

namespace {

/// Returns whether the server refused the command. Nothing has changed then, and the script may still be permitted.
bool isRefused(ErrorKind kind)
{
    return kind == ErrorKind::UnknownCommand || kind == ErrorKind::PermissionDenied;
}

} // namespace

Recipe HashHsetexCache::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("hash-hsetex");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Hash fields with a lifetime each, by HSETEX"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP(
        "core", "One command of newer servers (Redis 8.0, Valkey 9.0) writes fields that each have the "
                "lifetime, and leaves the rest of the hash as it is; elsewhere it is hash-lua."));
    entry.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::ForeignKeySafe, Promise::NoTornRead};
    entry.holdsFields = true;
    entry.setsFieldLifetimes = true;
    entry.commands = QStringLiteral("HSETEX HGETALL PTTL HPTTL").split(u' ');
    entry.make = [](const CacheOptions &options) -> std::unique_ptr<Cache> {
        return std::make_unique<HashHsetexCache>(options.key, *options.lifetime);
    };
    return entry;
}

HashHsetexCache::HashHsetexCache(base::Key key, base::Lease lifetime)
    : m_key(std::move(key))
    , m_lifetime(lifetime)
{}

Exchange<WriteOutcome> HashHsetexCache::write(Content content) &
{
    if (fieldsIn(content).empty())
        co_return WriteOutcome::Nothing;
    resp::Command command = resp::hsetex(m_key, m_lifetime, static_cast<qint64>(content.fields().size()));
    for (const QByteArray &word : wordsOf(content.fields()))
        command << word;
    const Answer written = co_await tentatively(std::move(command));
    if (written)
        co_return WriteOutcome::Written;
    if (!isRefused(written.error().kind))
        throw Failure(written.error());
    (void)co_await hashWithLifetime(m_key, m_lifetime, content.fields());
    co_return WriteOutcome::Written;
}

Exchange<Found> HashHsetexCache::read() &
{
    const Reply reply = co_await hgetall(m_key);
    co_return foundFields(reply);
}

} // namespace latchkey::caches

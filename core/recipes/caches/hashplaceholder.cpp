#include "core/recipes/caches/hashplaceholder.h"

#include <algorithm>

namespace latchkey::caches {

using base::Error;
using base::ErrorKind;
using base::Failure;
using exchange::Answer;
using exchange::Exchange;
using exchange::tentatively;
using resp::Command;
using resp::expire;
using resp::hdel;
using resp::hgetall;
using resp::hset;
using resp::Reply;

namespace {

bool isPlaceholder(const Field &field)
{
    const QByteArray &placeholder = HashPlaceholderCache::placeholder();
    return field.name == placeholder || field.value == placeholder;
}

void refusePlaceholderIn(const Fields &fields)
{
    if (std::ranges::any_of(fields, isPlaceholder))
        throw Failure(
            Error {ErrorKind::Usage,
                   base::Text(QT_TRANSLATE_NOOP(
                                  "core", "\"%1\" is the recipe's placeholder, and can be neither field nor value"),
                              QString::fromLatin1(HashPlaceholderCache::placeholder()))});
}

} // namespace

const QByteArray &HashPlaceholderCache::placeholder()
{
    static const QByteArray word = QByteArrayLiteral("latchkey:placeholder");
    return word;
}

Recipe HashPlaceholderCache::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("hash-placeholder");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Hash with a placeholder first"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP(
        "core", "A placeholder gets the lifetime and the data follows, so that dying half way leaves no data."));
    entry.flaw = base::Text(
        QT_TRANSLATE_NOOP("core", "Where the key expires between the steps, or a reader removes the placeholder there, "
                                  "writing the data makes it anew, without a lifetime."));
    entry.promises = {Promise::ForeignKeySafe, Promise::NoTornRead};
    entry.holdsFields = true;
    entry.needsWholeSeconds = true;
    entry.commands = QStringLiteral("HSET EXPIRE HDEL HGETALL PTTL").split(u' ');
    entry.make = [](const CacheOptions &options) -> std::unique_ptr<Cache> {
        return std::make_unique<HashPlaceholderCache>(options.key, *options.lifetime);
    };
    entry.isData = [](const QList<QByteArray> &fields) {
        return std::ranges::any_of(fields, [](const QByteArray &field) { return field != placeholder(); });
    };
    return entry;
}

HashPlaceholderCache::HashPlaceholderCache(base::Key key, base::Lease lifetime)
    : m_key(std::move(key))
    , m_lifetime(lifetime)
{}

Exchange<WriteOutcome> HashPlaceholderCache::write(Content content) &
{
    if (fieldsIn(content).empty())
        co_return WriteOutcome::Nothing;
    refusePlaceholderIn(content.fields());

    bool isFilled = false;
    std::optional<Error> error;
    try {
        isFilled = co_await fill(content.fields());
    } catch (const Failure &failure) {
        error = failure.error();
    }
    Command tidy = hdel(m_key) << placeholder();
    const Answer tidied = co_await tentatively(std::move(tidy));
    if (error)
        throw Failure(*error);
    if (!tidied)
        throw Failure(
            tidied.error().during(base::Text(QT_TRANSLATE_NOOP("core", "the placeholder may have been left behind"))));
    co_return isFilled ? WriteOutcome::Written : WriteOutcome::Gone;
}

Exchange<bool> HashPlaceholderCache::fill(Fields fields) &
{
    Command place = hset(m_key) << placeholder() << placeholder();
    (void)co_await std::move(place);
    // A client that dies here leaves a key without a TTL, but also without data.
    const Reply expired = co_await expire(m_key, m_lifetime);
    if (!expired.isInteger(1))
        co_return false;
    // If the key has expired meanwhile, this recreates it: data without a TTL.
    (void)co_await hsetOf(m_key, fields);
    co_return true;
}

Exchange<Found> HashPlaceholderCache::read() &
{
    const Reply reply = co_await hgetall(m_key);
    Found found = foundFields(reply);
    if (!found.isHit())
        co_return found;

    Fields data;
    Command tidy = hdel(m_key);
    bool hasLeftover = false;
    for (const Field &field : found.content->fields()) {
        if (isPlaceholder(field)) {
            tidy << field.name;
            hasLeftover = true;
        } else {
            data.push_back(field);
        }
    }
    if (hasLeftover) {
        (void)co_await std::move(tidy);
    }
    if (data.empty())
        co_return Found::miss();
    found.content = Content::ofFields(std::move(data));
    co_return found;
}

} // namespace latchkey::caches

#include "core/explore/races/subject.h"

#include "core/explore/races/cacherun.h"
#include "core/explore/races/lockrun.h"

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Lease;
using base::Result;
using namespace std::chrono_literals;

namespace {

const base::Key &exploredKey()
{
    static const base::Key key("k");
    return key;
}

Result<void> checkClients(int clients)
{
    if (clients < 1 || clients >= maxClients)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 clients cannot be explored; choose 1 to %2"),
                       clients, maxClients - 1);
    return {};
}

/// Returns the content that a client writes: every client writes all fields, with its own values.
caches::Content contentOf(ClientIndex client, bool hasFields)
{
    const QByteArray name = clientName(client).toLatin1();
    if (!hasFields)
        return caches::Content::ofValue("value-of-" + name);
    return caches::Content::ofFields({{"one", "one-of-" + name}, {"two", "two-of-" + name}});
}

} // namespace

Lease Subject::leaseOf(ClientIndex client)
{
    return Lease::of(10h * (client + 1) + 7min * client).value();
}

Lease Subject::extensionOf(ClientIndex client)
{
    return Lease::of(leaseOf(client).duration() + 5h).value();
}

Result<Subject> subjectFor(const locks::Recipe &recipe, int clients, locks::CompareForm form)
{
    if (const auto checked = checkClients(clients); !checked)
        return failure(checked.error());
    Subject subject;
    subject.recipe = recipe.id;
    subject.clients = clients;
    subject.key = exploredKey();
    const int servers = recipe.hasManyServers ? 3 : 1;
    subject.servers = servers;
    subject.areServersSymmetric = recipe.hasManyServers;
    subject.keepsDeadlineInValue = recipe.value == locks::LockValue::Deadline;
    subject.claims = recipe.promiseIds();
    for (const Rule *rule : lockRules())
        subject.promises += rule->promise();
    subject.client = [&recipe, servers, form](ClientIndex client, const Faults &faults) -> RunFactory {
        LockRun::OptionalOperations optionalOperations;
        if (faults.extendsInside && recipe.canExtend)
            optionalOperations.extension = Subject::extensionOf(client);
        optionalOperations.writes = faults.writesInside;
        return [&recipe, servers, form, client, optionalOperations] {
            locks::LockOptions options;
            options.key = exploredKey();
            options.servers = servers;
            options.form = form;
            if (recipe.hasLease)
                options.lease = Subject::leaseOf(client);
            return std::make_unique<LockRun>(locks::makeLock(recipe, options).value(), optionalOperations);
        };
    };
    return subject;
}

Result<Subject> subjectFor(const caches::Recipe &recipe, int clients)
{
    if (const auto checked = checkClients(clients); !checked)
        return failure(checked.error());
    Subject subject;
    subject.recipe = recipe.id;
    subject.clients = clients;
    subject.key = exploredKey();
    if (recipe.isGuarded)
        subject.guard = caches::GuardedCache::guardKey(subject.key);
    subject.claims = recipe.promiseIds();
    for (const Rule *rule : cacheRules()) {
        const bool isAboutGuards = rule->promise() == catalogue::promiseId(catalogue::Promise::OneRecompute);
        if (!isAboutGuards || recipe.isGuarded)
            subject.promises += rule->promise();
    }
    subject.content = [&recipe](ClientIndex client) { return contentOf(client, recipe.holdsFields); };
    if (recipe.isData != nullptr)
        subject.mustExpire = [&recipe](const SnapshotKey &key) {
            return key.type != "hash" || recipe.isData(key.text.split('\n'));
        };
    subject.client = [&recipe, clients](ClientIndex client, const Faults &faults) -> RunFactory {
        caches::CacheOptions options;
        options.key = exploredKey();
        options.lifetime = Subject::leaseOf(client);
        if (recipe.isGuarded) {
            caches::GuardOptions guard;
            guard.lease = Subject::extensionOf(client);
            // Enough for one pause. A second pause would have the same effect as another client's first pause.
            guard.wait = 10ms;
            options.guard = guard;
        }
        // If misses are counted, every client looks up. Otherwise there are two writers for each reader.
        const bool reads = client % 3 == 1 && !faults.guardStays;
        const caches::Content content = contentOf(client, recipe.holdsFields);
        std::vector<caches::Content> whole;
        whole.reserve(static_cast<std::size_t>(clients));
        for (ClientIndex writer = 0; writer < clients; ++writer)
            whole.push_back(contentOf(writer, recipe.holdsFields));
        return [&recipe, options, content, reads, whole]() -> AnyRun {
            if (recipe.isGuarded && !reads)
                return std::make_unique<GuardedCacheRun>(caches::makeGuarded(options).value(), content);
            auto cache = caches::makeCache(recipe, options).value();
            if (reads)
                return std::make_unique<ReaderRun>(std::move(cache), whole);
            return std::make_unique<WriterRun>(std::move(cache), content);
        };
    };
    return subject;
}

Result<Subject> subjectFor(const QString &recipe, int clients, locks::CompareForm form)
{
    const auto known = caches::findInAll(recipe);
    if (!known)
        return failure(known.error());
    if (const auto lock = locks::findRecipe(recipe); lock && ((*lock)->hasForms || form == locks::CompareForm::Script))
        return subjectFor(**lock, clients, form);
    if ((*known)->isLock || form != locks::CompareForm::Script)
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "the recipe %1 does not compare a token in one step: it has one form"),
                       recipe);
    return subjectFor(**caches::findRecipe(recipe), clients);
}

Result<std::vector<Subject>> subjectsFor(const QString &recipe, locks::CompareForm form)
{
    std::vector<Subject> subjects;
    for (int clients = 2; clients < maxClients; ++clients) {
        auto subject = subjectFor(recipe, clients, form);
        if (!subject)
            return failure(std::move(subject.error()));
        subjects.push_back(std::move(*subject));
    }
    return subjects;
}

} // namespace latchkey::races

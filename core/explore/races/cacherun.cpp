#include "core/explore/races/cacherun.h"

#include <algorithm>

namespace latchkey::races {

using base::Text;
using caches::LookupOutcome;
using caches::StoreOutcome;
using exchange::Stepper;

WriterRun::WriterRun(std::unique_ptr<caches::Cache> cache, const caches::Content &content)
    : m_cache(std::move(cache))
    , m_writing(m_cache->write(content))
{}

ClientStatus WriterRun::clientStatus() const
{
    ClientStatus status;
    status.stage = m_writing.isFinished() ? Stage::Finished : Stage::Writing;
    return status;
}

ReaderRun::ReaderRun(std::unique_ptr<caches::Cache> cache, std::vector<caches::Content> whole)
    : m_cache(std::move(cache))
    , m_whole(std::move(whole))
    , m_reading(m_cache->read())
{
    m_clientStatus.stage = Stage::Reading;
}

void ReaderRun::grant(exchange::Grant grant)
{
    m_reading.grant(std::move(grant));
    if (!m_reading.isFinished())
        return;
    m_clientStatus.stage = Stage::Finished;
    const auto found = m_reading.takeResult();
    if (!found) {
        m_clientStatus.outcome = found.error().text;
        return;
    }
    m_clientStatus.outcome =
        found->isHit() ? Text(QT_TRANSLATE_NOOP("core", "hit")) : Text(QT_TRANSLATE_NOOP("core", "miss"));
    if (!found->isHit())
        return;
    // A server returns the fields of a hash in no defined order.
    const auto sorted = [](const caches::Content &content) {
        caches::Fields fields = content.hasFields() ? content.fields() : caches::Fields {{"", content.value()}};
        std::ranges::sort(fields, [](const caches::Field &a, const caches::Field &b) { return a.name < b.name; });
        return fields;
    };
    m_clientStatus.sawTornFields = std::ranges::none_of(
        m_whole, [&](const caches::Content &content) { return sorted(content) == sorted(*found->content); });
}

GuardedCacheRun::GuardedCacheRun(std::unique_ptr<caches::GuardedCache> cache, caches::Content content)
    : m_cache(std::move(cache))
    , m_content(std::move(content))
    , m_lookingUp(std::make_unique<Stepper<caches::Lookup>>(m_cache->lookup()))
{
    m_clientStatus.stage = Stage::Reading;
    settle();
}

std::vector<Branch> GuardedCacheRun::branches() const
{
    if (m_clientStatus.stage != Stage::Recomputing)
        return {};
    return {Branch::Store};
}

void GuardedCacheRun::take(Branch)
{
    m_clientStatus.stage = Stage::Writing;
    m_storing = std::make_unique<Stepper<StoreOutcome>>(m_cache->store(m_content, m_guard));
    settle();
}

const exchange::Step &GuardedCacheRun::step() const
{
    static const exchange::Step none;
    if (m_lookingUp)
        return m_lookingUp->step();
    return m_storing ? m_storing->step() : none;
}

void GuardedCacheRun::grant(exchange::Grant grant)
{
    if (m_lookingUp)
        m_lookingUp->grant(std::move(grant));
    else
        m_storing->grant(std::move(grant));
    settle();
}

void GuardedCacheRun::settle()
{
    if (m_lookingUp && m_lookingUp->isFinished()) {
        const auto lookup = std::exchange(m_lookingUp, nullptr)->takeResult();
        m_clientStatus.stage = Stage::Finished;
        if (!lookup) {
            m_clientStatus.outcome = lookup.error().text;
        } else if (lookup->outcome == LookupOutcome::MustRecompute) {
            m_guard = lookup->guard;
            m_clientStatus.stage = Stage::Recomputing;
            m_clientStatus.mustRecompute = true;
            m_clientStatus.outcome = Text(QT_TRANSLATE_NOOP("core", "must recompute"));
        } else {
            m_clientStatus.outcome = lookup->outcome == LookupOutcome::GaveUp
                                       ? Text(QT_TRANSLATE_NOOP("core", "gave up waiting"))
                                       : Text(QT_TRANSLATE_NOOP("core", "hit"));
        }
    }
    if (m_storing && m_storing->isFinished()) {
        const auto stored = std::exchange(m_storing, nullptr)->takeResult();
        m_clientStatus.stage = Stage::Finished;
        m_clientStatus.outcome = !stored ? stored.error().text
                               : *stored == StoreOutcome::Stored
                                   ? Text(QT_TRANSLATE_NOOP("core", "stored"))
                                   : Text(QT_TRANSLATE_NOOP("core", "the guard was lost"));
    }
}

} // namespace latchkey::races

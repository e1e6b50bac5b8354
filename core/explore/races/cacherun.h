#pragma once

#include "core/explore/races/run.h"
#include "core/recipes/caches/guarded.h"
#include "core/redis/exchange/stepper.h"

namespace latchkey::races {

/// A client that writes a cache once.
class WriterRun final : public RecipeRun
{
public:
    WriterRun(std::unique_ptr<caches::Cache> cache, const caches::Content &content);

    [[nodiscard]] ClientStatus clientStatus() const override;
    [[nodiscard]] const exchange::Step &step() const override { return m_writing.step(); }
    void grant(exchange::Grant grant) override { m_writing.grant(std::move(grant)); }

private:
    const std::unique_ptr<caches::Cache> m_cache; // Outlives the stepper below.
    exchange::Stepper<caches::WriteOutcome> m_writing;
};

/// A client that reads a cache once and checks whether one single write produced the content it found.
class ReaderRun final : public RecipeRun
{
public:
    /// `whole`: all contents that any client writes.
    ReaderRun(std::unique_ptr<caches::Cache> cache, std::vector<caches::Content> whole);

    [[nodiscard]] ClientStatus clientStatus() const override { return m_clientStatus; }
    [[nodiscard]] const exchange::Step &step() const override { return m_reading.step(); }
    void grant(exchange::Grant grant) override;

private:
    const std::unique_ptr<caches::Cache> m_cache; // Outlives the stepper below.
    const std::vector<caches::Content> m_whole;
    exchange::Stepper<caches::Found> m_reading;
    ClientStatus m_clientStatus;
};

/// A client that looks up a guarded value. If the lookup requests it, the client recomputes and stores the value.
class GuardedCacheRun final : public RecipeRun
{
public:
    GuardedCacheRun(std::unique_ptr<caches::GuardedCache> cache, caches::Content content);

    [[nodiscard]] ClientStatus clientStatus() const override { return m_clientStatus; }
    [[nodiscard]] std::vector<Branch> branches() const override;
    void take(Branch branch) override;
    [[nodiscard]] const exchange::Step &step() const override;
    void grant(exchange::Grant grant) override;

private:
    void settle();

    const std::unique_ptr<caches::GuardedCache> m_cache; // Outlives the steppers below.
    const caches::Content m_content;
    std::unique_ptr<exchange::Stepper<caches::Lookup>> m_lookingUp;
    std::unique_ptr<exchange::Stepper<caches::StoreOutcome>> m_storing;
    std::optional<base::OwnerToken> m_guard;
    ClientStatus m_clientStatus;
};

} // namespace latchkey::races

#pragma once

#include "core/programs/behaviour.h"
#include "core/races/subject.h"

namespace latchkey::programs {

/// A program as the race finder explores it: what makes its clients different from those of a recipe.
class ExploredProgram final : public races::Foreign
{
public:
    explicit ExploredProgram(Program program);

    [[nodiscard]] races::FaultLimits limits() const override { return program().limits; }
    [[nodiscard]] std::span<const races::Rule *const> rules() const override;
    [[nodiscard]] base::Result<void> prepare(races::Testbed &testbed) override;
    [[nodiscard]] bool applies(const QString &promise) const override;
    [[nodiscard]] std::optional<base::Error> trouble() const override { return m_behaviour->trouble(); }
    [[nodiscard]] bool wasCut() const override { return m_behaviour->wasCut(); }
    [[nodiscard]] qint64 starts() const override { return m_behaviour->starts(); }
    [[nodiscard]] races::Touch touch(const resp::Commands &commands, const resp::Reply &reply,
                                     const races::Snapshot &before, const races::Snapshot &after) const override;
    [[nodiscard]] bool isBookkeeping(const QByteArray &key) const override;
    [[nodiscard]] base::Result<void> rehearse(races::Transitions &transitions,
                                              const races::Schedule &schedule) override;

    [[nodiscard]] races::RunFactory client(races::ClientIndex client) const;
    [[nodiscard]] const Program &program() const { return m_behaviour->program(); }

private:
    const std::shared_ptr<Behaviour> m_behaviour;
    bool m_usesResource = false; ///< A client by itself has read it or written to it.
};

/// The program with so many clients, 1 to mostClients - 1.
[[nodiscard]] races::Subject subjectFor(const Program &program, int clients);

} // namespace latchkey::programs

#pragma once

#include "core/stage/toldstory.h"
#include "core/stories/jsonplace.h"

namespace latchkey::stage {

/// What a step of a file may refer to, and what it means where it says nothing.
struct StepContext
{
    QStringList clients;
    int servers = 1;
    base::Key key;
    QString recipe;
    std::optional<caches::GuardPolicy> policy;
    QString alternative;      ///< The one that is read.
    QStringList alternatives; ///< All of them.
};

// What is not as it should be is thrown as base::Failure, by place; see JsonPlace.

[[nodiscard]] ToldStep stepFrom(const stories::JsonPlace &place, const StepContext &context);
[[nodiscard]] std::vector<Expectation> expectationsFrom(const stories::JsonPlace &place, const StepContext &context);

/// Whether what has this `in` is part of the alternative that is read; it is where it has none.
[[nodiscard]] bool isIn(const stories::JsonPlace &place, const StepContext &context);
/// Absent where it is not there.
[[nodiscard]] std::optional<caches::GuardPolicy> policyFrom(const stories::JsonPlace &place);
/// The name of one of the clients.
[[nodiscard]] QString clientFrom(const stories::JsonPlace &place, const StepContext &context);
/// 0 where it is not there.
[[nodiscard]] int serverFrom(const stories::JsonPlace &place, const StepContext &context);
/// `{"name": "value", …}`
[[nodiscard]] std::map<QByteArray, QByteArray> fieldsFrom(const stories::JsonPlace &place);

} // namespace latchkey::stage

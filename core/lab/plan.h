#pragma once

#include "core/caches/catalogue.h"

#include <QJsonObject>

namespace latchkey::lab {

/// What a run of the lab is to do: which ways of writing, how many keys, how long they live, and where the writer is
/// killed. A value, which goes to the writer's process as JSON.
///
/// Keys are numbered through all recipes. Everything about a key follows from its number, so that the process which
/// writes and the one which measures agree without a word.
struct Plan
{
    static constexpr int mostKeys = 1'000'000;

    QStringList recipes; ///< Ids of caches::recipes().
    int keysOfEach = 1000;
    std::chrono::milliseconds shortest = std::chrono::seconds(2);
    std::chrono::milliseconds longest = std::chrono::seconds(5); ///< Lifetimes are spread evenly between the two.
    /// After so many commands of a write its writer is killed; a pipeline is sent in one go, and counts as one.
    /// Absent: it is not.
    std::optional<int> crashAfter;
    int crashedPercent = 50; ///< So many of the writes stand there when it is killed, the others have ended.
    QByteArray prefix;       ///< Of all keys; what is below it is the lab's, and is removed at the end.

    /// Error (Usage): a recipe that does not exist, or is there twice, no keys or too many, a lifetime that is none.
    [[nodiscard]] base::Result<void> check() const;

    [[nodiscard]] int keyCount() const { return keysOfEach * static_cast<int>(recipes.size()); }
    [[nodiscard]] const caches::Recipe &recipeOf(int key) const;
    [[nodiscard]] base::Key keyOf(int key) const;
    /// One of the fields, where the recipe writes a hash.
    [[nodiscard]] static QByteArray field() { return QByteArrayLiteral("name"); }
    /// The number of the key; absent: it is none of ours.
    [[nodiscard]] std::optional<int> numberOf(QByteArrayView key) const;
    /// In whole seconds where the recipe takes only those.
    [[nodiscard]] base::Lease lifetimeOf(int key) const;
    [[nodiscard]] bool isCrashed(int key) const;
    /// A read removes what is over, and so hides when the server would have done so: half of the keys, in pairs so
    /// that it is no matter of who was killed, are read when they are due, and the others are left to the server.
    [[nodiscard]] static bool isRead(int key) { return key / 2 % 2 == 1; }

    /// A prefix that nobody else has.
    [[nodiscard]] static QByteArray freshPrefix();

    friend bool operator==(const Plan &, const Plan &) = default;
};

[[nodiscard]] QJsonObject toJson(const Plan &plan);
/// Error (Usage): it is none, or check() says why.
[[nodiscard]] base::Result<Plan> planFromJson(const QJsonObject &object);

} // namespace latchkey::lab

#pragma once

#include "core/recipes/caches/catalogue.h"

#include <QJsonObject>

namespace latchkey::lab {

/// The plan of a lab run: the recipes, the number of keys, their lifetimes, and the point at which the writer is
/// killed. A value, which is sent to the writer's process as JSON.
///
/// Keys are numbered across all recipes. All properties of a key follow from its number, so the writing and the
/// measuring process agree without communication.
struct Plan
{
    static constexpr int maxKeys = 1'000'000;

    QStringList recipes; ///< Ids of caches::recipes().
    int keysOfEach = 1000;
    std::chrono::milliseconds shortest = std::chrono::seconds(2);
    std::chrono::milliseconds longest = std::chrono::seconds(5); ///< Lifetimes are spread evenly up to it.
    /// Number of commands of a write after which its writer is killed. A pipeline is sent at once and counts as one
    /// command. Absent: the writer is not killed.
    std::optional<int> crashAfter;
    int crashedPercent = 50; ///< Percentage of writes that are paused at the kill; the others have ended.
    QByteArray prefix;       ///< Prefix of all keys. All keys with this prefix are removed at the end.

    /// Checks the plan. Error (Usage): unknown or repeated recipe, no keys or too many, invalid lifetime, invalid
    /// number of commands or percentage.
    [[nodiscard]] base::Result<void> check() const;

    [[nodiscard]] int keyCount() const { return keysOfEach * static_cast<int>(recipes.size()); }
    [[nodiscard]] const caches::Recipe &recipeOf(int key) const;
    [[nodiscard]] base::Key keyOf(int key) const;
    /// Returns the name of a field, for recipes that write a hash.
    [[nodiscard]] static QByteArray field() { return QByteArrayLiteral("name"); }
    /// Returns the number of the key; absent if the key is not part of the plan.
    [[nodiscard]] std::optional<int> numberOf(QByteArrayView key) const;
    /// Returns the lifetime of a key, in whole seconds if the recipe requires this.
    [[nodiscard]] base::Lease lifetimeOf(int key) const;
    /// Returns whether the write of the key is paused and killed.
    [[nodiscard]] bool isCrashed(int key) const;
    /// Returns whether the key is read at its deadline. A read removes an expired key, so the time at which the server
    /// would have removed the key stays unknown. Half of the keys are read, and the others are left to the server. Keys
    /// alternate in pairs, so the choice is independent of the kills.
    [[nodiscard]] static bool isRead(int key) { return key / 2 % 2 == 1; }

    /// Returns a new, unique prefix.
    [[nodiscard]] static QByteArray freshPrefix();

    friend bool operator==(const Plan &, const Plan &) = default;
};

[[nodiscard]] QJsonObject toJson(const Plan &plan);
/// Reads a plan. Error (Usage): the JSON is not a plan, or check() fails.
[[nodiscard]] base::Result<Plan> planFromJson(const QJsonObject &object);

} // namespace latchkey::lab

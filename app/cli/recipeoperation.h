#pragma once

#include "app/cli/arguments.h"
#include "core/recipes/caches/catalogue.h"

namespace latchkey::cli {

/// Returns the error (Usage) for a recipe of the other family. `needsLock`: whether the command needs a lock recipe.
[[nodiscard]] base::Error wrongFamily(const QString &id, const char *verb, bool needsLock);

/// The common part of the operations on locks and caches: the recipe and the key of the command line.
template<typename AnyRecipe>
struct RecipeOperation
{
    const AnyRecipe *recipe = nullptr; // Not owned; belongs to the catalogue.
    base::Key key;
    std::chrono::milliseconds timeout {};
    QString name; ///< Such as `acquire token "k"`, for messages.

    /// Reads recipe, key and timeout. `verb`: name of the command. `recipes`: the family. Error: Usage.
    [[nodiscard]] base::Result<void> read(const Arguments &arguments, const char *verb,
                                          std::span<const AnyRecipe> recipes)
    {
        const QString id = arguments.positionalText(0);
        const auto found = catalogue::findRecipe(recipes, id);
        if (!found)
            return base::failure(caches::findInAll(id) ? wrongFamily(id, verb, recipes.front().isLock) : found.error());
        auto given = arguments.key(1);
        if (!given)
            return base::failure(std::move(given.error()));
        recipe = *found;
        key = std::move(*given);
        timeout = arguments.timeout();
        name = QStringLiteral("%1 %2 \"%3\"").arg(QLatin1String(verb), id, base::printable(key.bytes(), 100));
        return {};
    }
};

} // namespace latchkey::cli

#include "core/playground/lab/plan.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"

#include <QJsonArray>
#include <QUuid>

namespace latchkey::lab {

using base::ErrorKind;
using base::failure;
using std::chrono::milliseconds;

base::Result<void> Plan::check() const
{
    if (recipes.isEmpty())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "a recipe is missing"));
    for (const QString &id : recipes) {
        const auto recipe = caches::findRecipe(id);
        if (!recipe)
            return failure(recipe.error());
        if (recipes.count(id) > 1)
            return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the recipe %1 is there twice"), id);
    }
    if (keysOfEach < 1 || keysOfEach > maxKeys / recipes.size())
        return failure(
            ErrorKind::Usage,
            QT_TRANSLATE_NOOP("core", "%1 keys: there must be at least one, and at most %2 of all recipes together"),
            keysOfEach, maxKeys);
    if (shortest > longest)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "lifetimes from %1 to %2: the second is shorter"),
                       base::formatDuration(shortest), base::formatDuration(longest));
    for (const milliseconds lifetime : {shortest, longest}) {
        if (lifetime.count() <= 0)
            return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "a lifetime must be longer than zero, not %1"),
                           base::formatDuration(lifetime));
        if (!base::Lease::of(lifetime))
            return failure(ErrorKind::Usage,
                           QT_TRANSLATE_NOOP("core", "a lifetime of %1 is longer than a hundred years"),
                           base::formatDuration(lifetime));
    }
    if (crashAfter && *crashAfter < 1)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "a writer is killed after one command or more"));
    if (crashedPercent < 0 || crashedPercent > 100)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 % is no share"), crashedPercent);
    return {};
}

const caches::Recipe &Plan::recipeOf(int key) const
{
    return **caches::findRecipe(recipes[key / keysOfEach]);
}

base::Key Plan::keyOf(int key) const
{
    return base::Key(prefix + recipes[key / keysOfEach].toLatin1() + ':' + QByteArray::number(key));
}

std::optional<int> Plan::numberOf(QByteArrayView key) const
{
    if (!key.startsWith(prefix))
        return std::nullopt;
    bool isNumber = false;
    const int number = key.sliced(key.lastIndexOf(':') + 1).toInt(&isNumber);
    if (!isNumber || number < 0 || number >= keyCount() || keyOf(number).bytes() != key)
        return std::nullopt;
    return number;
}

base::Lease Plan::lifetimeOf(int key) const
{
    const qint64 place = key % keysOfEach;
    milliseconds lifetime = shortest;
    if (keysOfEach > 1)
        lifetime += milliseconds((longest - shortest).count() * place / (keysOfEach - 1));
    if (recipeOf(key).needsWholeSeconds)
        lifetime = std::chrono::ceil<std::chrono::seconds>(lifetime);
    return base::Lease::of(lifetime).value();
}

bool Plan::isCrashed(int key) const
{
    // Spread evenly: every hundred keys contain the same number.
    const qint64 place = key % keysOfEach;
    return crashAfter && (place + 1) * crashedPercent / 100 > place * crashedPercent / 100;
}

QByteArray Plan::freshPrefix()
{
    return "latchkey:lab:" + QUuid::createUuid().toByteArray(QUuid::Id128).first(12) + ':';
}

QJsonObject toJson(const Plan &plan)
{
    QJsonObject object {
        {QStringLiteral("recipes"), QJsonArray::fromStringList(plan.recipes)},
        {QStringLiteral("keys_of_each"), plan.keysOfEach},
        {QStringLiteral("shortest_ms"), static_cast<qint64>(plan.shortest.count())},
        {QStringLiteral("longest_ms"), static_cast<qint64>(plan.longest.count())},
        {QStringLiteral("crash_after"), plan.crashAfter ? QJsonValue(*plan.crashAfter) : QJsonValue()},
        {QStringLiteral("crashed_percent"), plan.crashedPercent},
    };
    files::insertBytes(object, QStringLiteral("prefix"), plan.prefix);
    return object;
}

base::Result<Plan> planFromJson(const QJsonObject &object)
{
    Plan plan;
    for (const QJsonValue &recipe : object[QStringLiteral("recipes")].toArray())
        plan.recipes += recipe.toString();
    plan.keysOfEach = object[QStringLiteral("keys_of_each")].toInt();
    plan.shortest = milliseconds(object[QStringLiteral("shortest_ms")].toInteger());
    plan.longest = milliseconds(object[QStringLiteral("longest_ms")].toInteger());
    if (const QJsonValue after = object[QStringLiteral("crash_after")]; after.isDouble())
        plan.crashAfter = after.toInt();
    plan.crashedPercent = object[QStringLiteral("crashed_percent")].toInt();
    auto prefix = files::readBytes(object, QStringLiteral("prefix"));
    if (!prefix)
        return failure(prefix.error());
    plan.prefix = prefix->value_or(QByteArray());
    if (auto checked = plan.check(); !checked)
        return failure(checked.error());
    return plan;
}

} // namespace latchkey::lab

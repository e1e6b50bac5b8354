// put and get.

#include "app/cli/cacheoperation.h"
#include "app/cli/command.h"
#include "app/cli/guardedget.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/recipes/caches/foreigntype.h"

#include <QFile>

#include <algorithm>
#include <cstdio>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using caches::Cache;
using caches::Content;
using caches::Fields;
using caches::LifetimeUnit;
using caches::Recipe;
using caches::WriteOutcome;
using help::CommandLine;

namespace {

Result<std::optional<LifetimeUnit>> lifetimeUnitFrom(const Arguments &arguments)
{
    if (!arguments.isSet("unit"))
        return std::nullopt;
    const QString unit = arguments.text("unit");
    if (unit == u"s")
        return LifetimeUnit::Seconds;
    if (unit == u"ms")
        return LifetimeUnit::Milliseconds;
    return failure(ErrorKind::Usage,
                   CommandLine::tr("unknown unit \"%1\"; the units of a lifetime are s and ms").arg(unit));
}

Result<std::unique_ptr<Cache>> cacheFrom(const CacheOperation &operation, const Arguments &arguments)
{
    const auto lifetime = arguments.lease("ttl");
    if (!lifetime)
        return failure(lifetime.error());
    if (!*lifetime)
        return failure(ErrorKind::Usage, CommandLine::tr("put needs a lifetime: --ttl 5m"));
    const auto unit = lifetimeUnitFrom(arguments);
    if (!unit)
        return failure(unit.error());
    if (arguments.isSet("if-absent") && !operation.recipe->canWriteIfAbsent)
        return failure(ErrorKind::Usage,
                       CommandLine::tr("the recipe %1 does not accept --if-absent").arg(operation.recipe->id));
    caches::CacheOptions options;
    options.key = operation.key;
    options.lifetime = *lifetime;
    options.unit = *unit;
    options.onlyIfAbsent = arguments.isSet("if-absent");
    return caches::makeCache(*operation.recipe, std::move(options));
}

Result<Content> fieldsFrom(const Recipe &recipe, const Arguments &arguments)
{
    Fields fields;
    for (int i = 2; i < arguments.positionalCount(); ++i) {
        const QByteArray word = arguments.positionalBytes(i);
        const qsizetype sign = word.indexOf('=');
        if (sign < 0)
            return failure(ErrorKind::Usage,
                           CommandLine::tr("the recipe %1 writes fields, and \"%2\" is not FIELD=VALUE")
                               .arg(recipe.id, base::printable(word, 100)));
        const QByteArray name = word.first(sign);
        if (std::ranges::any_of(fields, [&](const caches::Field &field) { return field.name == name; }))
            return failure(ErrorKind::Usage,
                           CommandLine::tr("the field \"%1\" is given twice").arg(base::printable(name, 100)));
        fields.push_back({name, word.sliced(sign + 1)});
    }
    if (fields.empty())
        return failure(ErrorKind::Usage,
                       CommandLine::tr("the recipe %1 writes fields, and there are none: FIELD=VALUE").arg(recipe.id));
    return Content::ofFields(std::move(fields));
}

Result<Content> valueFrom(const Recipe &recipe, const Arguments &arguments)
{
    const int count = arguments.positionalCount() - 2;
    if (count > 1)
        return failure(
            ErrorKind::Usage,
            CommandLine::tr("the recipe %1 writes one value, and there are %2").arg(recipe.id, QString::number(count)));
    if (count == 1 && arguments.positionalBytes(2) != "-")
        return Content::ofValue(arguments.positionalBytes(2));
    constexpr qint64 bytesAtOnce = mebibyte;
    QFile input;
    if (!input.open(stdin, QIODevice::ReadOnly))
        return failure(ErrorKind::Local,
                       CommandLine::tr("cannot read the standard input: %1").arg(input.errorString()));
    QByteArray value;
    for (QByteArray part = input.read(bytesAtOnce); !part.isEmpty() && value.size() <= largestValue;
         part = input.read(bytesAtOnce))
        value += part;
    if (value.size() > largestValue)
        return failure(ErrorKind::Usage,
                       CommandLine::tr("the value is larger than %1 MiB, more than is written or read; "
                                       "nothing was sent")
                           .arg(largestValue / mebibyte));
    if (input.error() != QFileDevice::NoError)
        return failure(ErrorKind::Local,
                       CommandLine::tr("cannot read the standard input: %1").arg(input.errorString()));
    return Content::ofValue(std::move(value));
}

/// The texts for an outcome.
struct FieldWords
{
    const char *id;          ///< Id in JSON.
    const char *explanation; ///< Explanation of a negative outcome.
};

FieldWords wordsFor(WriteOutcome outcome)
{
    switch (outcome) {
    case WriteOutcome::Written:
        return {"written", ""};
    case WriteOutcome::Exists:
        return {"exists", QT_TRANSLATE_NOOP("CommandLine", "there is a value already; nothing was changed")};
    case WriteOutcome::Nothing:
        return {"nothing", QT_TRANSLATE_NOOP("CommandLine", "there was nothing to write")};
    case WriteOutcome::Gone:
        return {"gone", QT_TRANSLATE_NOOP("CommandLine", "the key expired or was deleted before its lifetime was set")};
    case WriteOutcome::Busy:
        return {"busy",
                QT_TRANSLATE_NOOP("CommandLine", "another client is recomputing the value; nothing was changed")};
    case WriteOutcome::GuardLost:
        return {"guard-lost", QT_TRANSLATE_NOOP("CommandLine", "the guard's lease ended first; nothing was changed")};
    }
    Q_UNREACHABLE();
}

ExitCode put(const Arguments &arguments)
{
    auto operation = prepareCacheOperation(arguments, "put");
    if (!operation)
        return printError(operation.error());
    const Recipe &recipe = *operation->recipe;
    const auto cache = cacheFrom(*operation, arguments);
    if (!cache)
        return printError(cache.error());
    auto content = recipe.holdsFields ? fieldsFrom(recipe, arguments) : valueFrom(recipe, arguments);
    if (!content)
        return printError(content.error());

    if (!recipe.hasPromise(catalogue::Promise::ForeignKeySafe)) {
        // Checked first, because the recipe would replace a list, or change its TTL, as if the list were a cache entry.
        const auto fits = operation->driver->run(caches::refuseForeignType(operation->key, recipe.holdsFields));
        if (!fits)
            return fail(*operation, fits.error(), arguments.wantsJson());
    }
    const auto outcome = operation->driver->run((*cache)->write(std::move(*content)));
    if (!outcome)
        return fail(*operation, outcome.error(), arguments.wantsJson());
    const FieldWords words = wordsFor(*outcome);
    const bool isYes = *outcome == WriteOutcome::Written;
    const auto stale = isYes ? std::nullopt : whyOutOfDate(*operation);
    if (arguments.wantsJson())
        printJson(QJsonObject {{QStringLiteral("outcome"), QLatin1String(stale ? "unknown" : words.id)}});
    else if (isYes)
        std::puts(words.id);
    if (stale)
        return exitCodeFor(*operation, stale, ExitCode::No);
    if (!isYes)
        note(operation->name + QStringLiteral(": ") + CommandLine::tr(words.explanation));
    return isYes ? ExitCode::Yes : ExitCode::No;
}

void printText(const Content &content)
{
    if (!content.hasFields()) {
        printValue(content.value());
        return;
    }
    for (const caches::Field &field : content.fields())
        printBytes(field.name + '=' + field.value + '\n');
}

/// Refuses options and arguments that only a recipe with recomputation supports.
Result<void> refuseGuardedOptions(const Recipe &recipe, const Arguments &arguments)
{
    if (arguments.positionalCount() > 2)
        return failure(
            ErrorKind::Usage,
            CommandLine::tr("the recipe %1 does not accept a COMMAND: only guarded recomputes").arg(recipe.id));
    for (const char *option : {"ttl", "policy", "wait", "lease", "stale-for"}) {
        if (arguments.isSet(option))
            return failure(ErrorKind::Usage,
                           CommandLine::tr("--%1 goes with guarded and a COMMAND that recomputes the value")
                               .arg(QLatin1String(option)));
    }
    return {};
}

/// Reports a failed read. Unlike fail(), it needs no text about an unknown outcome.
ExitCode failToRead(const CacheOperation &operation, const base::Error &error)
{
    return printError(error.during(operation.name));
}

ExitCode printAsJson(CacheOperation &operation, const caches::Found &found, const std::optional<base::Error> &stale)
{
    QJsonObject object {
        {QStringLiteral("outcome"), found.isHit() ? QStringLiteral("hit") : QStringLiteral("miss")},
        {operation.recipe->holdsFields ? QStringLiteral("fields") : QStringLiteral("value"), QJsonValue::Null},
        {QStringLiteral("pttl_ms"), QJsonValue::Null},
    };
    Result<void> inserted;
    if (found.isHit()) {
        insertContent(object, *found.content);
        inserted = insertLifetime(object, operation, *found.content);
    }
    insertStaleness(object, stale);
    printJson(object);
    return inserted ? ExitCode::Yes : failToRead(operation, inserted.error());
}

ExitCode get(const Arguments &arguments)
{
    auto operation = prepareCacheOperation(arguments, "get");
    if (!operation)
        return printError(operation.error());
    const Recipe &recipe = *operation->recipe;
    if (recipe.isGuarded && arguments.positionalCount() > 2)
        return getGuarded(*operation, arguments);
    if (const auto fits = refuseGuardedOptions(recipe, arguments); !fits)
        return printError(fits.error());

    caches::CacheOptions options;
    options.key = operation->key;
    const auto cache = caches::makeCache(recipe, std::move(options));
    if (!cache)
        return printError(cache.error());
    const auto found = operation->driver->run((*cache)->read());
    if (!found)
        return failToRead(*operation, found.error());
    const auto stale = whyOutOfDate(*operation);
    ExitCode exitCode = ExitCode::Yes;
    if (arguments.wantsJson())
        exitCode = printAsJson(*operation, *found, stale);
    else if (found->isHit())
        printText(*found->content);
    if (!found->isHit()) {
        note(operation->name + CommandLine::tr(": miss"));
        exitCode = ExitCode::No;
    }
    return exitCodeFor(*operation, stale, exitCode);
}

} // namespace

Command putCommand()
{
    return {
        "put",
        {"RECIPE KEY [VALUE | FIELD=VALUE...]", 2, -1},
        QT_TRANSLATE_NOOP("CommandLine", "writes a key with an expiry"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Writes VALUE, or the fields of a hash, under KEY by RECIPE (see: latchkey-cli recipes), with a lifetime. If VALUE is - or missing, it is read from standard input, byte for byte.

{options}

A value may have up to 64 MiB, which is also the limit of get. A larger one is refused (2) before anything is sent.

guarded writes only after a miss, and never while another client recomputes. A key of another type is refused by every RECIPE if TYPE is permitted.

With --json {outcome: "written"|"exists"|"busy"|"gone"|"guard-lost"|"unknown"}.
Exit code: 0 written, 1 not written, 2 wrong usage, 3 error or unknown outcome.

Examples:
  latchkey-cli put set-ex page:home "$(cat home.html)" --ttl 5m --if-absent
  latchkey-cli put hash-lua user:7 name=Ann role=admin --ttl 1h
  make report | latchkey-cli put setex report - --ttl 1d
)help"),
        QList<QCommandLineOption> {
            makeOption("ttl", "DURATION", CommandLine::tr("the lifetime")),
            makeOption("unit", "s|ms",
                       CommandLine::tr("unit in which it is sent (set-then-expire, set-ex, setex); default ms")),
            makeOption("if-absent", "", CommandLine::tr("only if there is no value yet (set-ex)")),
        } + Arguments::keyOptions(),
        put,
        RecipeFamily::Caches,
    };
}

Command getCommand()
{
    return {
        "get",
        {"RECIPE KEY [-- COMMAND...]", 2, -1},
        QT_TRANSLATE_NOOP("CommandLine", "reads a key with an expiry, or recomputes it"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Prints the content of KEY, read by RECIPE: a value byte for byte, or a line FIELD=VALUE for each field.
On a terminal, characters that it does not show are printed as \xNN.

With the recipe guarded and a COMMAND, a miss is recomputed: the standard output of COMMAND, complete and byte for byte, is the value, which is cached and printed. Only one client recomputes at a time, under a guard that it renews while COMMAND runs. If COMMAND fails, nothing is cached, and the next client may try. If this command is killed, the kernel kills COMMAND, but not the children of COMMAND, and the guard ends with its lease. The environment of COMMAND contains the server of --url as LATCHKEY_URL and the password of --password-file as LATCHKEY_PASSWORD.

{options}

A value larger than 64 MiB is not read: that is an error (3). It is not cached either: a COMMAND that writes more is ended with SIGTERM, nothing is printed, and the next client may try.

The keys of a replica without a link to its primary may be missing or out of date: that is reported on standard error (3), and as out_of_date in the JSON.

With --json {outcome: "hit"|"miss", value|fields, pttl_ms}, with a COMMAND {outcome:
"hit"|"stale"|"recomputed"|"busy"|"failed", value, pttl_ms}, and exit_code if COMMAND failed. pttl_ms is -1 without expiry, null if the key does not hold the value. Data that is not UTF-8 is printed also as value_base64, and as the pairs of fields_base64.
Exit code: 0 a value, 1 none (miss, still busy, COMMAND failed), 2 wrong usage, 3 error or unknown outcome, also if a recomputed value was printed but could not be cached.

Examples:
  latchkey-cli get hash-lua user:7 --json
  latchkey-cli get guarded report --ttl 5m --policy stale -- make-report --month 7
)help"),
        guardedGetOptions() + Arguments::keyOptions(),
        get,
        RecipeFamily::Caches,
    };
}

} // namespace latchkey::cli

#include "app/cli/cacheoperation.h"

#include "app/cli/output.h"
#include "app/cli/stalereplica.h"
#include "app/help/commandline.h"
#include "core/foundation/files/json.h"

#include <algorithm>

namespace latchkey::cli {

using base::failure;
using base::Result;
using caches::Field;
using help::CommandLine;

namespace {

QString base64(const QByteArray &bytes)
{
    return QString::fromLatin1(bytes.toBase64());
}

} // namespace

Result<CacheOperation> prepareCacheOperation(const Arguments &arguments, const char *verb)
{
    CacheOperation operation;
    if (auto read = operation.read(arguments, verb, caches::recipes()); !read)
        return failure(std::move(read.error()));
    auto endpoint = arguments.endpoint();
    if (!endpoint)
        return failure(std::move(endpoint.error()));
    operation.server = std::move(*endpoint);
    operation.driver = std::make_unique<exchange::BlockingDriver>(std::vector {operation.server}, operation.timeout);
    return operation;
}

ExitCode fail(const CacheOperation &operation, const base::Error &error, bool wantsJson)
{
    const bool isUnknown = base::leavesOutcomeUnknown(error.kind);
    if (isUnknown && wantsJson)
        printJson(QJsonObject {{QStringLiteral("outcome"), QStringLiteral("unknown")}});
    printError(error.during(operation.name).message()
               + (isUnknown ? CommandLine::tr("; the outcome is unknown") : QString()));
    return exitCodeFor(error);
}

std::optional<base::Error> whyOutOfDate(const CacheOperation &operation)
{
    const auto fresh = refuseStaleAnswer(*operation.driver);
    return fresh ? std::nullopt : std::optional(fresh.error());
}

void insertStaleness(QJsonObject &object, const std::optional<base::Error> &stale)
{
    if (stale)
        object[QStringLiteral("out_of_date")] = stale->message();
}

ExitCode exitCodeFor(const CacheOperation &operation, const std::optional<base::Error> &stale, ExitCode answer)
{
    if (!stale)
        return answer;
    printError(stale->during(operation.name).message());
    return ExitCode::Error;
}

void insertContent(QJsonObject &object, const caches::Content &content)
{
    if (!content.hasFields()) {
        files::insertBytes(object, QStringLiteral("value"), content.value());
        return;
    }
    QJsonObject texts;
    QJsonArray pairs;
    for (const Field &field : content.fields()) {
        texts[QString::fromUtf8(field.name)] = QString::fromUtf8(field.value);
        pairs += QJsonArray {base64(field.name), base64(field.value)};
    }
    object[QStringLiteral("fields")] = texts;
    const auto isText = [](const Field &field) { return base::utf8Text(field.name) && base::utf8Text(field.value); };
    if (!std::all_of(content.fields().begin(), content.fields().end(), isText))
        object[QStringLiteral("fields_base64")] = pairs;
}

Result<void> insertLifetime(QJsonObject &object, CacheOperation &operation, const caches::Content &content)
{
    const caches::Fields fields = content.hasFields() ? content.fields() : caches::Fields();
    const auto lifetime = operation.driver->run(caches::readLifetime(operation.key, fields));
    if (!lifetime)
        return failure(lifetime.error());
    const auto endless = std::chrono::milliseconds(lifetime->exists ? -1 : 0);
    object[QStringLiteral("pttl_ms")] = static_cast<qint64>(lifetime->left.value_or(endless).count());
    return {};
}

} // namespace latchkey::cli

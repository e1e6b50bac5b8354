#pragma once

#include "app/cli/exitcode.h"
#include "app/cli/recipeoperation.h"
#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/resp/replyguard.h"

#include <QJsonObject>

namespace latchkey::cli {

/// The operation of a cache command: recipe, key, server and driver.
struct CacheOperation : RecipeOperation<caches::Recipe>
{
    net::Endpoint server;
    std::unique_ptr<exchange::BlockingDriver> driver;
};

/// Size limit of values that are written, cached or read: 64 MiB, so that every written value can be read.
constexpr qint64 largestValue = resp::ReplyLimits {}.bulkLength;
constexpr qint64 mebibyte = 1024LL * 1024;

/// Prepares an operation. `verb`: name of the command. Error: Usage.
[[nodiscard]] base::Result<CacheOperation> prepareCacheOperation(const Arguments &arguments, const char *verb);

/// Prints an error, on standard output too if JSON is requested and the outcome is unknown. Returns the exit code.
[[nodiscard]] ExitCode fail(const CacheOperation &operation, const base::Error &error, bool wantsJson);

/// Returns why the keys that were read may be out of date; see refuseStaleAnswer(). Absent: no reason is known.
[[nodiscard]] std::optional<base::Error> whyOutOfDate(const CacheOperation &operation);
/// Inserts `out_of_date` with the reason, if there is one.
void insertStaleness(QJsonObject &object, const std::optional<base::Error> &stale);
/// Returns the exit code of an answer that may be out of date; prints the reason to standard error, if there is one.
[[nodiscard]] ExitCode exitCodeFor(const CacheOperation &operation, const std::optional<base::Error> &stale,
                                   ExitCode answer);

/// Inserts the content of a key as JSON: `value`, or an object `fields`. Content that is not UTF-8 is inserted in
/// base64 too: as `value_base64`, or with all its pairs as `fields_base64`.
void insertContent(QJsonObject &object, const caches::Content &content);

/// Inserts `pttl_ms` as reported by PTTL: -1 without expiry, 0 if the key has expired since the read. If only fields
/// have an expiry, the value is that of the first field to expire.
[[nodiscard]] base::Result<void> insertLifetime(QJsonObject &object, CacheOperation &operation,
                                                const caches::Content &content);

} // namespace latchkey::cli

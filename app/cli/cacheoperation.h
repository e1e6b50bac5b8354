#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"
#include "core/caches/catalogue.h"
#include "core/exchange/blockingdriver.h"
#include "core/resp/replyguard.h"

#include <QJsonObject>

namespace latchkey::cli {

/// What the commands that work on a cache have in common: a recipe, a key, and the way to its server.
struct CacheOperation
{
    const caches::Recipe *recipe = nullptr; // Not owned: the catalogue's.
    base::Key key;
    resp::Endpoint server;
    std::unique_ptr<exchange::BlockingDriver> driver;
    QString name; ///< `put set-ex "k"`, for messages.
};

/// What is written, cached or read at most, so that nothing is written that cannot be read: 64 MiB.
constexpr qint64 largestValue = resp::ReplyLimits {}.bulkLength;
constexpr qint64 mebibyte = 1024LL * 1024;

/// verb: the command's name. Error: Usage.
[[nodiscard]] base::Result<CacheOperation> prepareCacheOperation(const Arguments &arguments, const char *verb);

/// Says what went wrong, on standard output as well where JSON is wanted and the outcome unknown; the exit code that
/// goes with it.
[[nodiscard]] ExitCode fail(const CacheOperation &operation, const base::Error &error, bool wantsJson);

/// What a key holds, as JSON: `value`, or `fields` as an object. Bytes that are not UTF-8 come in base64 as well, under
/// `value_base64`, or as the pairs of `fields_base64`.
void insertContent(QJsonObject &object, const caches::Content &content);

/// `pttl_ms` as PTTL has it: -1 without expiry; 0 where the key has ended since it was read. Where the content has
/// fields with lifetimes of their own, and the key has none, it is that of the first to end.
[[nodiscard]] base::Result<void> insertLifetime(QJsonObject &object, CacheOperation &operation,
                                                const caches::Content &content);

} // namespace latchkey::cli

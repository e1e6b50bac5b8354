#pragma once

#include "core/recipes/caches/guarded.h"

#include <QJsonObject>

// The operations of a client besides acquire, extend and release: caches and raw commands.

namespace latchkey::playground {

/// An order to write a cached key: `{"do": "put", "recipe": "set-ex", "key": "k", "value": "…", "lifetime_ms": 5000}`;
/// a recipe for hashes has `"fields": [{"name": "…", "value": "…"}]` instead of the value. Optional: `"unit"` and
/// `"if_absent"`.
struct PutOrder
{
    QString recipe;
    caches::CacheOptions options;
    caches::Content content;
};

/// An order to read a cached key: `{"do": "get", "recipe": "set-ex", "key": "k"}`.
struct GetOrder
{
    QString recipe;
    caches::CacheOptions options;
};

/// An order to read with the recipe `guarded`: `{"do": "recompute", "key": "k", "value": "…", "lifetime_ms": 5000,
/// "policy": "wait"|"stale"|"none", "guard_ms": 10000, "work_ms": 300}`. If this client has to recompute, it works for
/// work_ms and stores the value.
struct RecomputeOrder
{
    caches::CacheOptions options;
    QByteArray value;
    std::chrono::milliseconds work {};
};

/// An order to send a command unchanged: `{"do": "send", "words": ["SET", "k", "v"], "server": 0}`.
struct SendOrder
{
    resp::Command command;
    int server = 0;
};

/// The result of one of these orders.
struct OperationResult
{
    /// One of: written, exists, nothing, gone, busy, guard-lost (put); hit, miss (get); hit, stale, recomputed,
    /// gave-up, guard-lost (recompute); answered (send); writes (write).
    QString outcome;
    std::optional<QByteArray> value; ///< With hit, stale and recomputed, if the recipe stores a single value.
    caches::Fields fields;           ///< With hit, if the recipe stores a hash.
    base::Text reply;                ///< With answered.

    friend bool operator==(const OperationResult &, const OperationResult &) = default;
};

/// Executes the operation. The cache must outlive the exchange. `work`: time between a miss and the store.
[[nodiscard]] exchange::Exchange<OperationResult> put(caches::Cache &cache, caches::Content content);
[[nodiscard]] exchange::Exchange<OperationResult> get(caches::Cache &cache);
[[nodiscard]] exchange::Exchange<OperationResult> recompute(caches::GuardedCache &cache, QByteArray value,
                                                            std::chrono::milliseconds work);
[[nodiscard]] exchange::Exchange<OperationResult> send(resp::Command command, int server);

[[nodiscard]] QJsonObject toJson(const PutOrder &order);
[[nodiscard]] QJsonObject toJson(const GetOrder &order);
[[nodiscard]] QJsonObject toJson(const RecomputeOrder &order);
[[nodiscard]] QJsonObject toJson(const SendOrder &order);
/// Reads an order. Error (Usage): a member is missing or invalid.
[[nodiscard]] base::Result<PutOrder> putFromJson(const QJsonObject &object);
[[nodiscard]] base::Result<GetOrder> getFromJson(const QJsonObject &object);
[[nodiscard]] base::Result<RecomputeOrder> recomputeFromJson(const QJsonObject &object);
[[nodiscard]] base::Result<SendOrder> sendFromJson(const QJsonObject &object);

/// Inserts the members of the result into a report, and reads them. Missing or invalid members are read as empty.
void insertResult(QJsonObject &object, const OperationResult &operationResult);
[[nodiscard]] OperationResult takeResult(const QJsonObject &object);

} // namespace latchkey::playground

#pragma once

#include "core/caches/guarded.h"

#include <QJsonObject>

// What a client does beside acquiring, extending and releasing a lock: caches, and commands of its own.

namespace latchkey::playground {

/// `{"do": "put", "recipe": "set-ex", "key": "k", "value": "…", "lifetime_ms": 5000}`; a recipe for hashes has
/// `"fields": [{"name": "…", "value": "…"}]` in place of the value. Also `"unit"` and `"if_absent"`.
struct PutOrder
{
    QString recipe;
    caches::CacheOptions options;
    caches::Content content;
};

/// `{"do": "get", "recipe": "set-ex", "key": "k"}`
struct GetOrder
{
    QString recipe;
    caches::CacheOptions options;
};

/// `{"do": "recompute", "key": "k", "value": "…", "lifetime_ms": 5000, "policy": "wait"|"stale"|"none", "guard_ms":
/// 10000, "work_ms": 300}`: reads, by the recipe `guarded`, and where it falls to this client works for so long and
/// stores the value.
struct RecomputeOrder
{
    caches::CacheOptions options;
    QByteArray value;
    std::chrono::milliseconds work {};
};

/// `{"do": "send", "words": ["SET", "k", "v"], "server": 0}`: a command as it is.
struct SendOrder
{
    resp::Command command;
    int server = 0;
};

/// What came of one of these.
struct Upshot
{
    /// written, exists, nothing, gone, busy, guard-lost; hit, miss; stale, recomputed, gave-up; answered; writes.
    QString outcome;
    std::optional<QByteArray> value; ///< Of hit, stale and recomputed, where the recipe holds one.
    caches::Fields fields;           ///< Of hit, where it holds a hash.
    base::Text reply;                ///< Of answered.

    friend bool operator==(const Upshot &, const Upshot &) = default;
};

/// The cache must outlive the exchange.
[[nodiscard]] exchange::Exchange<Upshot> put(caches::Cache &cache, caches::Content content);
[[nodiscard]] exchange::Exchange<Upshot> get(caches::Cache &cache);
[[nodiscard]] exchange::Exchange<Upshot> recompute(caches::GuardedCache &cache, QByteArray value,
                                                   std::chrono::milliseconds work);
[[nodiscard]] exchange::Exchange<Upshot> send(resp::Command command, int server);

[[nodiscard]] QJsonObject toJson(const PutOrder &order);
[[nodiscard]] QJsonObject toJson(const GetOrder &order);
[[nodiscard]] QJsonObject toJson(const RecomputeOrder &order);
[[nodiscard]] QJsonObject toJson(const SendOrder &order);
/// Error (Usage): what is missing or cannot be read.
[[nodiscard]] base::Result<PutOrder> putFromJson(const QJsonObject &object);
[[nodiscard]] base::Result<GetOrder> getFromJson(const QJsonObject &object);
[[nodiscard]] base::Result<RecomputeOrder> recomputeFromJson(const QJsonObject &object);
[[nodiscard]] base::Result<SendOrder> sendFromJson(const QJsonObject &object);

/// Its members, into a report.
void insertUpshot(QJsonObject &object, const Upshot &upshot);
[[nodiscard]] Upshot takeUpshot(const QJsonObject &object);

} // namespace latchkey::playground

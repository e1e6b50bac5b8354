#include "ui/views/keytable/kindtitle.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace latchkey::ui::keytable {

namespace {

struct ShortTitle
{
    const char *kind;
    const char *title;
};

/// Titles of the kinds with a title that is longer than the column.
constexpr std::array shortTitles {
    ShortTitle {"lock.token", QT_TRANSLATE_NOOP("KindTitle", "Token lock")},
    ShortTitle {"lock.owner", QT_TRANSLATE_NOOP("KindTitle", "Lock with owner")},
    ShortTitle {"lock.holders", QT_TRANSLATE_NOOP("KindTitle", "Semaphore")},
    ShortTitle {"textbook.constant", QT_TRANSLATE_NOOP("KindTitle", "Constant, no owner")},
    ShortTitle {"classic.setnx-timestamp", QT_TRANSLATE_NOOP("KindTitle", "Deadline as value")},
    ShortTitle {"medallion.Lock", QT_TRANSLATE_NOOP("KindTitle", "Medallion lock")},
    ShortTitle {"freeredis.lock", "FreeRedis/CSRedis"},
    ShortTitle {"StackExchange.LockTake", "SE.Redis LockTake"},
    ShortTitle {"dapr.lock", QT_TRANSLATE_NOOP("KindTitle", "Dapr lock")},
    ShortTitle {"asynq.lease", QT_TRANSLATE_NOOP("KindTitle", "asynq leases")},
    ShortTitle {"gocraft.work", QT_TRANSLATE_NOOP("KindTitle", "gocraft unique job")},
    ShortTitle {"gocraft.work.concurrency", QT_TRANSLATE_NOOP("KindTitle", "gocraft jobs")},
    ShortTitle {"redisson.RReadWriteLock", "RReadWriteLock"},
    ShortTitle {"redisson.RFencedLock", "RFencedLock"},
    ShortTitle {"redisson.RSemaphore", "RSemaphore"},
    ShortTitle {"redisson.MultiLock", "FasterMultiLock"},
    ShortTitle {"redisson.RPermitExpirableSemaphore", QT_TRANSLATE_NOOP("KindTitle", "Redisson permits")},
    ShortTitle {"redisson.RCountDownLatch", "RCountDownLatch"},
    ShortTitle {"spring.RedisLockRegistry", "RedisLockRegistry"},
    ShortTitle {"heima.SimpleRedisLock", "SimpleRedisLock"},
    ShortTitle {"bee-queue", QT_TRANSLATE_NOOP("KindTitle", "Bee-Queue jobs")},
    ShortTitle {"bottleneck", QT_TRANSLATE_NOOP("KindTitle", "Bottleneck jobs")},
    ShortTitle {"sesamecare.redlock", "sesamecare redlock"},
    ShortTitle {"npm.redis-semaphore.mutex", "npm redis mutex"},
    ShortTitle {"npm.redis-semaphore", "npm semaphore"},
    ShortTitle {"redis-plus-plus", QT_TRANSLATE_NOOP("KindTitle", "redis++ lock")},
    ShortTitle {"rslock", "rslock/redlock-rs"},
    ShortTitle {"laravel.unique-job", QT_TRANSLATE_NOOP("KindTitle", "Laravel job lock")},
    ShortTitle {"laravel.cache-lock", "Laravel Cache::lock"},
    ShortTitle {"laravel.funnel", "Laravel funnel"},
    ShortTitle {"kombu.unacked_mutex", "kombu mutex"},
    ShortTitle {"redbeat", "celery-redbeat"},
    ShortTitle {"django-cache-add", "Celery cache.add"},
    ShortTitle {"django-redis.lock", "django-redis lock"},
    ShortTitle {"redis-in-action", "Redis in Action"},
    ShortTitle {"redis-mutex.rb", "Ruby redis-mutex"},
    ShortTitle {"sidekiq-unique-jobs.v7v8", QT_TRANSLATE_NOOP("KindTitle", "Sidekiq unique")},
    ShortTitle {"sidekiq-unique-jobs.v9", QT_TRANSLATE_NOOP("KindTitle", "Sidekiq unique 9")},
    ShortTitle {"resque-scheduler.master", QT_TRANSLATE_NOOP("KindTitle", "resque master")},
    ShortTitle {"resque-lock-timeout", "resque-lock-timeout"},
    ShortTitle {"gitlab.exclusive_lease", QT_TRANSLATE_NOOP("KindTitle", "GitLab lease")},
};

} // namespace

QString kindTitle(const keys::KeyAnalysis &analysis)
{
    return analysis.title.isEmpty() ? analysis.title
                                    : QCoreApplication::translate("dialects", analysis.title.toUtf8().constData());
}

QString shortKindTitle(const keys::KeyAnalysis &analysis)
{
    const auto found = std::ranges::find_if(
        shortTitles, [&](const ShortTitle &title) { return analysis.kind == QLatin1String(title.kind); });
    return found != shortTitles.end() ? QCoreApplication::translate("KindTitle", found->title) : kindTitle(analysis);
}

} // namespace latchkey::ui::keytable

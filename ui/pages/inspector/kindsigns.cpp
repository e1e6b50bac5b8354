#include "ui/pages/inspector/kindsigns.h"

#include <QCoreApplication>

namespace latchkey::ui::inspector {

using keytable::KindSign;
using recognition::Family;

namespace {

struct KindText
{
    Q_DECLARE_TR_FUNCTIONS(KindText)
};

} // namespace

KindSign kindSign(Family family)
{
    switch (family) {
    case Family::Lock:
        return {QStringLiteral("lock"), KindText::tr("a lock: one holder at a time")};
    case Family::ReadWriteLock:
        return {QStringLiteral("readwrite"), KindText::tr("a read-write lock: many readers, or one writer")};
    case Family::Semaphore:
        return {QStringLiteral("semaphore"), KindText::tr("a semaphore: a limited number of holders")};
    case Family::Latch:
        return {QStringLiteral("latch"), KindText::tr("a latch: clients wait for it; it has no holder")};
    case Family::Job:
        return {QStringLiteral("job"), KindText::tr("a job in progress on a worker")};
    case Family::Leader:
        return {QStringLiteral("leader"), KindText::tr("a leader: one elected process")};
    case Family::Uniqueness:
        return {QStringLiteral("uniqueness"), KindText::tr("a unique job: the job is already queued")};
    case Family::Limiter:
        return {QStringLiteral("limiter"), KindText::tr("a limiter: a limited number of concurrent users")};
    case Family::Presence:
        return {QStringLiteral("presence"), KindText::tr("a heartbeat of a process")};
    }
    Q_UNREACHABLE();
}

keytable::KindSigns kindSigns(const recognition::Recogniser &recogniser)
{
    return [&recogniser](const QString &kind) {
        const recognition::Dialect *dialect = recogniser.dialects().find(kind);
        return dialect == nullptr ? KindSign() : kindSign(dialect->family);
    };
}

} // namespace latchkey::ui::inspector

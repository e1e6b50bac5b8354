#include "ui/inspector/kindsigns.h"

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
        return {QStringLiteral("semaphore"), KindText::tr("a semaphore: so many holders at once")};
    case Family::Latch:
        return {QStringLiteral("latch"), KindText::tr("a latch: it is waited for, and held by nobody")};
    case Family::Job:
        return {QStringLiteral("job"), KindText::tr("a job that a worker has taken")};
    case Family::Leader:
        return {QStringLiteral("leader"), KindText::tr("a leader: one process is in charge")};
    case Family::Uniqueness:
        return {QStringLiteral("uniqueness"), KindText::tr("a mark that a job is queued already")};
    case Family::Limiter:
        return {QStringLiteral("limiter"), KindText::tr("a limiter: so many at once")};
    case Family::Presence:
        return {QStringLiteral("presence"), KindText::tr("a sign that a process lives")};
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

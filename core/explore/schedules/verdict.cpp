#include "core/explore/schedules/verdict.h"

namespace latchkey::schedules {

QString verdictId(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Holds:
        return QStringLiteral("holds");
    case Verdict::Broken:
        return QStringLiteral("broken");
    case Verdict::NotApplicable:
        return QStringLiteral("not-applicable");
    }
    Q_UNREACHABLE();
}

Verdict verdictFrom(const QString &id)
{
    for (const Verdict verdict : {Verdict::Holds, Verdict::Broken}) {
        if (verdictId(verdict) == id)
            return verdict;
    }
    return Verdict::NotApplicable;
}

} // namespace latchkey::schedules

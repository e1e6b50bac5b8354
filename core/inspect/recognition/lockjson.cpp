#include "core/inspect/recognition/lockjson.h"

#include "core/foundation/files/json.h"
#include "core/inspect/recognition/displaytitle.h"
#include "core/inspect/recognition/recogniser.h"
#include "core/inspect/recognition/recognitiontexts.h"

#include <QJsonArray>

namespace latchkey::recognition {

namespace {

QJsonObject toJson(const Candidate &candidate)
{
    return {{QStringLiteral("id"), candidate.dialect},
            {QStringLiteral("confidence"), confidenceId(candidate.confidence)}};
}

} // namespace

std::optional<QByteArray> firstHolder(const Recognition &recognised)
{
    const auto &holders = recognised.decoded.holders;
    return holders.empty() ? std::nullopt : std::optional(holders.front().bytes);
}

std::optional<qint64> waiterCount(const Recognition &recognised)
{
    const LockContent &decoded = recognised.decoded;
    if (decoded.waitingClients)
        return *decoded.waitingClients;
    return decoded.waiters.empty() ? std::nullopt : std::optional(static_cast<qint64>(decoded.waiters.size()));
}

QString titleOf(const QString &dialect, const Dialects &dialects)
{
    const Dialect *found = dialects.find(dialect);
    return found == nullptr ? dialect : displayTitle(found->title);
}

void insertRecognition(QJsonObject &row, const Recognition &recognised, const Dialects &dialects)
{
    for (const char *name : {"kind", "holder", "count", "waiters", "fencing"})
        row[QLatin1String(name)] = QJsonValue::Null;
    if (!recognised.isLock())
        return;
    const Candidate &best = recognised.best();
    QJsonArray evidence;
    for (const Evidence &piece : best.evidence)
        evidence += RecognitionTexts::evidence(piece, titleOf(best.dialect, dialects));
    QJsonObject kind = toJson(best);
    kind[QStringLiteral("evidence")] = evidence;
    row[QStringLiteral("kind")] = kind;
    if (recognised.candidates.size() > 1) {
        QJsonArray candidates;
        for (const Candidate &candidate : recognised.candidates)
            candidates += toJson(candidate);
        row[QStringLiteral("candidates")] = candidates;
    }
    const LockContent &decoded = recognised.decoded;
    if (const auto holder = firstHolder(recognised))
        files::insertBytes(row, QStringLiteral("holder"), *holder);
    row[QStringLiteral("count")] = decoded.holdCount();
    if (const auto waiters = waiterCount(recognised))
        row[QStringLiteral("waiters")] = *waiters;
    if (decoded.fencing)
        row[QStringLiteral("fencing")] = *decoded.fencing;
}

} // namespace latchkey::recognition

#include "app/cli/recognitionoutput.h"

#include "app/cli/exitcode.h"
#include "app/help/commandline.h"
#include "core/foundation/files/json.h"
#include "core/inspect/recognition/owndialects.h"
#include "core/inspect/recognition/recognitiontexts.h"
#include "core/inspect/recognition/spokentitle.h"

#include <QFileInfo>
#include <QJsonArray>

namespace latchkey::cli {

using help::CommandLine;
using recognition::Candidate;
using recognition::Dialects;
using recognition::LockContent;
using recognition::Recognition;
using recognition::RecognitionTexts;

namespace {

QJsonObject toJson(const Candidate &candidate)
{
    return {{QStringLiteral("id"), candidate.dialect},
            {QStringLiteral("confidence"), recognition::confidenceId(candidate.confidence)}};
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

base::Result<void> checkUserDialects()
{
    const QString named = qEnvironmentVariable("LATCHKEY_DIALECTS");
    if (named.isEmpty() || QFileInfo::exists(named))
        return {};
    return base::failure(base::ErrorKind::Usage,
                         CommandLine::tr("LATCHKEY_DIALECTS names \"%1\", which does not exist").arg(named));
}

const recognition::Dialects &userDialects()
{
    static const recognition::Dialects dialects = [] {
        const recognition::OwnDialects own(recognition::OwnDialects::usualFile());
        if (own.problem())
            complain(own.problem()->message());
        return own.dialects();
    }();
    return dialects;
}

QString titleOf(const QString &dialect, const Dialects &dialects)
{
    const recognition::Dialect *found = dialects.find(dialect);
    return found == nullptr ? dialect : recognition::spokenTitle(found->title);
}

void insertRecognition(QJsonObject &row, const Recognition &recognised, const Dialects &dialects)
{
    for (const char *name : {"kind", "holder", "count", "waiters", "fencing"})
        row[QLatin1String(name)] = QJsonValue::Null;
    if (!recognised.isLock())
        return;
    const Candidate &best = recognised.best();
    QJsonArray evidence;
    for (const recognition::Evidence &piece : best.evidence)
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

} // namespace latchkey::cli

#include "app/cli/whyoutput.h"

#include "app/cli/fieldoutput.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"
#include "core/inspect/exports/exportrows.h"
#include "core/inspect/findings/findingtexts.h"
#include "core/inspect/recognition/recognitiontexts.h"

namespace latchkey::cli {

using base::SystemClock;
using detection::KeyExamination;
using findings::Finding;
using help::CommandLine;
using recognition::Candidate;
using recognition::Recogniser;
using recognition::RecognitionTexts;
using std::chrono::milliseconds;

namespace {

QJsonObject toJson(const Finding &finding, const QString &title)
{
    return {{QStringLiteral("id"), findings::kindId(finding.kind)},
            {QStringLiteral("severity"), findings::severityId(finding.severity)},
            {QStringLiteral("seen"), finding.isObserved},
            {QStringLiteral("title"), findings::FindingTexts::title(finding.kind)},
            {QStringLiteral("evidence"), findings::FindingTexts::evidence(finding, title)},
            {QStringLiteral("meaning"), findings::FindingTexts::meaning(finding.kind)},
            {QStringLiteral("advice"), findings::FindingTexts::advice(finding.kind)}};
}

} // namespace

void printNamed(const QString &name, const QString &text)
{
    printBytes((help::padded(name, 10) + u' ' + text).toUtf8() + '\n');
}

QString timeLeftText(const KeyExamination &found)
{
    return found.deadline.isNever()
             ? CommandLine::tr("no expiry")
             : base::displayDuration(milliseconds(found.deadline.pttl(SystemClock::instance().now())));
}

void printFindings(const std::vector<Finding> &wrong, const QString &title)
{
    for (const Finding &finding : wrong) {
        printNamed(CommandLine::tr("finding"),
                   QStringLiteral("%1 (%2, %3): %4")
                       .arg(findings::FindingTexts::title(finding.kind), findings::kindId(finding.kind),
                            findings::severityId(finding.severity), findings::FindingTexts::evidence(finding, title)));
        printNamed(QString(), findings::FindingTexts::meaning(finding.kind));
        printNamed(QString(), findings::FindingTexts::advice(finding.kind));
    }
}

void printKind(const recognition::Recognition &recognised, const Recogniser &recogniser)
{
    const Candidate &best = recognised.best();
    const QString title = titleOf(best.dialect, recogniser.dialects());
    printNamed(CommandLine::tr("kind"),
               QStringLiteral("%1 (%2, %3)").arg(title, best.dialect, RecognitionTexts::confidence(best.confidence)));
    for (const recognition::Evidence &piece : best.evidence)
        printNamed(CommandLine::tr("because"), RecognitionTexts::evidence(piece, title));
    for (std::size_t i = 1; i < recognised.candidates.size(); ++i) {
        const Candidate &other = recognised.candidates[i];
        printNamed(CommandLine::tr("or"), QStringLiteral("%1 (%2, %3)")
                                              .arg(titleOf(other.dialect, recogniser.dialects()), other.dialect,
                                                   RecognitionTexts::confidence(other.confidence)));
    }
}

void printText(const base::Key &key, const WhyAnswer &answer, const Recogniser &recogniser)
{
    const KeyExamination &found = answer.found;
    printNamed(CommandLine::tr("key"), base::printable(key.bytes()));
    printNamed(CommandLine::tr("type"), keys::keyTypeName(found.type));
    printNamed(CommandLine::tr("time left"), timeLeftText(found));
    for (const QString &line : fieldLines(answer.fields.ends, SystemClock::instance().now()))
        printNamed(CommandLine::tr("field"), line);
    const recognition::Recognition &recognised = found.recognition;
    if (!recognised.isLock()) {
        printNamed(CommandLine::tr("kind"), CommandLine::tr("not recognised as a lock"));
    } else {
        printKind(recognised, recogniser);
        if (!recognised.decoded.isHolderRecorded)
            printNamed(CommandLine::tr("holder"), CommandLine::tr("not recorded"));
        for (const recognition::Holder &holder : recognised.decoded.holders) {
            printNamed(CommandLine::tr("holder"), RecognitionTexts::holder(holder));
            for (const QString &part : RecognitionTexts::parts(holder))
                printNamed(QString(), part);
        }
        for (const recognition::Waiter &waiter : recognised.decoded.waiters)
            printNamed(CommandLine::tr("waiting"), base::printable(waiter.bytes, 200));
        if (recognised.decoded.fencing)
            printNamed(CommandLine::tr("fencing"), QString::number(*recognised.decoded.fencing));
        printFindings(answer.wrong, titleOf(recognised.best().dialect, recogniser.dialects()));
    }
    for (const QString &denied : deniedTexts(answer))
        printNamed(CommandLine::tr("denied"), denied);
}

bool printUnchecked(const WhyRequest &request, const WhyAnswer &answer)
{
    if (answer.unchecked)
        printError(CommandLine::tr("%1: the settings of the server were not read, so findings may be missing: %2")
                       .arg(request.name, answer.unchecked->message()));
    return answer.unchecked.has_value();
}

QJsonObject toJson(const WhyRequest &request, const WhyAnswer *answer)
{
    const WhyAnswer none {};
    const WhyAnswer &known = answer != nullptr ? *answer : none;
    const KeyExamination &found = known.found;
    const auto now = SystemClock::instance().now();
    QJsonObject row;
    files::insertBytes(row, QStringLiteral("key"), request.key.bytes());
    row[QStringLiteral("exists")] = answer != nullptr ? QJsonValue(found.exists) : QJsonValue();
    row[QStringLiteral("type")] = found.exists ? QJsonValue(keys::keyTypeName(found.type)) : QJsonValue();
    row[QStringLiteral("pttl_ms")] = found.exists ? QJsonValue(found.deadline.pttl(now)) : QJsonValue();
    exports::insertFieldEnds(row, known.fields.ends, now);
    insertRecognition(row, found.recognition, request.recogniser.dialects());
    QJsonArray listed;
    for (const Finding &finding : known.wrong)
        listed += toJson(finding, titleOf(found.recognition.best().dialect, request.recogniser.dialects()));
    row[QStringLiteral("findings")] = listed;
    row[QStringLiteral("denied")] = QJsonArray::fromStringList(deniedTexts(known));
    return row;
}

} // namespace latchkey::cli

#include "app/cli/coverageprinter.h"

#include "app/cli/exitcode.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"

#include <algorithm>
#include <cstdio>

namespace latchkey::cli {

using events::Coverage;
using events::KeyRequest;
using help::CommandLine;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

CoveragePrinter::CoveragePrinter(QString command, const watching::WatchStatus &watcher, const base::Clock &clock,
                                 bool json, std::function<void()> printed, EventOrigin origin)
    : m_command(std::move(command))
    , m_watcher(watcher)
    , m_clock(clock)
    , m_json(json)
    , m_printed(std::move(printed))
    , m_origin(std::move(origin))
{
    connect(&watcher, &watching::WatchStatus::gapChanged, this, [this] { update(m_watcher.gapChangedAt()); });
    connect(&watcher, &watching::WatchStatus::progressChanged, this, &CoveragePrinter::printDenials);
    m_unreportedTimer.setSingleShot(true);
    connect(&watcher, &watching::WatchStatus::gapChanged, this, &CoveragePrinter::noteUnreported);
    connect(&m_unreportedTimer, &QTimer::timeout, this, &CoveragePrinter::printUnreported);
}

/// Returns the command and the server, for messages.
QString CoveragePrinter::name() const
{
    const QString &server = m_origin.server.isEmpty() ? m_origin.node : m_origin.server;
    return server.isEmpty() ? m_command : m_command + u' ' + server;
}

Coverage CoveragePrinter::coverage() const
{
    return m_origin.node.isEmpty() ? m_watcher.coverage() : events::withoutRedirects(m_watcher.coverage());
}

void CoveragePrinter::update(base::MonotonicTime at)
{
    if (m_isClosed)
        return;
    const Coverage known = coverage();
    const Coverage::Gap *gap = known.gap();
    const bool isOtherReason = gap != nullptr && m_gap && gap->why.kind != m_gap->why.kind;
    if ((gap != nullptr) == m_gap.has_value() && !isOtherReason)
        return;
    // An interval of another kind begins where the former ends; another reason of the same interval is printed alone.
    if (m_gap && (gap == nullptr || gap->from != m_gap->from))
        print("sees", *m_gap, at);
    if (gap != nullptr)
        print("blind", *gap, at);
    m_gap = gap != nullptr ? std::optional(*gap) : std::nullopt;
    m_printed();
}

void CoveragePrinter::printChange()
{
    update(m_clock.now());
}

void CoveragePrinter::printLast()
{
    const bool wasUnobserved = m_gap.has_value();
    printChange();
    if (wasUnobserved && m_gap)
        print("blind", *m_gap, m_clock.now());
    m_isClosed = true;
}

/// Prints each refusal of the server once: of requests about some keys, and of notifications. A refusal of
/// another request for all keys was already printed as `blind`.
void CoveragePrinter::printDenials()
{
    const Coverage known = coverage();
    updateTypeRefusal(known);
    for (const Coverage::Denial &denial : known.denied()) {
        const QString why = denial.why.message();
        if (denial.isForWholeType() || (!denial.isOfSomeKeys && denial.request != KeyRequest::Changes)
            || m_printedRefusals.contains(why))
            continue;
        m_printedRefusals.insert(why);
        printError(
            denial.isOfSomeKeys
                ? name() + QStringLiteral(": ") + denial.sentence().toString()
                : CommandLine::tr("%1: the server does not report changes; polling is used: %2").arg(name(), why));
    }
}

/// Prints `blind` when the server refuses all values of one type, and `sees` when it no longer does. Locks with such a
/// value are not seen, although other locks are.
void CoveragePrinter::updateTypeRefusal(const Coverage &known)
{
    const auto &denied = known.denied();
    const auto refused = std::ranges::find_if(denied, &Coverage::Denial::isForWholeType);
    if (m_isClosed || (refused != denied.end()) == m_typeRefusal.has_value())
        return;
    const base::MonotonicTime now = m_clock.now();
    if (refused == denied.end()) {
        const Coverage::Gap past = *std::exchange(m_typeRefusal, std::nullopt);
        if (!m_gap) // During a gap nothing is seen, and the end of the gap is printed instead.
            printLine("sees", past, now, past.pastSentence(now).toString());
    } else {
        m_typeRefusal = Coverage::Gap {now, {}, refused->why, KeyRequest::Value};
        Coverage::Gap shown = *m_typeRefusal;
        shown.why.text = refused->wholeTypeSentence();
        printLine("blind", shown, now, shown.why.message());
    }
    m_printed();
}

std::optional<Coverage::Gap> CoveragePrinter::lastUnreported() const
{
    const Coverage known = coverage();
    const auto &gaps = known.parts().gaps;
    const auto last = std::find_if(gaps.rbegin(), gaps.rend(),
                                   [](const Coverage::Gap &gap) { return gap.request == KeyRequest::Changes; });
    // A lost connection ends the reports as well, and is printed as `blind`.
    const bool isLoss =
        last != gaps.rend() && std::ranges::any_of(gaps, [&last](const Coverage::Gap &gap) {
            return !gap.request && (!gap.to || *gap.to > last->from) && (!last->to || gap.from < *last->to);
        });
    return last == gaps.rend() || isLoss ? std::nullopt : std::optional(*last);
}

/// Prints the end of an interval without reported changes, and its beginning unless the interval is very short.
void CoveragePrinter::noteUnreported()
{
    constexpr auto moment = 1s;
    const auto unreported = lastUnreported();
    if (!unreported || unreported->from == m_printedUnreported)
        return m_unreportedTimer.stop();
    if (!unreported->to) {
        if (!m_unreportedTimer.isActive())
            m_unreportedTimer.start(moment);
        return;
    }
    m_unreportedTimer.stop();
    m_printedUnreported = unreported->from;
    printError(
        CommandLine::tr("%1: the server reported no changes for %2, so a key that came and went meanwhile may be "
                        "missing")
            .arg(name(), base::displayDuration(*unreported->to - unreported->from)));
}

void CoveragePrinter::printUnreported()
{
    const auto unreported = lastUnreported();
    if (unreported && !unreported->to)
        printError(
            CommandLine::tr("%1: the server does not report changes any more; polling is used meanwhile").arg(name()));
}

void CoveragePrinter::print(const char *event, const Coverage::Gap &gap, base::MonotonicTime time)
{
    const bool isUnobserved = qstrcmp(event, "blind") == 0;
    const QString span = base::displayDuration(std::chrono::ceil<milliseconds>(time - gap.from));
    QString text;
    if (m_origin.node.isEmpty())
        text = (isUnobserved ? gap.sentence(time) : gap.pastSentence(time)).toString();
    else if (isUnobserved)
        text = CommandLine::tr("nothing of %1 has been seen for %2: %3").arg(m_origin.node, span, gap.why.message());
    else
        text = CommandLine::tr("nothing of %1 was seen for %2").arg(m_origin.node, span);
    printLine(event, gap, time, text);
}

void CoveragePrinter::printLine(const char *event, const Coverage::Gap &gap, base::MonotonicTime time,
                                const QString &text)
{
    const auto lasted = std::chrono::ceil<milliseconds>(time - gap.from);
    const qint64 at = m_clock.wallAt(time).time_since_epoch().count();
    if (m_json) {
        QJsonObject line {{QStringLiteral("at_ms"), at},
                          {QStringLiteral("event"), QLatin1String(event)},
                          {QStringLiteral("since_ms"), at - qint64(lasted.count())}};
        if (!m_origin.node.isEmpty())
            line[QStringLiteral("node")] = m_origin.node;
        if (!m_origin.server.isEmpty())
            line[QStringLiteral("server")] = m_origin.server;
        if (qstrcmp(event, "blind") == 0)
            line[QStringLiteral("reason")] = gap.why.message();
        else
            line[QStringLiteral("blind_ms")] = qint64(lasted.count());
        printBytes(files::toLine(line) + '\n');
    } else {
        printEvent(m_clock.wallAt(time), event, text, m_origin);
    }
    std::fflush(stdout);
}

} // namespace latchkey::cli

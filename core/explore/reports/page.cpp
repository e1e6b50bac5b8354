#include "core/explore/reports/page.h"

#include "core/foundation/base/version.h"

#include <algorithm>

namespace latchkey::reports {

using schedules::RecordedSchedule;
using schedules::ScheduleStep;
using Kind = ScheduleStep::Kind;

namespace {

constexpr int laneWidth = 320; // Pixels, as all sizes.
constexpr int firstLane = 60;
constexpr int headHeight = 50;
constexpr int rowHeight = 52;
constexpr int replyOffset = 22;

/// Length in characters at which a text in the diagram is cut. The list of steps has it in full.
constexpr int maxTextLength = 40;

constexpr int markRadius = 6; ///< Of the mark of a server's fault.

constexpr auto styleSheet = R"(
:root { color-scheme: light dark; --text: #1f2328; --page: #ffffff; --quiet: #59636e; --line: #8c959f; --inside: #bf8700;
  --bad: #cf222e; --arrow: #0969da; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --page: #0d1117; --quiet: #9198a1; --line: #656c76;
  --inside: #d29922; --bad: #ff7b72; --arrow: #58a6ff; } }
body { margin: 2rem; color: var(--text); background: var(--page); font: 15px/1.5 sans-serif; }
h1 { font-size: 1.4rem; } .verdict { color: var(--bad); } .quiet { color: var(--quiet); }
.diagram { overflow-x: auto; } li { font-family: monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
svg text { fill: var(--text); font: 13px monospace; stroke: var(--page); stroke-width: 4px; paint-order: stroke; }
svg .head { font-weight: bold; text-anchor: middle; } svg .fault, svg .end { fill: var(--bad); text-anchor: middle; }
svg .number { fill: var(--quiet); } svg .lane { stroke: var(--line); }
svg .inside { stroke: var(--inside); stroke-width: 8px; }
svg .arrow { stroke: var(--arrow); } svg .reply { stroke-dasharray: 5 3; } svg .cut { stroke: var(--bad); }
svg .event { stroke: var(--bad); stroke-dasharray: 2 4; } svg .mark { fill: var(--bad); }
svg .at-server { fill: var(--bad); text-anchor: end; } svg polygon { fill: var(--arrow); }
)";

/// Returns a text for HTML. Control characters, which a browser may drop or act upon, are shown as symbols.
QString escaped(const QString &text)
{
    QString safe;
    for (const QChar c : text)
        safe += c < u' ' ? QChar(0x2400 + c.unicode()) : c;
    return safe.toHtmlEscaped();
}

QString shortened(const QString &text)
{
    return text.size() > maxTextLength ? text.left(maxTextLength - 1) + QChar(0x2026) : text;
}

/// A sequence diagram of one story, in SVG. It has a lane for each client and, to the right, a lane for each server.
class Diagram final
{
public:
    explicit Diagram(const RecordedSchedule &schedule)
        : m_schedule(schedule)
    {
        for (const ScheduleStep &step : schedule.steps) {
            if (!step.client.isEmpty() && !m_clients.contains(step.client))
                m_clients += step.client;
        }
        m_clients.sort();
    }

    [[nodiscard]] QString svg()
    {
        const auto rows = static_cast<int>(m_schedule.setupCommands.size() + m_schedule.steps.size());
        const int height = headHeight + rows * rowHeight + 20;
        const int width = firstLane * 2 + (laneCount() - 1) * laneWidth;
        for (int i = 0; i < laneCount(); ++i) {
            const QString name = i < m_clients.size()    ? m_clients[i]
                               : m_schedule.servers == 1 ? QStringLiteral("Redis")
                                                         : QStringLiteral("Redis #%1").arg(i - m_clients.size() + 1);
            text("head", laneX(i), 20, name);
            line("lane", laneX(i), 30, laneX(i), height - 10);
        }
        int y = headHeight + rowHeight / 2;
        for (const resp::Command &command : m_schedule.setupCommands) {
            text("number", 4, y - 5, QStringLiteral("-"));
            text("", firstLane, y - 5, command.toText());
            line("event", firstLane, y, laneX(laneCount() - 1), y);
            y += rowHeight;
        }
        for (std::size_t i = 0; i < m_schedule.steps.size(); ++i, y += rowHeight)
            row(static_cast<int>(i) + 1, m_schedule.steps[i], y);
        for (const QString &client : m_clients)
            leave(client, height - 10);
        // Critical sections are thick lines, below everything else.
        return QStringLiteral("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"sequence diagram\" "
                              "width=\"%1\" height=\"%2\" viewBox=\"0 0 %1 %2\">\n")
                   .arg(width)
                   .arg(height)
             + m_sections + m_lines + m_texts + QStringLiteral("</svg>\n");
    }

private:
    [[nodiscard]] int laneCount() const { return static_cast<int>(m_clients.size()) + std::max(m_schedule.servers, 1); }
    [[nodiscard]] static int laneX(int lane) { return firstLane + lane * laneWidth; }
    [[nodiscard]] int clientX(const QString &client) const
    {
        return laneX(static_cast<int>(m_clients.indexOf(client)));
    }

    void line(const char *style, int x1, int y1, int x2, int y2)
    {
        m_lines += QStringLiteral("<line class=\"%1\" x1=\"%2\" y1=\"%3\" x2=\"%4\" y2=\"%5\"/>\n")
                       .arg(QLatin1String(style))
                       .arg(x1)
                       .arg(y1)
                       .arg(x2)
                       .arg(y2);
    }
    void text(const char *style, int x, int y, const QString &content)
    {
        // A title within a text would be drawn by some viewers.
        m_texts +=
            QStringLiteral("<g><title>") + escaped(content)
            + QStringLiteral("</title><text class=\"%1\" x=\"%2\" y=\"%3\">").arg(QLatin1String(style)).arg(x).arg(y)
            + escaped(shortened(content)) + QStringLiteral("</text></g>\n");
    }
    void arrow(const char *style, int from, int to, int y)
    {
        line(style, from, y, to, y);
        const int back = from < to ? -8 : 8;
        m_lines += QStringLiteral("<polygon points=\"%1,%2 %3,%4 %3,%5\"/>\n")
                       .arg(to)
                       .arg(y)
                       .arg(to + back)
                       .arg(y - 4)
                       .arg(y + 4);
    }
    void leave(const QString &client, int y)
    {
        const auto since = m_insideSince.find(client);
        if (since == m_insideSince.end())
            return;
        m_sections += QStringLiteral("<g><title>%1 is inside</title>").arg(escaped(client))
                    + QStringLiteral("<line class=\"inside\" x1=\"%1\" y1=\"%2\" x2=\"%1\" y2=\"%3\"/></g>\n")
                          .arg(clientX(client))
                          .arg(since->second)
                          .arg(y);
        m_insideSince.erase(since);
    }
    void row(int number, const ScheduleStep &step, int y)
    {
        text("number", 4, y - 5, QString::number(number));
        if (step.client.isEmpty()) {
            line("event", firstLane, y, laneX(laneCount() - 1), y);
            if (schedules::isServerFault(step.kind)) {
                const int x = laneX(static_cast<int>(m_clients.size()) + step.server);
                m_lines += QStringLiteral("<circle class=\"mark\" cx=\"%1\" cy=\"%2\" r=\"%3\"/>\n")
                               .arg(x)
                               .arg(y)
                               .arg(markRadius);
                text("at-server", x - 2 * markRadius, y - 5, step.action(m_schedule.servers).english());
                return;
            }
            text("fault", (firstLane + laneX(laneCount() - 1)) / 2, y - 5, step.action(m_schedule.servers).english());
            return;
        }
        const int client = clientX(step.client);
        const int server = laneX(static_cast<int>(m_clients.size()) + step.server);
        switch (step.kind) {
        case Kind::Command:
            arrow(step.isUnreached ? "arrow cut" : "arrow", client, step.isUnreached ? (client + server) / 2 : server,
                  y);
            text("", client + 12, y - 5, step.command.toText());
            if (!step.isUnreached) {
                arrow(step.isLost ? "arrow reply cut" : "arrow reply", server,
                      step.isLost ? (client + server) / 2 : client, y + replyOffset);
                text("", client + 12, y + replyOffset - 5, step.reply.toText());
            }
            break;
        case Kind::Message:
            arrow("arrow reply", server, client, y);
            text("", client + 12, y - 5, step.reply.toText());
            break;
        default:
            text(step.kind == Kind::Crash ? "end" : "", client + (step.kind == Kind::Crash ? 0 : 12), y - 5,
                 step.action(m_schedule.servers).english());
        }
        if (step.inside == true)
            m_insideSince.try_emplace(step.client, y + replyOffset);
        else if (step.inside == false || step.kind == Kind::Crash)
            leave(step.client, y);
    }

    const RecordedSchedule &m_schedule; // Not owned.
    QStringList m_clients;
    std::map<QString, int> m_insideSince;
    QString m_sections;
    QString m_lines;
    QString m_texts;
};

QString paragraph(const char *style, const QString &text)
{
    return QStringLiteral("<p class=\"%1\">").arg(QLatin1String(style)) + escaped(text) + QStringLiteral("</p>\n");
}

} // namespace

QByteArray toHtml(const ExplorationReport &report, const CheckedPromise &promise)
{
    const QString title = report.displayName() + QStringLiteral(": ") + promise.result.promise;
    QString page = QStringLiteral("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                  "<meta name=\"viewport\" content=\"width=device-width\">\n"
                                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                                  "style-src 'unsafe-inline'\">\n<title>")
                 + escaped(title) + QStringLiteral("</title>\n<style>") + QLatin1String(styleSheet)
                 + QStringLiteral("</style>\n</head>\n<body>\n<h1>") + escaped(title) + QStringLiteral("</h1>\n");
    page += paragraph("quiet", promise.definition);
    page += paragraph("verdict", promise.summary);
    if (const auto &schedule = promise.result.counterexample) {
        page +=
            QStringLiteral("<div class=\"diagram\">\n") + Diagram(*schedule).svg() + QStringLiteral("</div>\n<ol>\n");
        for (const ScheduleStep &step : schedule->steps)
            page +=
                QStringLiteral("<li>") + escaped(step.toText(schedule->servers).english()) + QStringLiteral("</li>\n");
        page += QStringLiteral("</ol>\n");
    }
    page += paragraph("quiet", QStringLiteral("Latchkey ") + base::programVersion());
    return (page + QStringLiteral("</body>\n</html>\n")).toUtf8();
}

} // namespace latchkey::reports

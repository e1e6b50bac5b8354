#include "app/cli/lockmetrics.h"

#include "app/cli/historyoutput.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace latchkey::cli {

using events::Ending;
using events::KeyEvent;
using watching::EventSource;
using Type = KeyEvent::Type;

namespace {

QString causeOf(Ending ending)
{
    switch (ending) {
    case Ending::Expired:
        return QStringLiteral("expired");
    case Ending::Evicted:
        return QStringLiteral("evicted");
    case Ending::Flushed:
        return QStringLiteral("flushed");
    case Ending::Deleted:
    case Ending::Removed:
        return QStringLiteral("released");
    case Ending::Lost:
        return QStringLiteral("lost");
    case Ending::None:
    case Ending::Unknown:
        return QStringLiteral("unknown");
    }
    Q_UNREACHABLE();
}

QByteArray label(const char *name, const QString &value)
{
    QString escaped = value;
    escaped.replace(u'\\', QStringLiteral("\\\\"))
        .replace(u'"', QStringLiteral("\\\""))
        .replace(u'\n', QStringLiteral("\\n"));
    return QByteArray(name) + "=\"" + escaped.toUtf8() + '"';
}

QByteArray head(const char *name, const char *type, const char *help)
{
    return QByteArrayLiteral("# HELP ") + name + ' ' + help + "\n# TYPE " + name + ' ' + type + '\n';
}

QByteArray sample(const QByteArray &name, const QByteArray &labels, double value)
{
    const QByteArray number = value == std::floor(value) ? QByteArray::number(static_cast<qint64>(value))
                                                         : QByteArray::number(value, 'g', 12);
    return name + (labels.isEmpty() ? QByteArray() : '{' + labels + '}') + ' ' + number + '\n';
}

/// Returns the label of a node with further labels; without a cluster only these.
QByteArray nodeLabels(const WatchedServers::Node &node, const QByteArray &further = {})
{
    if (node.name.isEmpty())
        return further;
    return label("node", node.name) + (further.isEmpty() ? QByteArray() : ',' + further);
}

} // namespace

LockMetrics::LockMetrics(const WatchedServers &servers)
    : m_servers(servers)
{
    connect(&servers.locks(), &LockEvents::happened, this, &LockMetrics::count);
}

void LockMetrics::count(const KeyEvent &keyEvent, const LockDescription &description)
{
    switch (keyEvent.type) {
    case Type::Appeared:
        ++m_started[description.kind];
        return;
    case Type::HandedOver:
        ++m_started[description.kind];
        ++m_ended[{description.kind, QStringLiteral("handed-over")}];
        return;
    case Type::Replaced:
        ++m_started[description.kind];
        ++m_ended[{description.kind, QStringLiteral("unknown")}];
        return;
    case Type::Renewed:
        ++m_extended;
        return;
    case Type::Changed:
    case Type::FirstRead:
        return;
    case Type::Ended:
        break;
    }
    ++m_ended[{description.kind, causeOf(keyEvent.ending)}];
    if (const auto late = keyEvent.late()) {
        const double seconds = std::chrono::duration<double>(*late).count();
        const auto bound = std::ranges::lower_bound(lateBounds, seconds);
        ++m_late[static_cast<std::size_t>(bound - lateBounds.begin())];
        m_lateSum += seconds;
    }
}

QByteArray LockMetrics::page() const
{
    QByteArray text = gauges();
    text += head("latchkey_holds_started_total", "counter", "Holds that have begun since watching began, by kind.");
    for (auto kind = m_started.cbegin(); kind != m_started.cend(); ++kind)
        text += sample("latchkey_holds_started_total", label("kind", kind.key()), static_cast<double>(*kind));
    text += head("latchkey_holds_ended_total", "counter", "Holds that have ended since, by kind and cause.");
    for (auto end = m_ended.cbegin(); end != m_ended.cend(); ++end)
        text +=
            sample("latchkey_holds_ended_total",
                   label("kind", end.key().first) + ',' + label("cause", end.key().second), static_cast<double>(*end));
    text += head("latchkey_extensions_total", "counter", "Renewals of leases that were seen.");
    text += sample("latchkey_extensions_total", {}, static_cast<double>(m_extended));
    text += lateness();
    text += cost();
    return text;
}

QByteArray LockMetrics::gauges() const
{
    return nodeGauges() + coverageGauges(m_servers.coverage()) + lockGauges();
}

QByteArray LockMetrics::nodeGauges() const
{
    QByteArray text = head("latchkey_up", "gauge", "Whether the server answers what watching needs.");
    for (const WatchedServers::Node &node : m_servers.nodes()) {
        const bool isReady = node.server.session().state() == net::Session::State::Ready;
        const bool isObserving = node.server.watcher().coverage().isObserving();
        text += sample("latchkey_up", nodeLabels(node), isReady && isObserving ? 1 : 0);
    }
    text += head("latchkey_source", "gauge", "How changes are learnt of.");
    for (const WatchedServers::Node &node : m_servers.nodes()) {
        const auto mechanism = label("means", mechanismName(node.server.events().mechanism()));
        text += sample("latchkey_source", nodeLabels(node, mechanism), 1);
    }
    return text;
}

QByteArray LockMetrics::lockGauges() const
{
    QHash<QString, int> held;
    std::map<std::pair<findings::FindingKind, findings::Severity>, int> wrong;
    QSet<QByteArray> counted; // A lock that moves can be known at two nodes.
    const std::vector<WatchedServers::Node> nodes = m_servers.nodes();
    for (const WatchedServers::Node &node : nodes) {
        const auto &locks = node.locks.held();
        for (auto lock = locks.cbegin(); lock != locks.cend(); ++lock) {
            if (nodes.size() > 1 && counted.contains(lock.key()))
                continue;
            if (nodes.size() > 1)
                counted.insert(lock.key());
            ++held[lock->description.kind];
            for (const auto &[kind, severity] : node.server.locks().findingsOfLastExamination(lock.key()))
                ++wrong[{kind, severity}];
        }
    }
    QByteArray text = head("latchkey_locks_held", "gauge", "Locks that are held now, by kind.");
    QStringList kinds = held.keys();
    kinds.sort();
    for (const QString &kind : std::as_const(kinds))
        text += sample("latchkey_locks_held", label("kind", kind), held[kind]);
    text += head("latchkey_findings", "gauge",
                 "Locks of which something is to be said now, by its id and severity: those of ls and why.");
    for (const auto &[finding, count] : wrong)
        text += sample("latchkey_findings",
                       label("id", findings::kindId(finding.first)) + ','
                           + label("severity", findings::severityId(finding.second)),
                       count);
    return text;
}

QByteArray LockMetrics::coverageGauges(const events::Coverage &coverage)
{
    const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
    QByteArray text = head("latchkey_coverage_complete", "gauge", "Whether all locks are seen, and were all the time.");
    text += sample("latchkey_coverage_complete", {}, coverage.isComplete() ? 1 : 0);
    text += head("latchkey_blind_seconds_total", "counter", "Time in which nothing was seen.");
    text += sample("latchkey_blind_seconds_total", {}, seconds(coverage.unobservedDuration()));
    text += head("latchkey_unreported_seconds_total", "counter",
                 "Time in which the server no longer reported changes, although it answered requests.");
    text += sample("latchkey_unreported_seconds_total", {}, seconds(coverage.unreportedDuration()));
    text += head("latchkey_unread_keys", "gauge",
                 "Possible locks with values that were not read, because they wait for it or have ended.");
    text += sample("latchkey_unread_keys", {}, static_cast<double>(coverage.unread()));
    text += head("latchkey_lag_seconds", "gauge", "How long the oldest change that is known waits to be read.");
    text += sample("latchkey_lag_seconds", {}, seconds(coverage.lag()));
    text += head("latchkey_denied", "gauge", "Questions that the server refuses.");
    for (const events::Coverage::Denial &denial : coverage.denied())
        text += sample("latchkey_denied", label("question", events::requestName(denial.request)), 1);
    return text;
}

QByteArray LockMetrics::lateness() const
{
    const QByteArray name = QByteArrayLiteral("latchkey_expiry_late_seconds");
    QByteArray text =
        head(name.constData(), "histogram", "How long after its deadline an expired lock was seen to be gone.");
    qint64 sum = 0;
    for (std::size_t i = 0; i < m_late.size(); ++i) {
        sum += m_late[i];
        const QString bound = i < lateBounds.size() ? QString::number(lateBounds[i]) : QStringLiteral("+Inf");
        text += sample(name + "_bucket", label("le", bound), static_cast<double>(sum));
    }
    text += sample(name + "_sum", {}, m_lateSum);
    text += sample(name + "_count", {}, static_cast<double>(sum));
    return text;
}

QByteArray LockMetrics::cost() const
{
    QByteArray text = head("latchkey_commands_sent_total", "counter", "Commands that watching has cost the server.");
    for (const WatchedServers::Node &node : m_servers.nodes())
        text +=
            sample("latchkey_commands_sent_total", nodeLabels(node), static_cast<double>(node.server.commandsSent()));
    QByteArray times;
    for (const WatchedServers::Node &node : m_servers.nodes()) {
        constexpr double second = 1e6;
        if (const auto spent = node.server.watcher().serverTimeSpent())
            times += sample("latchkey_server_seconds_total", nodeLabels(node), *spent / second);
    }
    if (!times.isEmpty())
        text += head("latchkey_server_seconds_total", "counter",
                     "Time of the server's core that watching has taken, estimated from INFO commandstats.")
              + times;
    return text;
}

} // namespace latchkey::cli

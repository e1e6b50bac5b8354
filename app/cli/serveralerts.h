#pragma once

#include "app/cli/watchedservers.h"
#include "core/inspect/alerts/alertwatch.h"

#include <map>

namespace latchkey::cli {

/// A source of the alerts of the watched servers: one server, or all primaries of a cluster.
///
/// Each server has an AlertWatch. In a cluster, the alert of a lock continues when its slot migrates or its primary
/// fails over; the alert ends with the lock, as reported by the LockEvents of the cluster. Owned by the WatchAlerts;
/// servers and clock are not owned.
class ServerAlerts final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerAlerts)

public:
    /// `globs`: only keys that match one of these patterns.
    ServerAlerts(WatchedServers &servers, const base::Clock &clock, std::vector<alerts::AlertRule> rules,
                 base::Globs globs);
    ~ServerAlerts() override;

    /// Returns whether more locks exist than are followed, so that an alert may be missing.
    [[nodiscard]] bool isIncomplete() const;

Q_SIGNALS:
    /// `node`: host and port of the primary for an alert about a server (Condition::Blind) of a cluster; empty
    /// otherwise.
    void raised(const latchkey::alerts::Alert &alert, const QString &node);
    void over(const latchkey::alerts::Alert &alert, const latchkey::alerts::AlertEnd &end, const QString &node);

private:
    struct Followed
    {
        inspection::InspectedServer *server = nullptr; // Not owned.
        QString node;                                  ///< Host and port; empty without a cluster.
        std::unique_ptr<alerts::AlertWatch> watch;
    };
    /// An alert about a lock of a cluster.
    struct Open
    {
        alerts::Alert alert;
        QString node; ///< Primary that has reported it last.
    };

    void connectTo(inspection::InspectedServer &server, const QString &node);
    void leave(const QString &node);
    void raise(const alerts::Alert &alert, const QString &node);
    void end(const alerts::Alert &alert, const alerts::AlertEnd &end, const QString &node);
    void lockChanged(const events::KeyEvent &keyEvent, const LockDescription &description);

    const base::Clock &m_clock; // Not owned.
    const std::vector<alerts::AlertRule> m_rules;
    const base::Globs m_globs;
    std::vector<Followed> m_followed;
    std::multimap<QByteArray, Open> m_open;       ///< The alerts about locks of a cluster, by key.
    std::map<QString, alerts::Alert> m_gapAlerts; ///< The alerts about primaries, by node and rule.
    bool m_wasIncomplete = false;                 ///< Whether this holds for a primary that was replaced.
};

} // namespace latchkey::cli

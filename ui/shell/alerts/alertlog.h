#pragma once

#include "core/inspect/alerts/alertwatch.h"

#include <QHash>
#include <QPointer>

#include <map>

namespace latchkey::ui::alerts {

/// An alert of a watched server, with its end. A value.
struct LoggedAlert
{
    enum class State : quint8 {
        Open,      ///< The condition still holds.
        Over,      ///< The condition has ended; see `end`.
        Unwatched, ///< The server or the rule is no longer watched, so the end is unknown.
    };

    qint64 id = 0; ///< ID in ascending order of raising.
    QPointer<inspection::InspectedServer> server;
    QString serverUrl; ///< Display URL of the server.
    latchkey::alerts::Alert alert;
    State state = State::Open;
    latchkey::alerts::AlertEnd end; ///< Valid if the state is Over.
};

/// The alerts of the watched servers since the window was opened.
///
/// Each server has its own rules. Beyond `maxAlerts` alerts the oldest are dropped; openCount() still counts them.
/// Owned by the window. The clock is not owned; the servers are not owned and may be destroyed at any time. It shows
/// nothing.
class AlertLog final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AlertLog)

public:
    static constexpr std::size_t maxAlerts = 1000;

    explicit AlertLog(const base::Clock &clock, QObject *parent = nullptr);
    ~AlertLog() override;

    /// Watches the server with these rules, which replace its earlier ones. Removes its open alerts; alerts that the
    /// new rules also find are raised again.
    void watch(inspection::InspectedServer &server, const std::vector<latchkey::alerts::AlertRule> &rules);
    [[nodiscard]] bool isWatched(inspection::InspectedServer &server) const;
    /// Removes the alerts that are not open.
    void clearEnded();

    /// Returns the alerts by their IDs. Valid until changed().
    [[nodiscard]] const std::map<qint64, LoggedAlert> &all() const { return m_all; }
    /// Returns the number of open alerts of all servers.
    [[nodiscard]] qsizetype openCount() const;
    /// Returns the display URLs of the watched servers with possibly missing alerts. Such a server does not reply now,
    /// or has more locks than can be followed.
    [[nodiscard]] QStringList incompleteServers() const;

Q_SIGNALS:
    void raised(const latchkey::ui::alerts::LoggedAlert &alert);
    /// Emitted after the alerts have changed, once for all changes in one iteration of the event loop.
    void changed();

private:
    /// The identity of an open alert: a server, a rule and a key.
    struct Subject
    {
        inspection::InspectedServer *server;
        QString rule;
        QByteArray key; ///< Empty for an alert about the observation.

        friend bool operator==(const Subject &, const Subject &) = default;
        friend size_t qHash(const Subject &subject, size_t seed)
        {
            return qHashMulti(seed, subject.server, subject.rule, subject.key);
        }
    };
    struct Watched
    {
        std::unique_ptr<latchkey::alerts::AlertWatch> watch;
        qsizetype open = 0;
    };

    void add(inspection::InspectedServer &server, const latchkey::alerts::Alert &alert);
    void end(inspection::InspectedServer &server, const latchkey::alerts::Alert &alert,
             const latchkey::alerts::AlertEnd &end);
    void forget(inspection::InspectedServer *server);
    void announce();

    const base::Clock &m_clock; // Not owned.
    std::map<inspection::InspectedServer *, Watched> m_watched;
    std::map<qint64, LoggedAlert> m_all;
    QHash<Subject, qint64> m_open; ///< IDs of the open alerts in m_all.
    qint64 m_lastId = 0;
    bool m_isAnnounced = false;
};

} // namespace latchkey::ui::alerts

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
        Open,      ///< The condition lasts.
        Over,      ///< The condition is over; see \a end.
        Unwatched, ///< The server or the rule is no longer watched, so the end is unknown.
    };

    qint64 id = 0; ///< Ascending with the time of raising.
    QPointer<inspection::InspectedServer> server;
    QString serverUrl; ///< Display URL of the server.
    latchkey::alerts::Alert alert;
    State state = State::Open;
    latchkey::alerts::AlertEnd end; ///< Valid if the state is Over.
};

/// The alerts of the watched servers since the window was opened.
///
/// Each server has its own rules. Beyond `most` alerts the oldest are dropped; openCount() still counts them. Owned by
/// the window. The clock is not owned; the servers are not owned and may be destroyed at any time. It shows nothing.
class AlertLog final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AlertLog)

public:
    static constexpr std::size_t most = 1000;

    explicit AlertLog(const base::Clock &clock, QObject *parent = nullptr);
    ~AlertLog() override;

    /// Watches the server with these rules, instead of its earlier ones. Its open alerts are removed; those that the
    /// new rules find too are raised again.
    void watch(inspection::InspectedServer &server, const std::vector<latchkey::alerts::AlertRule> &rules);
    [[nodiscard]] bool isWatched(inspection::InspectedServer &server) const;
    /// Removes the alerts that are not open.
    void clearEnded();

    /// Returns the alerts by their IDs. Valid until changed().
    [[nodiscard]] const std::map<qint64, LoggedAlert> &all() const { return m_all; }
    /// Returns the number of open alerts of all servers.
    [[nodiscard]] qsizetype openCount() const;
    /// Returns the display URLs of the watched servers that do not answer now, or have more locks than can be followed:
    /// alerts of them may be missing.
    [[nodiscard]] QStringList incompleteServers() const;

Q_SIGNALS:
    void raised(const latchkey::ui::alerts::LoggedAlert &alert);
    /// The alerts have changed. Emitted once for all changes of a round of the event loop.
    void changed();

private:
    /// A server, a rule and a key: at most one open alert.
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

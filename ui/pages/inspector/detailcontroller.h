#pragma once

#include "core/inspect/inspection/watchedkey.h"
#include "core/keyspace/watching/keytrace.h"
#include "ui/pages/detail/detailpanel.h"
#include "ui/pages/detail/valuepager.h"
#include "ui/views/keytable/keytableview.h"

#include <QPointer>

#include <memory>

namespace latchkey::ui::inspector {

/// The controller of the detail panel. It shows the selected key there, even while the key does not exist, because the
/// key may be created again.
///
/// While the panel is open, a WatchedKey follows the key, lock or not, so that the TTL curve has data. The controller
/// also receives the commands sent to the server about the key. While the panel is closed, it does nothing. Owned by
/// the page. Panel, table, clock and server are not owned.
class DetailController final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DetailController)

public:
    DetailController(detail::DetailPanel &panel, const keytable::KeyTableView &table, const base::Clock &clock,
                     QObject *parent);
    ~DetailController() override;

    void setServer(inspection::InspectedServer *server);
    /// Updates the panel after a change of the selection, or of the data about the selected key.
    void refresh();
    /// Adds a command that a trace has seen for the key, or for a companion of the key.
    void addTraced(const QByteArray &key, const watching::TracedCommand &command);
    /// Notes that a trace of the key has begun or ended.
    void traceChanged(const QByteArray &key, bool isRunning);

private:
    /// The trace of the followed key.
    struct Trace
    {
        base::MonotonicTime since;
        std::optional<base::MonotonicTime> until; ///< Absent while the trace runs.
        QSet<QByteArray> clients;                 ///< Addresses of the senders.
    };

    [[nodiscard]] detail::DetailMoment moment(const QByteArray &key) const;
    [[nodiscard]] std::optional<detail::TraceSummary> traceSummary() const;
    [[nodiscard]] std::optional<QByteArray> chosen() const;
    void follow(const std::optional<QByteArray> &key);
    void addSentCommand(inspection::KeyCommandLog::Purpose purpose, const resp::Command &command,
                        const base::Result<resp::Reply> &reply);
    void updateTime();

    detail::DetailPanel &m_panel;
    const keytable::KeyTableView &m_table;
    const base::Clock &m_clock;
    detail::ValuePager *m_pager;
    QPointer<inspection::InspectedServer> m_server;
    std::unique_ptr<inspection::WatchedKey> m_followed;
    std::optional<Trace> m_trace;
    /// The current moment on both clocks. Their difference stays the same until the wall clock is set, so that a moment
    /// of the past is displayed the same each time.
    base::MonotonicTime m_now;
    base::WallTime m_wallNow;
};

} // namespace latchkey::ui::inspector

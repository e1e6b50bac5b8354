#pragma once

#include "core/inspection/watchedkey.h"
#include "core/keyspace/keytrace.h"
#include "ui/detail/detailpanel.h"
#include "ui/detail/valuepager.h"
#include "ui/keytable/keytableview.h"

#include <QPointer>

#include <memory>

namespace latchkey::ui::inspector {

/// Keeps the detail panel about the key that is chosen, also while that is gone and may come back.
///
/// It has the key followed for as long as it is shown, lock or not, so that there is something to see of how its time
/// went, and listens to what is said to the server about it. While the panel is closed it does nothing.
/// Owned by the page; panel, table, clock and server are not owned.
class ChosenDetails final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ChosenDetails)

public:
    ChosenDetails(detail::DetailPanel &panel, const keytable::KeyTableView &table, const base::Clock &clock,
                  QObject *parent);
    ~ChosenDetails() override;

    void setServer(inspection::InspectedServer *server);
    /// What is chosen may be another key, or something else be known of it.
    void refresh();
    /// A trace has heard this of the key, or of one beside it.
    void addTraced(const QByteArray &key, const keyspace::TracedCommand &command);

private:
    [[nodiscard]] std::optional<QByteArray> chosen() const;
    void follow(const std::optional<QByteArray> &key);
    void addSaid(inspection::KeyWire::Way way, const resp::Command &command, const base::Result<resp::Reply> &reply);
    void tellTheTime();

    detail::DetailPanel &m_panel;
    const keytable::KeyTableView &m_table;
    const base::Clock &m_clock;
    detail::ValuePager *m_pager;
    QPointer<inspection::InspectedServer> m_server;
    std::unique_ptr<inspection::WatchedKey> m_followed;
    /// The same moment on both clocks, now; whole milliseconds apart from one call to the next, so that a moment of the
    /// past reads the same each time.
    base::MonotonicTime m_now;
    base::WallTime m_wallNow;
};

} // namespace latchkey::ui::inspector

#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "ui/pages/detail/valueview.h"

#include <QObject>
#include <QPointer>

namespace latchkey::ui::detail {

/// A reader of the pages that a ValueView requests. It uses a separate connection to the inspected server, which is
/// opened only for a request. Owned by the page. View and server are not owned.
class ValuePager final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ValuePager)

public:
    explicit ValuePager(ValueView &view);

    /// Sets the server. A pending reply of the previous server is not shown.
    void setServer(inspection::InspectedServer *server);

private:
    void read(const QByteArray &key, const watching::PageRequest &request);

    ValueView &m_view;
    QPointer<inspection::InspectedServer> m_server;
    quint64 m_wanted = 0; ///< Number of the last request; replies to earlier requests are ignored.
};

} // namespace latchkey::ui::detail

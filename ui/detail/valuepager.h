#pragma once

#include "core/inspection/inspectedserver.h"
#include "ui/detail/valueview.h"

#include <QObject>
#include <QPointer>

namespace latchkey::ui::detail {

/// Reads what a ValueView asks for, from the server that is inspected: over a connection of its own, and only then.
/// Owned by the page; view and server are not owned.
class ValuePager final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ValuePager)

public:
    explicit ValuePager(ValueView &view);

    /// An answer that is on its way from another one is not shown.
    void setServer(inspection::InspectedServer *server);

private:
    void read(const QByteArray &key, const keyspace::PageWish &wish);

    ValueView &m_view;
    QPointer<inspection::InspectedServer> m_server;
    quint64 m_wanted = 0; ///< Counts what was asked: only the last answer is of interest.
};

} // namespace latchkey::ui::detail

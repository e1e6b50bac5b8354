#include "ui/pages/detail/valuepager.h"

namespace latchkey::ui::detail {

using watching::PageRequest;
using watching::ValuePage;

ValuePager::ValuePager(ValueView &view)
    : QObject(&view)
    , m_view(view)
{
    connect(&m_view, &ValueView::pageRequested, this, &ValuePager::read);
    connect(&m_view, &ValueView::pageForgotten, this, [this] { ++m_wanted; });
}

void ValuePager::setServer(inspection::InspectedServer *server)
{
    ++m_wanted;
    m_server = server;
}

void ValuePager::read(const QByteArray &key, const PageRequest &request)
{
    if (!m_server)
        return;
    m_server->read<ValuePage>(
        [key, request, lifetimes = m_server->watcher().fieldLifetimes()] {
            return watching::readValuePage(base::Key(key), request, lifetimes);
        },
        [alive = QPointer<ValuePager>(this), wanted = ++m_wanted](const base::Result<ValuePage> &page) {
            if (alive && alive->m_wanted == wanted)
                alive->m_view.showPage(page);
        });
}

} // namespace latchkey::ui::detail

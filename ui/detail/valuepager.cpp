#include "ui/detail/valuepager.h"

namespace latchkey::ui::detail {

using keyspace::PageWish;
using keyspace::ValuePage;

ValuePager::ValuePager(ValueView &view)
    : QObject(&view)
    , m_view(view)
{
    connect(&m_view, &ValueView::pageWanted, this, &ValuePager::read);
    connect(&m_view, &ValueView::pageForgotten, this, [this] { ++m_wanted; });
}

void ValuePager::setServer(inspection::InspectedServer *server)
{
    ++m_wanted;
    m_server = server;
}

void ValuePager::read(const QByteArray &key, const PageWish &wish)
{
    if (!m_server)
        return;
    m_server->read<ValuePage>(
        [key, wish, lifetimes = m_server->watcher().fieldLifetimes()] {
            return keyspace::readValuePage(base::Key(key), wish, lifetimes);
        },
        [alive = QPointer<ValuePager>(this), wanted = ++m_wanted](const base::Result<ValuePage> &page) {
            if (alive && alive->m_wanted == wanted)
                alive->m_view.showPage(page);
        });
}

} // namespace latchkey::ui::detail

#include "ui/views/keytable/rowsuspension.h"

#include "core/keyspace/rows/rowlist.h"

#include <chrono>

namespace latchkey::ui::keytable {

namespace {

constexpr auto longestHold = std::chrono::seconds(10);

} // namespace

RowSuspension::RowSuspension(rows::RowList &rows)
    : m_rows(rows)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(longestHold);
    m_timer.callOnTimeout([this] { m_rows.setSuspended(false); });
}

void RowSuspension::begin()
{
    m_rows.setSuspended(true);
    m_timer.start();
}

void RowSuspension::end()
{
    if (!m_timer.isActive())
        return;
    m_timer.stop();
    m_rows.setSuspended(false);
}

} // namespace latchkey::ui::keytable

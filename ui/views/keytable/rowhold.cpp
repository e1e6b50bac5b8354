#include "ui/views/keytable/rowhold.h"

#include "core/keyspace/rows/rowlist.h"

#include <chrono>

namespace latchkey::ui::keytable {

namespace {

constexpr auto longestHold = std::chrono::seconds(10);

} // namespace

RowHold::RowHold(rows::RowList &rows)
    : m_rows(rows)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(longestHold);
    m_timer.callOnTimeout([this] { m_rows.setSuspended(false); });
}

void RowHold::begin()
{
    m_rows.setSuspended(true);
    m_timer.start();
}

void RowHold::end()
{
    if (!m_timer.isActive())
        return;
    m_timer.stop();
    m_rows.setSuspended(false);
}

} // namespace latchkey::ui::keytable

#include "ui/pages/inspector/namematches.h"

#include <QDeadlineTimer>

namespace latchkey::ui::inspector {

using namespace std::chrono_literals;

namespace {

constexpr auto slice = 4ms;
/// Number of names between two reads of the clock.
constexpr quint32 namesAtOnce = 256;

} // namespace

NameMatches::NameMatches(const keys::KeyStore &store, QObject *parent)
    : QObject(parent)
    , m_store(store)
{
    connect(&m_sliceTimer, &QTimer::timeout, this, &NameMatches::countSlice);
}

void NameMatches::count(const base::Glob &pattern)
{
    m_pattern = pattern;
    m_next = 0;
    m_matching = 0;
    m_examined = 0;
    m_listed.clear();
    m_sliceTimer.start(0ms);
    countSlice();
}

void NameMatches::countSlice()
{
    const QDeadlineTimer deadline(slice, Qt::PreciseTimer);
    const keys::KnownKeys &known = m_store.known();
    while (m_next < known.table.idLimit()) {
        const quint32 end = std::min(known.table.idLimit(), m_next + namesAtOnce);
        for (; m_next < end; ++m_next) {
            const keys::KeyId id {m_next};
            if (!known.isLive(id))
                continue;
            ++m_examined;
            const QByteArrayView name = known.table.key(id);
            if (!m_pattern.matches(name))
                continue;
            ++m_matching;
            if (static_cast<std::size_t>(m_listed.size()) < maxListed)
                m_listed += name.toByteArray();
        }
        if (deadline.hasExpired())
            break;
    }
    if (m_next >= known.table.idLimit())
        m_sliceTimer.stop();
    Q_EMIT counted();
}

} // namespace latchkey::ui::inspector

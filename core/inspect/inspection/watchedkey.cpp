#include "core/inspect/inspection/watchedkey.h"

#include "core/inspect/inspection/firstseen.h"

namespace latchkey::inspection {

using events::KeyEvent;
using watching::Watcher;

WatchedKey::WatchedKey(InspectedServer &server, base::Key key, history::History::HolderOf holderOf)
    : m_server(server)
    , m_key(std::move(key))
    , m_history(std::move(holderOf))
{
    if (const auto id = m_server.store().known().table.find(m_key.bytes()))
        followFound(m_server, m_key.bytes(), *id);
    else
        m_server.keyEventTracker().follow(m_key.bytes());
    connect(&m_server.keyEventTracker(), &events::KeyEventTracker::happened, this, [this](const KeyEvent &keyEvent) {
        if (keyEvent.key == m_key.bytes())
            m_history.take(keyEvent);
    });
    connect(&m_server, &InspectedServer::committed, this, &WatchedKey::readKey);
    connect(&m_server.watcher(), &Watcher::gapChanged, this, [this] {
        const events::Coverage coverage = m_server.watcher().coverage();
        const events::Coverage::Gap *gap = coverage.gap();
        m_history.setObserving(gap == nullptr, gap == nullptr ? m_server.clock().now() : gap->from);
    });
    connect(&m_server.watcher(), &Watcher::phaseChanged, this, [this] {
        // Read at once, instead of in its turn among all keys.
        m_server.watcher().keysChanged({m_key.bytes()});
    });
}

WatchedKey::~WatchedKey()
{
    m_server.keyEventTracker().unfollow(m_key.bytes());
}

void WatchedKey::readKey()
{
    const keys::KnownKeys &known = m_server.store().known();
    const auto id = known.table.find(m_key.bytes());
    if (!id)
        return m_server.setVisibleKeys(*this, {}); // The ID may later belong to another key.
    m_server.setVisibleKeys(*this, {*id});
    const keys::RawValue *value = known.value(*id);
    if (m_since || value == nullptr)
        return;
    m_since = m_server.clock().now();
    m_history.seen({m_key.bytes(), 0}, known.table.deadline(*id), *value, known.table.sampled(*id));
    Q_EMIT began();
}

} // namespace latchkey::inspection

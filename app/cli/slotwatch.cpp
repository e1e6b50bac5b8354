#include "app/cli/slotwatch.h"

#include "core/redis/resp/clusternodes.h"

#include <algorithm>

namespace latchkey::cli {

SlotWatch::SlotWatch(QObject *parent)
    : QObject(parent)
{}

SlotWatch::~SlotWatch() = default;

void SlotWatch::readSlots(const std::vector<NodeScan *> &nodes, std::function<void()> done)
{
    m_before = std::exchange(m_now, {});
    m_missing = static_cast<qsizetype>(nodes.size());
    m_done = std::move(done);
    if (nodes.empty()) {
        QMetaObject::invokeMethod(this, [this] { m_done(); }, Qt::QueuedConnection);
        return;
    }
    for (NodeScan *node : nodes) {
        const QString name = node->session().endpoint().display();
        node->session().connection()->send({{"CLUSTER", "NODES"}}, node->timeout(), this,
                                           [this, name](const base::Result<net::Connection::Delivery> &delivery) {
                                               take(name, delivery ? resp::ownSlots(delivery->replies.front())
                                                                   : QByteArray());
                                           });
    }
}

void SlotWatch::take(const QString &node, const QByteArray &ownSlots)
{
    m_now[node] = ownSlots;
    if (--m_missing == 0)
        m_done();
}

bool SlotWatch::haveMoved() const
{
    // A migrating slot is written in brackets.
    return m_before != m_now
        || std::ranges::any_of(m_now, [](const QByteArray &own) { return own.isEmpty() || own.contains('['); });
}

} // namespace latchkey::cli

#pragma once

#include "app/cli/nodescan.h"

#include <QMap>

#include <vector>

namespace latchkey::cli {

/// A comparison of the slots of all nodes of a cluster before a scan and after it.
///
/// Each node reports the slots that it serves, those on their way from or to it, and the epoch of its configuration. A
/// slot that has moved between two looks has another node, and its new node another epoch. Owned by the ClusterScan. It
/// reads no keys.
class SlotWatch final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SlotWatch)

public:
    explicit SlotWatch(QObject *parent = nullptr);
    ~SlotWatch() override;

    /// Asks these nodes, which are connected. Calls `done` when all have replied or have been lost.
    void look(const std::vector<NodeScan *> &nodes, std::function<void()> done);
    /// Returns whether a slot moved between the last two looks, was on its way at the last one, or may have moved
    /// because a node did not tell.
    [[nodiscard]] bool haveMoved() const;

private:
    void take(const QString &node, const QByteArray &ownSlots);

    QMap<QString, QByteArray> m_before;
    QMap<QString, QByteArray> m_now;
    qsizetype m_missing = 0;
    std::function<void()> m_done;
};

} // namespace latchkey::cli

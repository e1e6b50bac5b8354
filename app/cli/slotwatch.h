#pragma once

#include "app/cli/nodescan.h"

#include <QMap>

#include <vector>

namespace latchkey::cli {

/// A comparison of the slots of all cluster nodes before and after a scan.
///
/// Each node reports its slots, the slots that migrate from or to it, and its configuration epoch. A slot that migrated
/// between two reports belongs to another node, which has a new epoch. Owned by the ClusterScan. It reads no keys.
class SlotWatch final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SlotWatch)

public:
    explicit SlotWatch(QObject *parent = nullptr);
    ~SlotWatch() override;

    /// Requests the slots of these nodes, which are connected. Calls `done` when each has replied or its connection was
    /// lost.
    void readSlots(const std::vector<NodeScan *> &nodes, std::function<void()> done);
    /// Returns whether slots may have migrated. Their owner changed between the last two reports, the last report has a
    /// migrating slot, or a node did not reply.
    [[nodiscard]] bool haveMoved() const;

private:
    void take(const QString &node, const QByteArray &ownSlots);

    QMap<QString, QByteArray> m_before;
    QMap<QString, QByteArray> m_now;
    qsizetype m_missing = 0;
    std::function<void()> m_done;
};

} // namespace latchkey::cli

#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace latchkey::stage {

/// What a lock is there to protect: it takes a write, unless that comes with a smaller fencing number than it has seen.
///
/// A write without a number is taken, as most resources take everything. That is the lesson: a lock alone cannot stop
/// a client that slept past its lease. Owned by the player.
class Resource final
{
public:
    /// Whether it was taken.
    bool write(const QString &client, std::optional<qint64> fencing);

    /// Whose writes it has taken, and refused, in order.
    [[nodiscard]] const QStringList &written() const { return m_written; }
    [[nodiscard]] const QStringList &refused() const { return m_refused; }
    /// The largest number that it has seen; absent before the first.
    [[nodiscard]] std::optional<qint64> largest() const { return m_largest; }

private:
    QStringList m_written;
    QStringList m_refused;
    std::optional<qint64> m_largest;
};

} // namespace latchkey::stage

#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace latchkey::scenarios {

/// A resource that a lock protects. It refuses a write with a smaller fencing token than the largest one seen.
///
/// The resource accepts a write without a token, as most resources do. It demonstrates that a lock alone cannot stop a
/// client that continues after its lease. Owned by the player.
class Resource final
{
public:
    /// Returns whether the write was accepted.
    bool write(const QString &client, std::optional<qint64> fencing);

    /// Returns the clients of the accepted and of the refused writes, in order.
    [[nodiscard]] const QStringList &written() const { return m_written; }
    [[nodiscard]] const QStringList &refused() const { return m_refused; }
    /// Returns the largest fencing token seen; absent before the first.
    [[nodiscard]] std::optional<qint64> largest() const { return m_largest; }

private:
    QStringList m_written;
    QStringList m_refused;
    std::optional<qint64> m_largest;
};

} // namespace latchkey::scenarios

#pragma once

#include "core/keyspace/events/observation.h"
#include "core/keyspace/keys/keystore.h"

#include <QHash>
#include <QSet>

namespace latchkey::detection {

/// The companion keys of locks, which are read because they may contain further data of a lock. The owner of a
/// companion is this lock. It is examined again when the companion changes.
///
/// An existing companion is found among the known keys. Only a reply of the server shows that a companion is absent, so
/// this class listens to the dispatcher. Owned by a LockFinder; the known keys are not owned.
class CompanionKeys final : public events::ObservationListener
{
public:
    explicit CompanionKeys(const keys::KnownKeys &known)
        : m_known(known)
    {}

    /// Registers `name` as a companion of `owner` until unregister(). Returns whether the key must be read. If its
    /// value is known, the next takeAffectedOwners() returns the owner.
    [[nodiscard]] bool add(const QByteArray &name, const QByteArray &owner);
    /// Removes an owner that was deleted or is not a lock.
    void unregister(const QByteArray &owner);
    void clear();

    /// Returns the companions of this owner.
    [[nodiscard]] QByteArrayList companionsOf(const QByteArray &owner) const { return m_companions.value(owner); }
    [[nodiscard]] bool isAbsent(const QByteArray &name) const { return m_absent.contains(name); }
    /// Returns whether any owner has companions.
    [[nodiscard]] bool hasOwners() const { return !m_owners.isEmpty(); }

    /// Records that this key has changed, appeared or disappeared. The next takeAffectedOwners() returns its owners.
    void changed(QByteArrayView name, bool exists);
    /// Returns the owners with changed companions since the last call.
    [[nodiscard]] QSet<QByteArray> takeAffectedOwners() { return std::exchange(m_affected, {}); }

    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;

private:
    const keys::KnownKeys &m_known;                 // Not owned.
    QHash<QByteArray, QSet<QByteArray>> m_owners;   ///< Owners by companion.
    QHash<QByteArray, QByteArrayList> m_companions; ///< Companions by owner.
    QSet<QByteArray> m_absent;                      ///< Companions that do not exist.
    QSet<QByteArray> m_affected;
};

} // namespace latchkey::detection

#pragma once

#include "core/keys/keystore.h"
#include "core/keyspace/observation.h"

#include <QHash>
#include <QSet>

namespace latchkey::inspection {

/// The keys that were read because they stand beside another, which they may tell more about; and whom to tell when one
/// of them changes.
///
/// A key that is known is looked up among what is known; that one is not there is only known from an answer, which it
/// hears as a listener of the fan-out. Owned by a LockFinder; what is known is not owned.
class Companions final : public keyspace::ObservationListener
{
public:
    explicit Companions(const keys::KnownKeys &known)
        : m_known(known)
    {}

    /// owner wants to know of this key, from now on until let go of. True if it has to be read first.
    [[nodiscard]] bool want(const QByteArray &name, const QByteArray &owner);
    /// The owner has gone, or is no lock.
    void letGo(const QByteArray &owner);
    void clear();

    /// The keys that this one wants to know of.
    [[nodiscard]] QByteArrayList wantedBy(const QByteArray &owner) const { return m_wanted.value(owner); }
    [[nodiscard]] bool isAbsent(const QByteArray &name) const { return m_absent.contains(name); }
    /// Whether somebody wants to know of any key.
    [[nodiscard]] bool areAny() const { return !m_owners.isEmpty(); }

    /// This key has changed, has come or has gone: its owners are worth another look, see takeConcerned().
    void changed(QByteArrayView name, bool isThere);
    /// Whom something has changed for since it was last asked.
    [[nodiscard]] QSet<QByteArray> takeConcerned() { return std::exchange(m_concerned, {}); }

    void observed(const keyspace::Observations &observations) override;
    void emptied(keyspace::NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;

private:
    const keys::KnownKeys &m_known;               // Not owned.
    QHash<QByteArray, QSet<QByteArray>> m_owners; ///< By companion.
    QHash<QByteArray, QByteArrayList> m_wanted;   ///< Likewise by owner.
    QSet<QByteArray> m_absent;                    ///< Of the companions, those that are not there.
    QSet<QByteArray> m_concerned;
};

} // namespace latchkey::inspection

#pragma once

#include "core/foundation/base/glob.h"
#include "core/keyspace/keys/keystore.h"

#include <QObject>
#include <QTimer>

#include <vector>

namespace latchkey::ui::inspector {

/// A search for the known keys that match a pattern. It counts the matches and lists the first ones.
///
/// The search handles the names in short time slices, so that the window stays responsive with a million keys. Owned by
/// the dialog that uses it. The store is not owned.
class NameMatches final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NameMatches)

public:
    static constexpr std::size_t maxListed = 50;

    NameMatches(const keys::KeyStore &store, QObject *parent);

    /// Starts a new count.
    void count(const base::Glob &pattern);

    /// Returns the number of matches so far. The next functions return the number of examined keys and the first
    /// matches.
    [[nodiscard]] qint64 matching() const { return m_matching; }
    [[nodiscard]] qint64 examined() const { return m_examined; }
    [[nodiscard]] const QList<QByteArray> &listed() const { return m_listed; }
    [[nodiscard]] bool isComplete() const { return !m_sliceTimer.isActive(); }

Q_SIGNALS:
    /// Emitted when more names have been counted.
    void counted();

private:
    void countSlice();

    const keys::KeyStore &m_store; // Not owned.
    base::Glob m_pattern;
    QTimer m_sliceTimer;
    quint32 m_next = 0;
    qint64 m_matching = 0;
    qint64 m_examined = 0;
    QList<QByteArray> m_listed;
};

} // namespace latchkey::ui::inspector

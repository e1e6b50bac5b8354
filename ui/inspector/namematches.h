#pragma once

#include "core/keys/glob.h"
#include "core/keys/keystore.h"

#include <QObject>
#include <QTimer>

#include <vector>

namespace latchkey::ui::inspector {

/// Which of the known keys match a pattern: how many, and the first of them.
///
/// A million names are looked at a slice at a time, so that typing a pattern never holds the window up.
/// Owned by the dialog that asks; the store is not owned.
class NameMatches final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NameMatches)

public:
    static constexpr std::size_t mostListed = 50;

    NameMatches(const keys::KeyStore &store, QObject *parent);

    /// Counts anew.
    void count(const keys::Glob &pattern);

    /// As far as has been looked.
    [[nodiscard]] qint64 matching() const { return m_matching; }
    [[nodiscard]] qint64 looked() const { return m_looked; }
    [[nodiscard]] const QList<QByteArray> &listed() const { return m_listed; }
    [[nodiscard]] bool isComplete() const { return !m_slices.isActive(); }

Q_SIGNALS:
    /// There is more to tell.
    void counted();

private:
    void countOn();

    const keys::KeyStore &m_store; // Not owned.
    keys::Glob m_pattern;
    QTimer m_slices;
    quint32 m_next = 0;
    qint64 m_matching = 0;
    qint64 m_looked = 0;
    QList<QByteArray> m_listed;
};

} // namespace latchkey::ui::inspector

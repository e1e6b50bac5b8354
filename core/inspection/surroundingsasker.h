#pragma once

#include "core/keyspace/watcher.h"
#include "core/recognition/sighting.h"

#include <QHash>
#include <QObject>
#include <QSet>

namespace latchkey::inspection {

/// Asks a server what is worth knowing of it for recognition: which of the known scripts it has loaded, and how many
/// subscribers a channel has. Each is asked once, however many keys are waiting for it.
///
/// Where an answer is denied, there are no scripts and no subscribers as far as can be known.
/// Owned by a LockFinder; the watcher, over whose connection it asks, is not owned.
class SurroundingsAsker final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SurroundingsAsker)

public:
    explicit SurroundingsAsker(keyspace::Watcher &watcher, QObject *parent = nullptr);

    [[nodiscard]] const recognition::Surroundings &known() const { return m_known; }

    /// The key waits for which of these scripts the server knows.
    void askScripts(const QByteArrayList &scripts, const QByteArray &key);
    /// The key waits for how many subscribers the channel has.
    void askSubscribers(const QByteArray &channel, const QByteArray &key);
    /// Other scripts are worth asking for: they are asked for when a key wants to know.
    void forgetScripts();
    /// It may be another server.
    void forgetAll();
    /// This key waits for no scripts any more.
    void letGo(const QByteArray &key) { m_wantScripts.remove(key); }
    /// No key waits for anything any more; what is known of the server remains.
    void letGoOfAll();

Q_SIGNALS:
    /// What these keys have waited for is known.
    void answered(const QSet<QByteArray> &keys);

private:
    keyspace::Watcher &m_watcher; // Not owned.
    recognition::Surroundings m_known;
    bool m_areScriptsAsked = false;
    quint64 m_run = 0; ///< An answer to what was asked before all was forgotten is not wanted.
    QSet<QByteArray> m_wantScripts;
    QHash<QByteArray, QSet<QByteArray>> m_wantSubscribers; ///< By channel.
};

} // namespace latchkey::inspection

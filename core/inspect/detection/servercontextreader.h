#pragma once

#include "core/inspect/recognition/keysample.h"
#include "core/keyspace/watching/watcher.h"

#include <QHash>
#include <QObject>
#include <QSet>

#include <memory>

namespace latchkey::detection {

/// A reader of the server context that recognition needs: which known scripts are loaded, and the number of subscribers
/// of a channel. Each part is requested once, even if many keys wait for it.
///
/// After a denial, no scripts and no subscribers are assumed. Owned by a LockFinder; the watcher, which sends the
/// requests, is not owned.
class ServerContextReader final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerContextReader)

public:
    explicit ServerContextReader(watching::Watcher &watcher, QObject *parent = nullptr);

    [[nodiscard]] const recognition::ServerContext &known() const { return m_known; }

    /// Requests which of these scripts the server has loaded. `key` waits for the answer.
    void requestScripts(const QByteArrayList &scripts, const QByteArray &key);
    /// Requests the number of subscribers of the channel. `key` waits for the answer.
    void requestSubscribers(const QByteArray &channel, const QByteArray &key);
    /// Drops the known scripts, because other scripts matter now. They are requested again when a key needs them.
    void forgetScripts();
    /// Drops all known data, because the server may be another one.
    void forgetAll();
    /// Removes the key from the keys that wait for scripts.
    void cancel(const QByteArray &key) { m_wantScripts.remove(key); }
    /// Removes all waiting keys. The known data remain.
    void cancelAll();

Q_SIGNALS:
    /// Emitted when the data for which these keys waited are known.
    void answered(const QSet<QByteArray> &keys);

private:
    watching::Watcher &m_watcher; // Not owned.
    recognition::ServerContext m_known;
    bool m_areScriptsRequested = false;
    /// Context of the request for scripts. forgetScripts() replaces it, so that the reply is dropped.
    std::unique_ptr<QObject> m_scripts = std::make_unique<QObject>();
    QSet<QByteArray> m_wantScripts;
    QHash<QByteArray, QSet<QByteArray>> m_wantSubscribers; ///< Waiting keys by channel.
};

} // namespace latchkey::detection

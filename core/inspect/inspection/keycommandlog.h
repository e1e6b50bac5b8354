#pragma once

#include "core/redis/net/connection.h"

#include <QObject>
#include <QSet>

#include <optional>

namespace latchkey::inspection {

/// A log of the commands about one key that this program sends to a server, with their replies. It shows a user every
/// command that concerns the key.
///
/// It listens to connections (see trafficObserver()) and costs almost nothing while no key is set. In a transaction,
/// the commands that name the key are reported, and those that begin and end the transaction. Commands sent before the
/// key was set are not reported. Owned by the InspectedServer; it sends nothing.
class KeyCommandLog final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyCommandLog)

public:
    /// The purpose of a connection.
    enum class Purpose : quint8 {
        Watching, ///< Regular requests of the watcher.
        Reading,  ///< Reads of a whole key or of a page of a value.
        Changing, ///< Commands that change something.
    };

    using QObject::QObject;

    /// Sets the key to report, possibly none. Pending replies about the previous key are not reported.
    void setKey(const std::optional<QByteArray> &key);
    /// Returns an observer for a connection with this purpose.
    [[nodiscard]] net::Connection::TrafficObserver trafficObserver(Purpose purpose);

Q_SIGNALS:
    /// Emitted for each reply, in order. `reply`: the reply, or the error if there is none.
    void replyReceived(latchkey::inspection::KeyCommandLog::Purpose purpose, const latchkey::resp::Command &command,
                       const latchkey::base::Result<latchkey::resp::Reply> &reply);

private:
    [[nodiscard]] net::Connection::ReplyObserver listen(Purpose purpose, const resp::Commands &commands);

    std::optional<QByteArray> m_key;
    quint64 m_run = 0;        ///< Number of the current setKey() call; replies of an older one are dropped.
    QSet<Purpose> m_watching; ///< Connections with the key under WATCH: the end of the transaction is reported too.
};

} // namespace latchkey::inspection

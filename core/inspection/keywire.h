#pragma once

#include "core/resp/connection.h"

#include <QObject>
#include <QSet>

#include <optional>

namespace latchkey::inspection {

/// What this program says to a server about one key, and what comes back, as it is said: nothing is hidden that a user
/// could ask about.
///
/// It listens at connections (see tap()), and costs next to nothing as long as no key is set. A transaction is told
/// whole: from the key's WATCH, or from a pipeline that names it, to its end. What was said before the key was set is
/// not known. Owned by the InspectedServer; it sends nothing.
class KeyWire final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyWire)

public:
    /// What a connection is for.
    enum class Way : quint8 {
        Watching, ///< What is asked all the time.
        Reading,  ///< A key as a whole, or a page of a value.
        Acting,   ///< What changes something.
    };

    using QObject::QObject;

    /// Only what names this key is told; absent: nothing. Of answers that are due, those to what named another one are
    /// not told any more.
    void setKey(const std::optional<QByteArray> &key);
    /// For a connection that is for this.
    [[nodiscard]] resp::Connection::Tap tap(Way way);

Q_SIGNALS:
    /// In the order in which it was answered. reply: what came back, or why nothing did.
    void said(latchkey::inspection::KeyWire::Way way, const latchkey::resp::Command &command,
              const latchkey::base::Result<latchkey::resp::Reply> &reply);

private:
    [[nodiscard]] resp::Connection::Overhear listen(Way way, const resp::Commands &commands);

    std::optional<QByteArray> m_key;
    quint64 m_run = 0;    ///< Of the key that there is.
    QSet<Way> m_watching; ///< Where the key is under WATCH: what comes next belongs to it.
};

} // namespace latchkey::inspection

#pragma once

#include "core/inspect/history/history.h"
#include "core/inspect/inspection/inspectedserver.h"

namespace latchkey::inspection {

/// A follower of one key of a server that records the history of its holds. The key may have any name.
///
/// The key is polled continuously, and read at once after an event. A value that exists at the beginning is a hold with
/// an unknown start. Owned by its user; the server is not owned and outlives it.
class WatchedKey final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WatchedKey)

public:
    /// Starts to follow the key. `holderOf`: see History; empty if holders do not matter.
    WatchedKey(InspectedServer &server, base::Key key, history::History::HolderOf holderOf = {});
    ~WatchedKey() override;

    [[nodiscard]] const QByteArray &key() const { return m_key.bytes(); }
    [[nodiscard]] const history::History &history() const { return m_history; }
    [[nodiscard]] const std::deque<history::Hold> &holds() const { return m_history.holds({m_key.bytes(), 0}); }
    [[nodiscard]] const std::vector<history::History::Gap> &gaps() const { return m_history.gaps(); }
    /// Returns the time at which a value of the key was known for the first time. Absent before that.
    [[nodiscard]] std::optional<base::MonotonicTime> since() const { return m_since; }

Q_SIGNALS:
    /// Emitted when a value of the key is known for the first time. Not emitted while the key does not exist.
    void began();

private:
    void readKey();

    InspectedServer &m_server; // Not owned.
    const base::Key m_key;
    history::History m_history;
    std::optional<base::MonotonicTime> m_since;
};

} // namespace latchkey::inspection

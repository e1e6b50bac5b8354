#pragma once

#include "core/history/history.h"
#include "core/inspection/inspectedserver.h"

namespace latchkey::inspection {

/// Follows one key of a server, whatever it is called, and keeps the history of its holds.
///
/// It is looked at all the time, and at once when something has happened to it. What is there when it begins is a hold
/// whose start was not seen.
/// Owned by the code that wants to know; the server is not owned, and outlives it.
class WatchedKey final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WatchedKey)

public:
    /// holderOf: as History takes it; empty where nobody asks who holds it.
    WatchedKey(InspectedServer &server, base::Key key, history::History::HolderOf holderOf = {});
    ~WatchedKey() override;

    [[nodiscard]] const QByteArray &key() const { return m_key.bytes(); }
    [[nodiscard]] const history::History &history() const { return m_history; }
    [[nodiscard]] const std::deque<history::Hold> &holds() const { return m_history.holds({m_key.bytes(), 0}); }
    [[nodiscard]] const std::vector<history::History::Gap> &gaps() const { return m_history.gaps(); }
    /// When it was looked at first; absent: not yet.
    [[nodiscard]] std::optional<base::MonotonicTime> since() const { return m_since; }

Q_SIGNALS:
    /// It has been looked at.
    void began();

private:
    void look();

    InspectedServer &m_server; // Not owned.
    const base::Key m_key;
    history::History m_history;
    std::optional<base::MonotonicTime> m_since;
};

} // namespace latchkey::inspection

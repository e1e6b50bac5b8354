#pragma once

#include "core/rows/rowlist.h"

#include <QObject>

#include <deque>
#include <optional>
#include <vector>

namespace latchkey::rows {

/// A key that was a row and has gone.
struct GoneKey
{
    QByteArray key;
    keys::KeyState state = keys::KeyState::Removed; ///< How; never Live.
    base::MonotonicTime since;
    bool isInferred = false; ///< Worked out from what a scan did not meet; the server has not said it.
    bool isFlushed = false;  ///< With all others at once.
};

/// Remembers which keys went last of those that were rows, for people who look for the release of a lock.
///
/// It listens to the rows alone: a row that is taken away while its key is not live has gone; one that a filter takes
/// away has not. Where many go, the last `most` are remembered.
/// Owned by the page that shows them. The rows are not owned, and outlive it.
class GoneKeys final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GoneKeys)

public:
    static constexpr std::size_t most = 50;

    explicit GoneKeys(const RowList &rows, QObject *parent = nullptr);

    /// All keys have gone at once: what went before its time between these two went so.
    void flushed(base::MonotonicTime heard, base::MonotonicTime seen);

    /// Those that went at this time or later and have not come back; the last one first.
    [[nodiscard]] std::vector<GoneKey> since(base::MonotonicTime time) const;

private:
    void look(int first, int last);
    [[nodiscard]] bool wentWithFlush(const GoneKey &gone) const;

    const RowList &m_rows;      // Not owned.
    std::deque<GoneKey> m_gone; ///< The last one first, each key once.
    /// The last time that all went.
    struct Flush
    {
        base::MonotonicTime heard;
        base::MonotonicTime seen;
    };
    std::optional<Flush> m_flush;
};

} // namespace latchkey::rows

#pragma once

#include "core/inspect/inspection/node.h"
#include "core/inspect/recording/entry.h"

#include <QHash>

#include <utility>

namespace latchkey::recording {

/// The watcher of a recording. It replays the recorded state of watching and the recorded replies, and ignores all
/// other requests. Owned by a ReplayNode.
class ReplayWatcher final : public watching::Watcher
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ReplayWatcher)

public:
    /// Creates a watcher. The clock is that of the recording and is not owned.
    explicit ReplayWatcher(const base::Clock &clock, QObject *parent = nullptr)
        : Watcher(parent)
        , m_clock(clock)
    {}

    [[nodiscard]] Phase phase() const override { return m_watched.phase; }
    [[nodiscard]] quint64 keysScanned() const override { return m_watched.keysScanned; }
    [[nodiscard]] qint64 databaseSize() const override { return m_watched.databaseSize; }
    [[nodiscard]] bool isIncomplete() const override { return m_watched.isIncomplete; }
    /// Returns the recorded coverage. In a recording without coverage the only known gaps are those without a
    /// connection.
    [[nodiscard]] events::Coverage coverage() const override;
    [[nodiscard]] base::MonotonicTime gapChangedAt() const override { return m_gapChangedAt; }
    [[nodiscard]] bool hasChangeEvents() const override { return m_watched.hasChangeEvents; }
    [[nodiscard]] std::optional<std::chrono::milliseconds> newKeyDelay() const override
    {
        return m_watched.newKeyDelay;
    }
    [[nodiscard]] std::optional<std::chrono::milliseconds> unseenFor() const override { return m_watched.unseenFor; }
    [[nodiscard]] std::optional<base::MonotonicTime> lastScanBegan() const override { return m_watched.lastScanBegan; }
    [[nodiscard]] base::MonotonicTime lastAnswered() const override { return m_lastAnswered; }
    [[nodiscard]] const std::optional<base::Error> &problem() const override { return m_problem; }
    [[nodiscard]] bool hasFastFirstScan() const override { return m_watched.hasFastFirstScan; }
    void send(resp::Commands commands, const QObject *context, net::RequestScope::Answered answered) override;

    void set(const WatchState &watched);
    /// Sets the recorded coverage.
    void cover(const Covered &covered);
    /// Adds a recorded reply, and answers the requests that wait for it.
    void receive(const ReplyEntry &answered);
    void noteAnswered(base::MonotonicTime at) { m_lastAnswered = at; }
    /// Answers new requests with known replies at once, so that the result of a replay does not depend on the event
    /// loop.
    void replyToRequests()
    {
        if (std::exchange(m_isRequested, false))
            answerRecorded();
    }

private:
    void answerRecorded();
    void setObserving(bool isObserving);
    void emitGapChanged();
    [[nodiscard]] events::Coverage derivedCoverage() const;

    const base::Clock &m_clock; // Not owned.
    WatchState m_watched;
    std::optional<base::Error> m_problem;
    base::MonotonicTime m_lastAnswered;
    std::optional<events::Coverage::Parts> m_covered; ///< Absent in a recording without coverage.
    std::vector<events::Coverage::Gap> m_gaps;        ///< Gaps of a recording without coverage.
    base::MonotonicTime m_gapChangedAt;
    std::vector<Request> m_requests;   ///< Unanswered requests.
    bool m_isRequested = false;        ///< Whether there is a new request.
    std::vector<ReplyEntry> m_answers; ///< The last answer to each request.
};

/// The recorded source of change events. Owned by a ReplayNode.
class ReplayEvents final : public watching::EventSource
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ReplayEvents)

public:
    explicit ReplayEvents(QObject *parent = nullptr)
        : EventSource(parent)
    {}

    [[nodiscard]] Mechanism mechanism() const override { return m_mechanism; }
    [[nodiscard]] const std::optional<base::Error> &denial() const override { return m_denial; }
    [[nodiscard]] std::optional<std::chrono::nanoseconds> delay() const override { return m_delay; }
    /// Does nothing: a recording cannot be asked.
    void confirm() override {}

    void set(const WatchState &watched);

private:
    Mechanism m_mechanism = Mechanism::None;
    std::optional<base::Error> m_denial;
    std::optional<std::chrono::nanoseconds> m_delay;
};

/// A node that replays the recorded observations of another node. Through it, the server of a recording is inspected
/// like a live one. Its session is never started, and no server receives requests. Owned by the InspectedServer; driven
/// by a Replay. Clock and random source are not owned.
class ReplayNode final : public inspection::Node
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ReplayNode)

public:
    ReplayNode(const net::Endpoint &endpoint, const base::Clock &clock, base::RandomSource &random,
               QObject *parent = nullptr);
    ~ReplayNode() override;

    void start() override {}
    [[nodiscard]] bool isRecording() const override { return true; }
    [[nodiscard]] net::Session &session() override { return m_session; }
    [[nodiscard]] ReplayWatcher &watcher() override { return m_watcher; }
    [[nodiscard]] ReplayEvents &events() override { return m_events; }
    [[nodiscard]] const ReplayEvents &events() const override { return m_events; }
    [[nodiscard]] const inspection::ClusterMembership &cluster() const override { return m_cluster; }
    [[nodiscard]] bool isNoTouchActive() const override { return m_watched.isNoTouchActive; }
    [[nodiscard]] quint64 commandsSent() const override { return 0; }

    void set(const WatchState &watched);
    [[nodiscard]] const WatchState &watched() const { return m_watched; }

private:
    net::Session m_session;
    inspection::ClusterMembership m_cluster;
    ReplayWatcher m_watcher;
    ReplayEvents m_events;
    WatchState m_watched;
};

} // namespace latchkey::recording

#pragma once

#include "core/inspect/recording/replay.h"

#include <functional>
#include <memory>
#include <vector>

namespace latchkey::recording {

/// A clock that shows the time of the shown replay. Its users need no notification when another replay is shown. Owned
/// by a ReplayCache.
class SwitchableClock final : public base::Clock
{
public:
    [[nodiscard]] base::MonotonicTime now() const override { return m_shown->now(); }
    [[nodiscard]] base::WallTime wallNow() const override { return m_shown->wallNow(); }
    /// Sets the clock to show, which is not owned. It must live until the next call, or outlive this object.
    void show(const base::Clock &clock) { m_shown = &clock; }

private:
    ReplayClock m_start;
    const base::Clock *m_shown = &m_start;
};

/// A set of replays of one recording, each at another moment, so that some replay is shortly before every moment.
///
/// A replay moves only forward, because its state is the sum of all earlier observations. So several replays are
/// advanced to evenly spaced moments in idle time, and kept. To show a moment, the last replay before it is continued.
/// The result is the same as that of a replay from the start. Each replay has its own clock. Owned by the code that
/// shows the recording; the random source is not owned.
class ReplayCache final
{
    Q_DISABLE_COPY_MOVE(ReplayCache)

public:
    /// Maximum number of kept replays, besides the shown one. The memory of a replay grows with the known keys at its
    /// moment, so with many keys fewer replays are kept, but at least one.
    static constexpr std::size_t maxReplays = 11;
    /// Maximum number of known keys of all kept replays together, approximately.
    static constexpr qsizetype maxKeptKeys = 300'000;

    /// A function that prepares a replay before its first entry, for example with the user's own dialects.
    using SetUp = std::function<void(Replay &replay)>;
    /// Opens a recording with the shown replay at the start. Errors: see Reader::open().
    [[nodiscard]] static base::Result<std::unique_ptr<ReplayCache>> open(const QString &path,
                                                                         base::RandomSource &random, SetUp setUp = {});
    ~ReplayCache();

    /// Returns the shown replay.
    [[nodiscard]] Replay &shown() { return *m_shown.replay; }
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

    /// Returns whether moving to this moment would show another replay.
    [[nodiscard]] bool isAnother(std::chrono::nanoseconds moment) const;
    /// Shows the replay that is closest before this moment; Replay::advance() then reaches the moment. The previous
    /// replay is kept. `release` is called before another replay is shown, so that users of the previous server can
    /// release it. Error: the file can no longer be read; nothing has changed.
    [[nodiscard]] base::Result<void> moveTo(
        std::chrono::nanoseconds moment, const std::function<void()> &release = [] {});

    /// Creates further kept replays and advances them to their moments, until the deadline. Returns true if there is
    /// more to do.
    bool prepare(QDeadlineTimer deadline);
    /// Calls the SetUp function again for all replays, because its effect has changed.
    void setUpAnew();
    /// Returns the number of kept replays.
    [[nodiscard]] std::size_t keptCount() const { return m_kept.size(); }

private:
    struct OpenReplay
    {
        std::unique_ptr<ReplayClock> clock;
        std::unique_ptr<Replay> replay;
    };

    [[nodiscard]] static std::chrono::nanoseconds positionOf(const OpenReplay &open);
    ReplayCache(QString path, base::RandomSource &random, SetUp setUp);
    [[nodiscard]] base::Result<OpenReplay> fromTheStart();
    [[nodiscard]] std::vector<OpenReplay>::iterator nearestBefore(std::chrono::nanoseconds moment);
    void keep(OpenReplay replay);
    /// Returns the kept replay with the smallest distance to the one before it. The one before the first is the start.
    [[nodiscard]] std::vector<OpenReplay>::iterator closestToPredecessor();
    [[nodiscard]] std::size_t room() const;
    /// Returns the first of the evenly spaced moments without a replay in the interval before it; absent if there is
    /// none.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> missing() const;

    const QString m_path;
    base::RandomSource &m_random; // Not owned.
    const SetUp m_setUp;
    SwitchableClock m_clock;
    OpenReplay m_shown;
    std::vector<OpenReplay> m_kept; ///< In ascending order of position.
    qsizetype m_maxKeys = 1; ///< Largest number of keys of all replays that were kept. It only grows, so the capacity
                             ///< only shrinks.
    OpenReplay m_driven;     ///< The replay that is being advanced.
    std::chrono::nanoseconds m_drivenTo {};
    std::optional<std::chrono::nanoseconds> m_length; ///< Set once a replay has reached the end.
};

} // namespace latchkey::recording

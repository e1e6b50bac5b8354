#pragma once

#include "core/recording/replay.h"

#include <functional>
#include <memory>
#include <vector>

namespace latchkey::recording {

/// The time of the replay that is shown, whichever that is: for those who look at it, and need not be told that it is
/// another one now. Owned by a ReplayShelf.
class ShownClock final : public base::Clock
{
public:
    [[nodiscard]] base::MonotonicTime now() const override { return m_shown->now(); }
    [[nodiscard]] base::WallTime wallNow() const override { return m_shown->wallNow(); }
    /// Not owned: it outlives this, or another is shown before it goes.
    void show(const base::Clock &clock) { m_shown = &clock; }

private:
    ReplayClock m_start;
    const base::Clock *m_shown = &m_start;
};

/// Replays of one recording, each standing at another moment of it, so that any moment is near one of them.
///
/// A replay goes forward only, and what it knows at a moment is all that it has heard before. So several are driven up
/// to moments that are evenly spread, while there is time for it, and kept there: going to a moment is going on from
/// the last one before it. What is shown then is what a replay from the start comes to, for that is what it is.
/// Each has a clock of its own. Owned by the code that shows the recording; the random source is not owned.
class ReplayShelf final
{
    Q_DISABLE_COPY_MOVE(ReplayShelf)

public:
    /// So many are kept, beside the one that is shown. Each is as large as all that was known by then: where that are
    /// many keys, fewer are kept, but one at least.
    static constexpr std::size_t mostKept = 11;
    static constexpr qsizetype mostKeysKept = 300'000;

    /// What each replay needs before it hears anything, such as dialects of the user's own.
    using SetUp = std::function<void(Replay &replay)>;
    /// Errors as Reader::open() has them. The replay that is shown stands at the start.
    [[nodiscard]] static base::Result<std::unique_ptr<ReplayShelf>> open(const QString &path,
                                                                         base::RandomSource &random, SetUp setUp = {});
    ~ReplayShelf();

    /// The one that is shown.
    [[nodiscard]] Replay &shown() { return *m_shown.replay; }
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

    /// Whether going to that moment takes another replay than the one that is shown.
    [[nodiscard]] bool isAnother(std::chrono::nanoseconds moment) const;
    /// The one that is shown is the nearest before that moment from now on; see Replay::goOn() for the rest of the way.
    /// What was shown is kept where it stands. letGo is called before another one is shown, for all that looks at the
    /// server of the one that is. Error: the file cannot be read any more; then nothing has changed.
    [[nodiscard]] base::Result<void> moveTo(
        std::chrono::nanoseconds moment, const std::function<void()> &letGo = [] {});

    /// Drives replays to where one is missing, until the deadline; true as long as there is more to do.
    bool prepare(QDeadlineTimer deadline);
    /// What each needs has changed: has it done again for all of them.
    void setUpAnew();
    /// How many are kept.
    [[nodiscard]] std::size_t keptCount() const { return m_kept.size(); }

private:
    struct Kept
    {
        std::unique_ptr<ReplayClock> clock;
        std::unique_ptr<Replay> replay;
    };

    [[nodiscard]] static std::chrono::nanoseconds positionOf(const Kept &kept);
    ReplayShelf(QString path, base::RandomSource &random, SetUp setUp);
    [[nodiscard]] base::Result<Kept> fromTheStart();
    [[nodiscard]] std::vector<Kept>::iterator nearestBefore(std::chrono::nanoseconds moment);
    void keep(Kept replay);
    /// Of those that are kept; before the first stands the start.
    [[nodiscard]] std::vector<Kept>::iterator closestToTheOneBefore();
    [[nodiscard]] std::size_t room() const;
    /// The first of the evenly spread moments that none stands before as near as that; absent: there is none.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> missing() const;

    const QString m_path;
    base::RandomSource &m_random; // Not owned.
    const SetUp m_setUp;
    ShownClock m_clock;
    Kept m_shown;
    std::vector<Kept> m_kept; ///< By where they stand.
    qsizetype m_mostKeys = 1; ///< Of all that were ever kept: what there is room for does not grow again.
    Kept m_driven;            ///< On its way to where one is missing.
    std::chrono::nanoseconds m_drivenTo {};
    std::optional<std::chrono::nanoseconds> m_length; ///< Once one has come to the end.
};

} // namespace latchkey::recording

#pragma once

#include "core/base/unixsignals.h"
#include "core/races/finder.h"

#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <QTimer>

#include <optional>

namespace latchkey::cli {

/// What became of a promise, as explore --json has it.
[[nodiscard]] QJsonObject toJson(const races::PromiseResult &result);

/// How somebody is told how far it is while it goes on.
enum class Progress : quint8 { None, ForPeople, AsJson };

/// Runs the finder in slices, shows how far it is, and stops it when the user does; then it quits the event loop.
/// Owned by the command; the finder is not owned.
class Exploration final : public QObject
{
public:
    /// longest: after which it is stopped; absent: never.
    Exploration(races::Finder &finder, const base::UnixSignals &interrupts, Progress progress,
                std::optional<std::chrono::milliseconds> longest = {});

    [[nodiscard]] double seconds() const { return m_seconds; }
    [[nodiscard]] bool isCancelled() const { return m_isCancelled; }
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }

private:
    void cancel();
    void goOn();
    void tellProgress();
    [[nodiscard]] QString progressLine() const;
    /// Each promise as soon as it is answered, with the whole of its story.
    void tellAnswers();
    [[nodiscard]] double secondsSoFar() const;
    void finish();

    races::Finder &m_finder; // Not owned.
    const Progress m_progress;
    std::size_t m_told = 0; ///< Of the answers.
    QTimer m_slice;
    QElapsedTimer m_time;
    double m_seconds = 0;
    bool m_isCancelled = false;
    std::optional<base::Error> m_error;
};

} // namespace latchkey::cli

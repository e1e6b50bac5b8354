#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"
#include "core/explore/races/finder.h"
#include "core/foundation/base/unixsignals.h"

#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <QTimer>

#include <optional>

namespace latchkey::cli {

/// Returns the result for a promise, as in explore --json.
[[nodiscard]] QJsonObject toJson(const races::PromiseResult &result);

/// Prints an error and returns its exit code. With --json and --progress, also prints a line `{"error": SENTENCE}` for
/// the program that reads the lines.
[[nodiscard]] ExitCode printErrorReport(const base::Error &error, const Arguments &arguments);

/// The format of the progress report.
enum class ProgressFormat : quint8 { None, Text, Json };

/// A run of the finder in short slices. It shows the progress, stops on request of the user, and then quits the event
/// loop. Owned by the command. The finder is not owned.
class Exploration final : public QObject
{
public:
    Exploration(races::Finder &finder, const base::UnixSignals &interrupts, ProgressFormat progress);

    [[nodiscard]] double seconds() const { return m_seconds; }
    /// Returns whether the user has stopped the search.
    [[nodiscard]] bool isCancelled() const { return m_isCancelled; }
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }

private:
    void cancel();
    void resume();
    void printProgress();
    [[nodiscard]] QString progressLine() const;
    /// Prints the result of each promise with its counterexample as soon as the result is known, for Json only.
    void printAnswers();
    [[nodiscard]] double secondsSoFar() const;
    void finish();

    races::Finder &m_finder; // Not owned.
    const ProgressFormat m_progress;
    QStringList m_printedPromises; ///< Promises with a printed result.
    QTimer m_sliceTimer;
    QElapsedTimer m_time;
    double m_seconds = 0;
    bool m_isCancelled = false;
    std::optional<base::Error> m_error;
};

} // namespace latchkey::cli

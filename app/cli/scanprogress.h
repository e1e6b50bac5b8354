#pragma once

#include "core/foundation/base/clock.h"

#include <QTimer>

#include <functional>

namespace latchkey::cli {

/// A progress line of a scan, with the remaining time, on standard error.
///
/// The line appears after two seconds and is rewritten each second. Nothing is printed if standard error is no
/// terminal.
class ScanProgress final
{
public:
    struct Counts
    {
        qint64 scanned = 0;
        qint64 all = 0; ///< 0: unknown.
    };

    /// `counts`: returns the current counts.
    explicit ScanProgress(std::function<Counts()> counts);
    ~ScanProgress();
    Q_DISABLE_COPY_MOVE(ScanProgress)

    /// Starts the line, or continues it after erase().
    void show();
    /// Erases the line, so that other output can follow.
    void erase();

    /// Returns the text of the line; empty until a key is known. `passed`: time since the start of the scan.
    [[nodiscard]] static QString text(const Counts &counts, std::chrono::duration<double> passed);

private:
    void print();

    const std::function<Counts()> m_counts;
    const base::MonotonicTime m_began;
    QTimer m_secondTimer;
    bool m_isShown = false;
};

} // namespace latchkey::cli

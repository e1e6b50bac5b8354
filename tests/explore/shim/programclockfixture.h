#pragma once

#include "core/explore/shim/page.h"
#include "core/explore/shim/programclock.h"
#include "core/foundation/process/child.h"
#include "tests/support/await.h"

#include <QDir>
#include <QTest>

namespace latchkey::test {

/// A child program that prints lines.
class LinePrinterProcess final
{
public:
    process::Child child;

    void start(process::Launch launch)
    {
        launch.output = process::Launch::Channel::Piped;
        if (const auto started = child.start(launch); !started)
            qFatal("cannot start %s", launch.words.front().constData());
    }

    /// Returns the next line; empty if there is none.
    [[nodiscard]] QByteArray line()
    {
        if (!test::waitFor([this] { return m_said.contains('\n') || hasMore() || child.hasOutputEnded(); }))
            return {};
        const qsizetype end = m_said.indexOf('\n');
        const QByteArray first = m_said.left(end);
        m_said.remove(0, end + 1);
        return first;
    }
    /// Whether all output has been taken.
    [[nodiscard]] bool isSilent()
    {
        child.readNow();
        return !hasMore() && m_said.isEmpty();
    }

private:
    bool hasMore()
    {
        m_said += child.takeOutput();
        return m_said.contains('\n');
    }

    QByteArray m_said;
};

/// Debian's Python if installed: another python3 in PATH may be a slow script.
[[nodiscard]] inline QByteArray pythonProgram()
{
    return QFile::exists(QStringLiteral("/usr/bin/python3")) ? "/usr/bin/python3" : "python3";
}

/// A clock with a date that no machine shows.
class ProgramClockFixture final
{
public:
    using Clock = shim::ProgramClock;

    ProgramClockFixture()
    {
        auto made = Clock::create(QStringLiteral(CLOCK_LIBRARY), base::MonotonicTime(std::chrono::hours(5)), date);
        if (!made)
            qFatal("%s", qPrintable(made.error().message()));
        clock = std::move(*made);
        client = clock->addView({});
    }

    /// Launches a program with this clock, as the default client or another one.
    [[nodiscard]] process::Launch launch(QList<QByteArray> words, std::optional<Clock::ViewNumber> view = {}) const
    {
        process::Launch launch;
        launch.words = std::move(words);
        clock->show(view.value_or(client), launch);
        return launch;
    }
    /// Launches a Python program in the same way.
    [[nodiscard]] process::Launch python(const QByteArray &program) const
    {
        return launch({pythonProgram(), "-u", "-c", program});
    }

    /// Waits until the programs have this number of timed waits.
    [[nodiscard]] bool hasTimers(std::size_t count) const
    {
        return test::waitFor([&] { return clock->timers().size() == count; });
    }
    void advanceClock(std::chrono::nanoseconds time) const { clock->moveTo(clock->now() + time); }

    static constexpr base::WallTime date {std::chrono::seconds(1'000'000'000)};
    std::unique_ptr<Clock> clock;
    Clock::ViewNumber client = 0;
};

/// Whether every thread of the process sleeps in the kernel, so that it waits for an event.
[[nodiscard]] inline bool isAsleep(pid_t process)
{
    const QString folder = QStringLiteral("/proc/%1/task").arg(process);
    const QStringList threads = QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    return !threads.isEmpty() && std::ranges::all_of(threads, [&](const QString &thread) {
        QFile stat(folder + u'/' + thread + QStringLiteral("/stat"));
        if (!stat.open(QIODevice::ReadOnly))
            return false;
        const QByteArray line = stat.readAll();
        return line.sliced(line.lastIndexOf(')') + 1).startsWith(" S ");
    });
}

} // namespace latchkey::test

#pragma once

#include "core/children/child.h"
#include "core/shim/page.h"
#include "core/shim/programclock.h"
#include "tests/support/await.h"

#include <QDir>
#include <QTest>

namespace latchkey::test {

/// A program that says something, line by line.
class Speaker final
{
public:
    children::Child child;

    void start(children::Launch launch)
    {
        launch.output = children::Launch::Channel::Piped;
        if (const auto started = child.start(launch); !started)
            qFatal("cannot start %s", launch.words.front().constData());
    }

    /// Its next line; empty where none comes.
    [[nodiscard]] QByteArray line()
    {
        if (!test::waitFor([this] { return m_said.contains('\n') || hasMore() || child.hasOutputEnded(); }))
            return {};
        const qsizetype end = m_said.indexOf('\n');
        const QByteArray first = m_said.left(end);
        m_said.remove(0, end + 1);
        return first;
    }
    /// That it has said nothing that has not been taken.
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

/// Debian's own where there is one: another that comes first in the path may be a script that takes its time.
[[nodiscard]] inline QByteArray pythonProgram()
{
    return QFile::exists(QStringLiteral("/usr/bin/python3")) ? "/usr/bin/python3" : "python3";
}

/// A clock that stands at a moment which nobody's machine shows.
class ClockBed final
{
public:
    using Clock = shim::ProgramClock;

    ClockBed()
    {
        auto made = Clock::create(QStringLiteral(CLOCK_LIBRARY), base::MonotonicTime(std::chrono::hours(5)), date);
        if (!made)
            qFatal("%s", qPrintable(made.error().message()));
        clock = std::move(*made);
        client = clock->addView({});
    }

    /// The program with this clock, as that client or another.
    [[nodiscard]] children::Launch launch(QList<QByteArray> words, std::optional<Clock::ViewNumber> view = {}) const
    {
        children::Launch launch;
        launch.words = std::move(words);
        clock->show(view.value_or(client), launch);
        return launch;
    }
    /// The same for a program of Python's.
    [[nodiscard]] children::Launch python(const QByteArray &program) const
    {
        return launch({pythonProgram(), "-u", "-c", program});
    }

    /// Waits until so many of its threads wait, until that moment at the earliest.
    [[nodiscard]] bool hasTimers(std::size_t count) const
    {
        return test::waitFor([&] { return clock->timers().size() == count; });
    }
    void pass(std::chrono::nanoseconds time) const { clock->moveTo(clock->now() + time); }

    static constexpr base::WallTime date {std::chrono::seconds(1'000'000'000)};
    std::unique_ptr<Clock> clock;
    Clock::ViewNumber client = 0;
};

/// Every thread of the process sleeps in the kernel: it does nothing until something happens to it.
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

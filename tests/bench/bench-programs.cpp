// The race finder on an external program.
//   bench-programs STATES   three clients of SETNX and EXPIRE with three crashes, three advances of the clock and a
//                           lost reply, up to STATES states; prints the states per second, and the share of the time
//                           for starting processes, which takes much longer than the search

#include "core/explore/programs/exploredprogram.h"
#include "core/explore/races/finder.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>

#include <cstdio>
#include <cstdlib>

using namespace latchkey;

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    const bool hasDebians = QFile::exists(QStringLiteral("/usr/bin/python3"));
    programs::Program program;
    program.words = {hasDebians ? "/usr/bin/python3" : "python3", "-B",
                     LATCHKEY_SOURCE_DIR "/tests/explore/programs/workers/setnxexpire.py"};
    program.clockLibrary = QStringLiteral(CLOCK_LIBRARY);
    program.limits = {3, 3, 1, 3, {}}; // Enough states for a measurement.
    program.data = {"lock"};           // So that the search runs to its end.
    races::Finder::Options options;
    options.promises = QStringList {QStringLiteral("no-immortal-key")};
    options.bounds.states = argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : 300'000;
    options.samples = 0;
    auto finder = races::Finder::create(programs::subjectFor(program, 3), options);
    if (!finder)
        qFatal("%s", qPrintable(finder.error().message()));
    QElapsedTimer time;
    time.start();
    const auto done = (*finder)->step(QDeadlineTimer(QDeadlineTimer::Forever));
    if (!done)
        qFatal("%s", qPrintable(done.error().message()));
    const double passed = static_cast<double>(time.nsecsElapsed()) / 1e9;
    const auto &explored = static_cast<const programs::ExploredProgram &>(*(*finder)->subject().program);
    const double starts = std::chrono::duration<double>(explored.timeOfStarts()).count();
    const std::size_t states = (*finder)->results().front().states;
    std::fprintf(stderr, "    %zu states in %.2f s, %lld processes started in %.2f s\n", states, passed,
                 static_cast<long long>(explored.starts()), starts);
    std::printf("%.0f %.3f\n", static_cast<double>(states) / passed, starts / passed);
    return 0;
}

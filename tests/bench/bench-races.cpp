// The race finder on the recipes.
//   bench-races [MOST]   every recipe with three clients, each search limited to MOST states; prints a line for each
//                        recipe, and at the end the steps per second of all recipes together

#include "core/explore/races/finder.h"

#include <QCoreApplication>
#include <QElapsedTimer>

#include <cstdio>
#include <cstdlib>

using namespace latchkey;

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    races::Finder::Options options;
    options.bounds.states = argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : 2'000'000;
    QStringList recipes;
    for (const locks::Recipe &recipe : locks::recipes())
        recipes += recipe.id;
    for (const caches::Recipe &recipe : caches::recipes())
        recipes += recipe.id;

    double steps = 0;
    double seconds = 0;
    for (const QString &recipe : recipes) {
        auto subject = races::subjectFor(recipe, 3);
        if (!subject)
            qFatal("%s", qPrintable(subject.error().message()));
        auto finder = races::Finder::create(std::move(*subject), options);
        if (!finder)
            qFatal("%s", qPrintable(finder.error().message()));
        QElapsedTimer time;
        time.start();
        const auto done = (*finder)->step(QDeadlineTimer(QDeadlineTimer::Forever));
        if (!done)
            qFatal("%s", qPrintable(done.error().message()));
        const double passed = static_cast<double>(time.nsecsElapsed()) / 1e9;
        std::printf("    %-24s %9zu steps in %7.3f s%s\n", qPrintable(recipe), (*finder)->steps(), passed,
                    (*finder)->isComplete() ? "" : ", bounded");
        steps += static_cast<double>((*finder)->steps());
        seconds += passed;
    }
    std::printf("%.0f\n", steps / seconds);
    return 0;
}

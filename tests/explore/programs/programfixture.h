#pragma once

#include "core/explore/programs/exploredprogram.h"
#include "core/explore/races/finder.h"
#include "tests/support/foreignlibraries.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>

// Helpers for the tests of programs: exploration of one of the workers in this folder.

namespace latchkey::test {

[[nodiscard]] inline QString python()
{
    const QString debians = QStringLiteral("/usr/bin/python3"); // The first python3 in PATH may start slowly.
    return QFile::exists(debians) ? debians : QStringLiteral("python3");
}

[[nodiscard]] inline QString workerPath(const QString &name)
{
    return QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/explore/programs/workers/%1.py").arg(name);
}

/// Whether the worker imports a package outside the standard library.
[[nodiscard]] inline bool usesPackages(const QString &name)
{
    QFile file(workerPath(name));
    return file.open(QIODevice::ReadOnly) && file.readAll().contains("\nimport redis\n");
}

/// The program of a worker, without any faults.
[[nodiscard]] inline programs::Program worker(const char *name, const QByteArray &resource = {},
                                              const QList<QByteArray> &arguments = {})
{
    programs::Program program;
    // -B prevents files next to the sources.
    program.words = {python().toLocal8Bit(), "-B", workerPath(QString::fromLatin1(name)).toLocal8Bit()};
    if (!usesPackages(QString::fromLatin1(name)))
        program.words.insert(1, "-S"); // Without package lookup, the start takes a quarter less time.
    program.words += arguments;
    program.resource = resource;
    program.limits = {0, 0, 0, 3, {}};
#ifdef CLOCK_LIBRARY
    program.clockLibrary = QStringLiteral(CLOCK_LIBRARY);
#endif
    return program;
}

/// The reason why processes cannot have private networks here, determined by another program; empty: they can.
[[nodiscard]] inline QString whyNoNetworkOfItsOwn()
{
    if (QStandardPaths::findExecutable(QStringLiteral("unshare")).isEmpty())
        return QStringLiteral("there is no unshare (util-linux) to tell whether processes may have their own networks");
    QProcess unshare;
    unshare.start(QStringLiteral("unshare"),
                  {QStringLiteral("--map-root-user"), QStringLiteral("--net"), QStringLiteral("true")});
    if (unshare.waitForFinished() && unshare.exitStatus() == QProcess::NormalExit && unshare.exitCode() == 0)
        return {};
    return QStringLiteral("no process may have its own network here: ")
         + QString::fromLocal8Bit(unshare.readAllStandardError().trimmed());
}

/// Result of an exploration. error: the first error.
struct Explored
{
    std::vector<races::PromiseResult> results;
    std::optional<base::Error> error;
    qint64 starts = 0;
    std::vector<races::FailedEnd> failedEnds;
    std::optional<int> livelockRepetitions;
    bool isClockControlled = false;
    bool hasOtherClocks = false;
    bool hasWaited = false;
    std::optional<schedules::RecordedSchedule> deadlock;
    std::vector<races::LockKey> lockKeys {};
    QString soloLivelockCommand {};
    bool hasEndedClient = false;
    std::optional<schedules::RecordedSchedule> livelock {};
    bool hasBusyWait = false;
    std::optional<int> lateRetries {};
    bool hasForked = false;

    [[nodiscard]] QString errorText() const { return error ? error->message() : QString(); }
};

[[nodiscard]] inline Explored explore(const programs::Program &program, const QStringList &promises, int clients = 2)
{
    races::Finder::Options options;
    options.promises = promises;
    options.samples = 2;
    auto finder = races::Finder::create(programs::subjectFor(program, clients), options);
    if (!finder)
        return {{}, finder.error(), 0, {}, {}, false, false, false, {}};
    for (;;) {
        const auto done = (*finder)->step(QDeadlineTimer(1000));
        if (!done)
            return {{}, done.error(), 0, {}, {}, false, false, false, {}};
        if (!*done)
            continue;
        const races::ExternalProgram &external = *(*finder)->subject().program;
        return {(*finder)->results(),
                {},
                external.starts(),
                external.failedEnds(),
                external.livelockRepetitions(),
                external.isClockControlled(),
                external.hasOtherClocks(),
                external.hasWaited(),
                (*finder)->deadlock(),
                external.lockKeys(),
                external.soloLivelockCommand(),
                external.hasEndedClient(),
                (*finder)->livelock(),
                external.hasBusyWait(),
                external.lateRetries(),
                static_cast<const programs::ExploredProgram &>(external).hasForked()};
    }
}

/// Extracts the promises from `mutual-exclusion=holds lost-update=broken`.
[[nodiscard]] inline QStringList promisesIn(const QString &verdicts)
{
    QStringList promises;
    for (const QString &verdict : verdicts.split(u' '))
        promises += verdict.section(u'=', 0, 0);
    return promises;
}

/// The verdicts on these promises in the same form; `holds,partial` if not all schedules were explored.
[[nodiscard]] inline QString verdictsOf(const Explored &explored, const QStringList &promises)
{
    QStringList verdicts;
    for (const QString &promise : promises) {
        for (const races::PromiseResult &result : explored.results) {
            if (result.promise == promise)
                verdicts += promise + u'=' + schedules::verdictId(result.verdict)
                          + QLatin1String(result.complete ? "" : ",partial");
        }
    }
    return verdicts.join(u' ');
}

} // namespace latchkey::test

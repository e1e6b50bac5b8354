#include "tests/support/await.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tst_scripts {

using namespace latchkey;
using test::Outcome;

namespace {

/// A simulated package manager: it knows some packages, and records the packages to install.
constexpr auto dpkgQuery = R"(#!/bin/bash
[[ " $INSTALLED " == *" ${!#} "* ]] && printf 'ii '
)";
constexpr auto aptCache = R"(#!/bin/bash
[[ " $KNOWN " == *" ${!#} "* ]]
)";
constexpr auto aptGet = R"(#!/bin/bash
echo "${*: -1}: $*" >>"$LOG"
[[ $* != *" install "* || -z ${FAILS:-} ]]
)";
constexpr auto sudo = R"(#!/bin/bash
exec "$@"
)";

} // namespace

/// Tests of app/run and tests/run, as far as possible without installing or building.
class TestScripts final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;
    QProcessEnvironment environment;

    [[nodiscard]] QString path(const char *name) const { return folder->filePath(QString::fromLatin1(name)); }

    void write(const QString &file, const char *text) const
    {
        QFile made(file);
        QVERIFY(made.open(QIODevice::WriteOnly));
        made.write(text);
        QVERIFY(made.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    /// Starts a bash script that has sourced app/machine.sh.
    void start(QProcess &process, const char *script) const
    {
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral("bash"),
                      {QStringLiteral("-c"),
                       QStringLiteral("set -uo pipefail; source '" LATCHKEY_SOURCE_DIR "/app/machine.sh'; ")
                           + QString::fromUtf8(script),
                       QStringLiteral("run")});
    }
    Outcome run(const QByteArray &script) const
    {
        QProcess process;
        start(process, script.constData());
        return test::outcomeOf(process);
    }
    void set(const char *name, const QString &value) { environment.insert(QString::fromLatin1(name), value); }
    [[nodiscard]] QByteArray installed() const
    {
        QFile log(path("log"));
        return log.open(QIODevice::ReadOnly) ? log.readAll() : QByteArray();
    }

private Q_SLOTS:
    void init()
    {
        folder = std::make_unique<QTemporaryDir>();
        environment = QProcessEnvironment::systemEnvironment();
        for (const auto &[name, text] : {std::pair("dpkg-query", dpkgQuery), std::pair("apt-cache", aptCache),
                                         std::pair("apt-get", aptGet), std::pair("sudo", sudo)})
            write(path(name), text);
        set("PATH", folder->path() + u':' + environment.value(QStringLiteral("PATH")));
        set("LOG", path("log"));
        set("PLUGINS", path("plugins"));
        set("INSTALLED", QStringLiteral("g++ cmake"));
        set("KNOWN", QStringLiteral("g++ cmake"));
    }

    /// A copy of only the scripts, in which a build would fail.
    void help_onlyHelpsFromAnyFolder_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<QByteArray>("line");
        QTest::addRow("app/run") << QByteArray("../app/run --help") << QByteArray("  app/run --demo ");
        QTest::addRow("app/run, behind another word")
            << QByteArray("../app/run --demo -h") << QByteArray("  app/run [URL] ");
        QTest::addRow("tests/run") << QByteArray("../tests/run --help") << QByteArray("  tests/run --hammer SECONDS ");
    }
    void help_onlyHelpsFromAnyFolder()
    {
        QFETCH(QByteArray, command);
        QFETCH(QByteArray, line);
        const QDir here(folder->path());
        for (const char *name : {"app", "tests", "elsewhere"})
            QVERIFY(here.mkdir(QString::fromLatin1(name)));
        for (const char *file : {"/app/run", "/app/machine.sh", "/tests/run"})
            QVERIFY(QFile::copy(QStringLiteral(LATCHKEY_SOURCE_DIR) + QLatin1String(file),
                                folder->path() + QLatin1String(file)));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(path("elsewhere"));
        process.start(QStringLiteral("bash"), {QStringLiteral("-c"), QString::fromUtf8("bash " + command)});
        const Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.errors, QByteArray());
        QVERIFY2(outcome.output.contains('\n' + line), outcome.output.constData());
        QCOMPARE(installed(), QByteArray());
        QVERIFY(!here.exists(QStringLiteral("build")));
    }

    void packages_areBuiltWithoutArguments()
    {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral("bash"), {QStringLiteral(LATCHKEY_SOURCE_DIR "/app/run"),
                                               QStringLiteral("--package"), QStringLiteral("redis://x")});
        const Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(outcome.errors, QByteArray("run: --package takes no arguments\n"));
        QCOMPARE(installed(), QByteArray());
    }

    /// A checker that is not installed has checked nothing, and the script reports it.
    void checkOfPackages_isNamedWhereItIsMissing_data()
    {
        QTest::addColumn<QByteArray>("check");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("errors");
        QTest::addRow("missing") << QByteArray("check_with nosuchchecker nosuchchecker x.deb") << 0
                                 << QByteArray(
                                        "run: nosuchchecker is not installed, so it has not checked the packages\n");
        QTest::addRow("fault") << QByteArray("check_with bash bash -c 'echo E: fault; exit 2'") << 1
                               << QByteArray("E: fault\n");
        QTest::addRow("no fault") << QByteArray("check_with bash bash -c 'echo N: a note'") << 0 << QByteArray();
    }
    void checkOfPackages_isNamedWhereItIsMissing()
    {
        QFETCH(QByteArray, check);
        const Outcome outcome = run("source '" LATCHKEY_SOURCE_DIR "/app/package.sh'; " + check);
        QTEST(outcome.exitCode, "exitCode");
        QTEST(outcome.errors, "errors");
    }

    void tagOfAnotherVersion_buildsNoPackages()
    {
        write(path("git"), "#!/bin/bash\n[[ $1 == tag ]] && printf '%s\\n' nightly $TAG\n");
        QVERIFY(QDir(path("resources")).mkpath(QStringLiteral("debian")));
        write(path("resources/debian/changelog"), "latchkey (1.2.3-1) unstable; urgency=medium\n");
        for (const auto &[tag, exitCode, errors] :
             {std::tuple("v1.2.3", 0, ""), std::tuple("", 0, ""),
              std::tuple("v1.2.4", 1,
                         "run: this commit has the tag v1.2.4, but resources/debian/changelog says version 1.2.3\n")}) {
            set("TAG", QString::fromLatin1(tag));
            const Outcome outcome = run("source '" LATCHKEY_SOURCE_DIR "/app/package.sh'; cd \"${LOG%/*}\"; check_tag");
            QCOMPARE(outcome.exitCode, exitCode);
            QCOMPARE(outcome.errors, QByteArray(errors));
        }
    }

    void svgPlugin_isInstalledWhereTheSystemHasAPackageOfIt_data()
    {
        QTest::addColumn<QString>("installedBefore");
        QTest::addColumn<QString>("known");
        QTest::addColumn<bool>("hasPlugin");
        QTest::addColumn<QByteArray>("packages"); ///< Empty if nothing is installed.
        const QString both = QStringLiteral("g++ cmake");
        const QString known = QStringLiteral("g++ cmake qt6-svg-plugins");
        QTest::addRow("Debian 12") << both << both << true << QByteArray();
        QTest::addRow("Debian 13, without it") << both << known << false << QByteArray(" qt6-svg-plugins\n");
        QTest::addRow("Debian 13, with it") << both << known << true << QByteArray();
        QTest::addRow("a bare Debian 12") << QStringLiteral("g++") << both << false << QByteArray(" cmake\n");
        QTest::addRow("a bare Debian 13")
            << QStringLiteral("g++") << known << false << QByteArray(" cmake qt6-svg-plugins\n");
        QTest::addRow("neither package nor plugin") << both << both << false << QByteArray();
    }
    void svgPlugin_isInstalledWhereTheSystemHasAPackageOfIt()
    {
        QFETCH(QString, installedBefore);
        QFETCH(QString, known);
        QFETCH(bool, hasPlugin);
        QFETCH(QByteArray, packages);
        set("INSTALLED", installedBefore);
        set("KNOWN", known);
        if (hasPlugin)
            write(path("plugins"), "");
        const Outcome outcome = run("svg_plugin=$PLUGINS; ensure_packages g++ cmake");
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
        QCOMPARE(outcome.errors, QByteArray());
        QVERIFY2(packages.isEmpty() ? installed().isEmpty() : installed().endsWith(packages), installed().constData());
    }

    void installationThatFails_endsItOnlyWhereItWasNeeded()
    {
        set("FAILS", QStringLiteral("yes"));
        set("KNOWN", QStringLiteral("g++ cmake qt6-svg-plugins"));
        const Outcome poorer = run("svg_plugin=$PLUGINS; ensure_packages g++ cmake; echo goes on");
        QVERIFY2(poorer.errors.contains("menus will have no arrows"), poorer.errors.constData());
        QVERIFY(poorer.output.endsWith("goes on\n"));
        const Outcome ended = run("svg_plugin=$PLUGINS; ensure_packages g++ ninja-build; echo goes on");
        QCOMPARE(ended.exitCode, 1);
        QVERIFY2(ended.errors.contains("could not install ninja-build"), ended.errors.constData());
        QVERIFY(!ended.output.contains("goes on"));
    }

    /// The build blocks until a signal, which is sent when the script has reported progress.
    void longBuild_isShownAsBusy()
    {
        QProcess process;
        start(process, "progress_seconds=1; { echo '[7/90] Building'; cat; } | show_progress Building");
        LATCHKEY_AWAIT(process.bytesAvailable() > 0);
        QVERIFY(process.readAllStandardOutput().startsWith("Building [7/90]\n"));
        process.closeWriteChannel();
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        QCOMPARE(process.exitCode(), 0);
    }

    void interval_isLessThanHalfAMinute()
    {
        const int seconds = run("echo $progress_seconds").output.trimmed().toInt();
        QVERIFY(seconds > 0 && seconds < 30);
    }

    void earlyLine_doesNotRestartTheInterval()
    {
        // The second message is due after 4 s of silence; the end comes after 6 s.
        const QByteArray output =
            run("progress_seconds=4; exec 3>&1; "
                "{ sleep 3; echo '[1/9] Building'; sleep 3; echo END >&3; } | show_progress Building")
                .output;
        QVERIFY2(output.startsWith("Building [1/9]\n") && output.endsWith("END\n"), output.constData());
    }

    void failedBuild_isAFailureBehindItsProgress()
    {
        QCOMPARE(run("{ echo '[7/90] Building'; exit 3; } | show_progress Building").exitCode, 3);
    }
};

LATCHKEY_TEST(TestScripts)

} // namespace tst_scripts

#include "tst_scripts.moc"

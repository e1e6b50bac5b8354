#include "tests/explore/programs/programfixture.h"
#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/pages.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace tst_package {

using namespace latchkey;
using test::captures;
using test::Outcome;
using test::textOf;

/// Tests of what cmake --install and app/run --package make of a build: the programs run from any folder, the desktop
/// and the shells find their files, and another project finds the library.
class TestPackage final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder; ///< Of the installation, and of what the tests write.

    [[nodiscard]] QString path(const QString &below) const { return folder->filePath(below); }
    [[nodiscard]] QByteArray contentsOf(const QString &below) const
    {
        QFile file(path(below));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : "there is no " + below.toUtf8();
    }
    void write(const QString &below, const QByteArray &contents) const
    {
        QDir().mkpath(QFileInfo(path(below)).path());
        QFile file(path(below));
        if (!file.open(QIODevice::WriteOnly) || file.write(contents) != contents.size())
            qFatal("cannot write %s", qPrintable(below));
    }
    /// Returns the names of the commands, as the help lists them.
    [[nodiscard]] QStringList commands() const
    {
        const QString help = QString::fromUtf8(run("--help").output);
        return captures(help.section(QStringLiteral("Commands:"), 1).section(QStringLiteral("\n\n"), 0, 0),
                        QStringLiteral("^  ([a-z]+)"));
    }
    /// Returns the only installed file of this name; empty for none or several.
    [[nodiscard]] QString installed(const QString &name) const
    {
        QStringList found;
        QDirIterator files(path(QStringLiteral("usr")), {name}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext())
            found += files.next();
        return found.size() == 1 ? found.front() : QString();
    }

private Q_SLOTS:
    void initTestCase()
    {
        folder = std::make_unique<QTemporaryDir>();
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CMAKE), {QStringLiteral("--install"), QStringLiteral(LATCHKEY_BUILD_DIR),
                                                       QStringLiteral("--prefix"), path(QStringLiteral("usr"))});
        const Outcome outcome = test::outcomeOf(process);
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    }
    void cleanupTestCase() { folder.reset(); }

    void programs_runFromAnyFolder()
    {
        // The prefix has another name than at installation.
        QVERIFY(QDir().rename(path(QStringLiteral("usr")), path(QStringLiteral("moved"))));
        const QString moved = path(QStringLiteral("moved/bin/latchkey-cli"));
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        QCOMPARE(runProgram(path(QStringLiteral("moved/bin/latchkey")), {QStringLiteral("--version")}).exitCode, 0);
        // The clock is virtual only if the program finds its clock library.
        const Outcome explored = runProgram(
            moved, {QStringLiteral("explore"), QStringLiteral("--promise"), QStringLiteral("no-immortal-key"),
                    QStringLiteral("--json"), QStringLiteral("--"), test::python(), QStringLiteral("-S"),
                    QStringLiteral("-B"), test::workerPath(QStringLiteral("setnxexpire"))});
        QVERIFY(QDir().rename(path(QStringLiteral("moved")), path(QStringLiteral("usr"))));
        QVERIFY2(explored.exitCode == 1, explored.errors.constData());
        const bool hasLibrary = !installed(QStringLiteral("liblatchkey-clock.so")).isEmpty();
        QCOMPARE(explored.object()[QLatin1String("clock")].toString(),
                 hasLibrary ? QStringLiteral("controlled") : QStringLiteral("not-controlled"));
#ifdef __x86_64__
        QVERIFY(hasLibrary);
#endif
    }

    void everyCommand_hasItsManualPage()
    {
        const QStringList names = commands();
        QVERIFY(names.size() > 10);
        QStringList pages {QStringLiteral("latchkey"), QStringLiteral("latchkey-cli")};
        for (const QString &name : names)
            pages += QStringLiteral("latchkey-cli-") + name;
        for (const QString &page : pages) {
            QProcess unpack;
            unpack.start(QStringLiteral("gzip"),
                         {QStringLiteral("-dc"), path(QStringLiteral("usr/share/man/man1/%1.1.gz").arg(page))});
            const Outcome outcome = test::outcomeOf(unpack);
            QVERIFY2(outcome.output.startsWith(".TH \"" + page.toUtf8() + "\" 1 "), qPrintable(page));
        }
        QCOMPARE(QDir(path(QStringLiteral("usr/share/man/man1"))).entryList(QDir::Files).size(), pages.size());
    }

    void completion_isThatOfTheProgram()
    {
        QCOMPARE(contentsOf(QStringLiteral("usr/share/bash-completion/completions/latchkey-cli")),
                 run("completion bash").output);
        QFile zsh(installed(QStringLiteral("_latchkey-cli")));
        QVERIFY(zsh.open(QIODevice::ReadOnly));
        QCOMPARE(zsh.readAll(), run("completion zsh").output);
    }

    /// A double click opens recordings and stories: their types exist, and the window takes the arguments.
    void desktopEntry_namesTypesAndArgumentsThatExist()
    {
        const QString entry = QString::fromUtf8(contentsOf(QStringLiteral("usr/share/applications/latchkey.desktop")));
        const QString types = QString::fromUtf8(contentsOf(QStringLiteral("usr/share/mime/packages/latchkey.xml")));
        const QString about = QString::fromUtf8(contentsOf(QStringLiteral("usr/share/metainfo/latchkey.metainfo.xml")));
        QStringList opened =
            captures(entry, QStringLiteral("^MimeType=(.*)$")).value(0).split(u';', Qt::SkipEmptyParts);
        QVERIFY(opened.size() == 2);
        QCOMPARE(opened, captures(types, QStringLiteral("<mime-type type=\"([^\"]+)\"")));
        QCOMPARE(opened, captures(about, QStringLiteral("<mediatype>([^<]+)</mediatype>")));
        QCOMPARE(captures(about, QStringLiteral("<launchable type=\"desktop-id\">([^<]+)<")),
                 QStringList {QStringLiteral("latchkey.desktop")});
        QCOMPARE(captures(entry, QStringLiteral("^Exec=(.*)$")), QStringList {QStringLiteral("latchkey --dialog %f")});
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        const Outcome help = runProgram(QStringLiteral(LATCHKEY_WINDOW), {QStringLiteral("--help")});
        QVERIFY(help.output.contains("\n  --dialog "));
        const QString icon = captures(entry, QStringLiteral("^Icon=(.*)$")).value(0);
        for (const char *file : {"scalable/apps/%1.svg", "48x48/apps/%1.png", "128x128/apps/%1.png"}) {
            const QString picture =
                path(QStringLiteral("usr/share/icons/hicolor/") + QString::fromLatin1(file).arg(icon));
            QVERIFY2(QFileInfo(picture).size() > 100, qPrintable(picture));
        }
    }

    /// One sentence for a file that is none. A start without a terminal shows the sentence in a dialog. Qt logs its
    /// painting, which happens in the event loop of the dialog.
    void openedFileThatIsNone_isRefused_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("why");
        QTest::addRow("recording") << QStringLiteral("bad.latchkey-recording")
                                   << QByteArray("it is not a recording of Latchkey");
        QTest::addRow("story") << QStringLiteral("bad.latchkey-story.json")
                               << QByteArray("this is not a Latchkey story");
    }
    void openedFileThatIsNone_isRefused()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, why);
        write(name, "{\"hello\": 1}\n");
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder->path());
        const Outcome refused = runProgram(QStringLiteral(LATCHKEY_WINDOW), {path(name)});
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.errors.contains(why) && refused.errors.count("latchkey: ") == 1, refused.errors.constData());
        environment.insert(QStringLiteral("QT_LOGGING_RULES"), QStringLiteral("qt.widgets.painting=true"));
        environment.insert(QStringLiteral("QT_FORCE_STDERR_LOGGING"), QStringLiteral("1"));
        QProcess shown;
        shown.setProcessEnvironment(environment);
        shown.start(QStringLiteral(LATCHKEY_WINDOW), {QStringLiteral("--dialog"), path(name)});
        QByteArray errors;
        static const QRegularExpression painted(QStringLiteral("Flushing [^\n]*name=\"refusal\""));
        LATCHKEY_AWAIT((errors += shown.readAllStandardError(),
                        errors.contains(why) && painted.match(QString::fromUtf8(errors)).hasMatch()));
        shown.kill();
        QVERIFY(shown.waitForFinished());
    }

    void unwritableHome_isOneSentence()
    {
        write(QStringLiteral("plain"), {});
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("QT_FORCE_STDERR_LOGGING"), QStringLiteral("1"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), path(QStringLiteral("plain")));
        QProcess window;
        window.setProcessEnvironment(environment);
        window.start(QStringLiteral(LATCHKEY_WINDOW), {server->url()});
        QByteArray errors;
        LATCHKEY_AWAIT((errors += window.readAllStandardError(), errors.contains("cannot make the folder")));
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST"}).bytes().contains("latchkey"));
        window.terminate(); // At the end, the geometry of the window is saved.
        QVERIFY(window.waitForFinished());
        errors += window.readAllStandardError();
        QVERIFY2(errors.count("cannot make the folder") == 1 && errors.contains("latchkey: cannot make the folder"),
                 errors.constData());
    }

    void desktopFiles_areValid_data()
    {
        QTest::addColumn<QStringList>("command");
        const Outcome listed =
            runProgram(QStringLiteral("bash"),
                       {QStringLiteral("-c"),
                        QStringLiteral("source '" LATCHKEY_SOURCE_DIR "/app/package.sh'; appstream_exceptions")});
        const QString exceptions = QString::fromUtf8(listed.output);
        QVERIFY(exceptions.contains(u'='));
        QTest::addRow("desktop entry") << QStringList {QStringLiteral("desktop-file-validate"),
                                                       QStringLiteral("usr/share/applications/latchkey.desktop")};
        QTest::addRow("AppStream") << QStringList {QStringLiteral("appstreamcli"),
                                                   QStringLiteral("validate"),
                                                   QStringLiteral("--pedantic"),
                                                   QStringLiteral("--no-net"),
                                                   QStringLiteral("--override=") + exceptions,
                                                   QStringLiteral("usr/share/metainfo/latchkey.metainfo.xml")};
    }
    void desktopFiles_areValid()
    {
        QFETCH(QStringList, command);
        if (QStandardPaths::findExecutable(command.front()).isEmpty())
            QSKIP("the checker is not installed");
        const Outcome outcome =
            runProgram(command.front(), command.sliced(1, command.size() - 2) + QStringList {path(command.back())});
        QVERIFY2(outcome.exitCode == 0, (outcome.output + outcome.errors).constData());
    }

    void version_isTheSameEverywhere()
    {
        const QString version =
            captures(textOf("resources/debian/changelog"), QStringLiteral("^latchkey \\(([0-9.]+)-1\\)")).value(0);
        QVERIFY(version.count(u'.') == 2);
        QCOMPARE(captures(textOf("resources/desktop/latchkey.metainfo.xml.in"),
                          QStringLiteral("<release version=\"([^\"]+)\""))
                     .value(0),
                 version);
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        const QString printed = QString::fromUtf8(run("--version").output);
        static const QRegularExpression rest(QStringLiteral(
            "^ \\((?:commit [0-9a-f]{12}(?:-changed)?, )?Qt 6\\.\\d+\\.\\d+, hiredis \\d\\.\\d+\\.\\d+\\)\n$"));
        const QString start = QStringLiteral("latchkey-cli ") + version;
        QVERIFY2(printed.startsWith(start) && rest.match(printed.sliced(start.size())).hasMatch(), qPrintable(printed));
        const QByteArray window = runProgram(QStringLiteral(LATCHKEY_WINDOW), {QStringLiteral("--version")}).output;
        QCOMPARE(QString::fromUtf8(window), QString(printed).remove(QStringLiteral("-cli")));
    }

    /// Without a tag, without git, and before the tag of a new entry, the version is that of the changelog.
    void version_isThatOfTheNewestTag()
    {
        const QTemporaryDir sources;
        const auto write = [&](const char *name, const QByteArray &text) {
            QFile file(sources.filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        };
        QVERIFY(QDir(sources.path()).mkpath(QStringLiteral("resources/debian")));
        write("resources/debian/changelog", "latchkey (0.3.1-1) unstable; urgency=medium\n");
        write("print.cmake",
              "include(" LATCHKEY_SOURCE_DIR "/resources/debian/version.cmake)\n"
              "latchkey_find_version(version ${CMAKE_CURRENT_LIST_DIR})\nmessage(NOTICE \"${version}\")\n");
        const auto versionNow = [&] {
            return runProgram(QStringLiteral("cmake"),
                              {QStringLiteral("-P"), sources.filePath(QStringLiteral("print.cmake"))})
                .errors.simplified();
        };
        const auto git = [&](const char *arguments) {
            QStringList all {QStringLiteral("-C"), sources.path(),
                             QStringLiteral("-c"), QStringLiteral("user.name=a"),
                             QStringLiteral("-c"), QStringLiteral("user.email=a@b.invalid")};
            all += QString::fromLatin1(arguments).split(u' ');
            return runProgram(QStringLiteral("git"), all).exitCode;
        };
        QCOMPARE(versionNow(), QByteArray("0.3.1"));
        QCOMPARE(git("init -q"), 0);
        QCOMPARE(git("commit -q --allow-empty -m a"), 0);
        QCOMPARE(git("tag nightly"), 0);
        QCOMPARE(versionNow(), QByteArray("0.3.1"));
        QCOMPARE(git("tag v1.10.2"), 0);
        QCOMPARE(git("commit -q --allow-empty -m b"), 0);
        QCOMPARE(versionNow(), QByteArray("1.10.2"));
        write("resources/debian/changelog", "latchkey (1.11.0-1) unstable; urgency=medium\n");
        QCOMPARE(versionNow(), QByteArray("1.11.0")); // It is being prepared.
        write("resources/debian/changelog", "no entry\n");
        QVERIFY(versionNow().contains("the first line has no version"));
    }

    void publicHeaders_standInTheManual()
    {
        const QStringList headers =
            captures(textOf("resources/library/headers.txt"), QStringLiteral("^(core/\\S+\\.h)$"));
        QVERIFY(headers.size() > 10);
        for (const char *page : {"resources/manual/library.md", "resources/manual/zh-CN/library.md"}) {
            QStringList listed = captures(textOf(page), QStringLiteral("`(core/[a-z/]+\\.h)`"));
            listed.removeDuplicates();
            listed.sort();
            QStringList expected = headers;
            expected.sort();
            QCOMPARE(listed, expected);
        }
        for (const QString &header : headers)
            QVERIFY2(QFileInfo(path(QStringLiteral("usr/include/latchkey/") + header)).isFile(), qPrintable(header));
    }

    /// The program of the manual, outside of the tree, with nothing but the installed library: blocking and on an event
    /// loop. Another source of it includes every public header.
    void outsideProgram_isBuiltWithTheInstalledLibrary()
    {
        const QString page = textOf("resources/manual/library.md");
        const QStringList lists = captures(page, QStringLiteral("^```cmake\\n((?:(?!```).*\\n)+)```"));
        const QStringList programs = captures(page, QStringLiteral("^```cpp\\n((?:(?!```).*\\n)+)```"));
        QCOMPARE(lists.size(), 2);
        QCOMPARE(programs.size(), 2);
        QVERIFY(programs[1].count(u'\n') <= 35);
        QVERIFY(lists[1].contains(QStringLiteral("find_package(Latchkey")));
        write(QStringLiteral("outside/CMakeLists.txt"),
              lists[1].toUtf8()
                  + "add_library(headers OBJECT headers.cpp)\ntarget_link_libraries(headers PRIVATE "
                    "Latchkey::caches)\n");
        write(QStringLiteral("outside/report.cpp"), programs[0].toUtf8());
        write(QStringLiteral("outside/loop.cpp"), programs[1].toUtf8());
        QByteArray includes;
        for (const QString &header :
             captures(textOf("resources/library/headers.txt"), QStringLiteral("^(core/\\S+\\.h)$")))
            includes += "#include \"" + header.toUtf8() + "\"\n";
        write(QStringLiteral("outside/headers.cpp"), includes);
        const QString build = path(QStringLiteral("outside/build"));
        QStringList configuration {QStringLiteral("-G"),
                                   QStringLiteral("Ninja"),
                                   QStringLiteral("-S"),
                                   path(QStringLiteral("outside")),
                                   QStringLiteral("-B"),
                                   build,
                                   QStringLiteral("-DCMAKE_PREFIX_PATH=") + path(QStringLiteral("usr"))};
#ifdef __SANITIZE_ADDRESS__ // The installed library has the sanitizers then.
        configuration += QStringLiteral("-DCMAKE_CXX_FLAGS=-fsanitize=address,undefined -fno-sanitize=vptr");
#endif
        const Outcome configured = runProgram(QStringLiteral(LATCHKEY_CMAKE), configuration);
        QVERIFY2(configured.exitCode == 0, configured.errors.constData());
        const Outcome built = runProgram(QStringLiteral(LATCHKEY_CMAKE), {QStringLiteral("--build"), build});
        QVERIFY2(built.exitCode == 0, built.output.constData());
        for (const char *program : {"/report", "/loop"}) {
            const Outcome done = runProgram(build + QLatin1String(program), {});
            QVERIFY2(done.exitCode == 0, (done.output + done.errors).constData());
            QCOMPARE(done.output, QByteArray("making the report\ndone\n"));
            QVERIFY((*server)({"EXISTS", "lock:report"}).isInteger(0));
            QVERIFY((*server)({"SET", "lock:report", "other", "PX", "60000"}).isOk());
            QCOMPARE(runProgram(build + QLatin1String(program), {}).output,
                     QByteArray("another process holds the lock\n"));
            QVERIFY((*server)({"DEL", "lock:report"}).isInteger(1));
        }
    }
};

LATCHKEY_TEST(TestPackage)

} // namespace tst_package

#include "tst_package.moc"

#include "tests/support/pages.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace tst_readme {

using namespace latchkey;
using test::allPages;
using test::captures;
using test::textOf;

namespace {

QByteArray outputOf(const QString &program, const QStringList &arguments, const QProcessEnvironment &environment)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForFinished(60'000))
        qFatal("%s did not end", qPrintable(program));
    return process.readAll();
}

QByteArray outputOfCli(const QStringList &arguments)
{
    return outputOf(QStringLiteral(LATCHKEY_CLI), arguments, QProcessEnvironment::systemEnvironment());
}

QStringList sorted(QStringList list)
{
    list.sort();
    return list;
}

/// Returns the fragments of a page's links: each heading in lower case, with hyphens and without punctuation.
QStringList anchorsOf(const QString &page)
{
    static const QRegularExpression punctuation(QStringLiteral("[^\\w\\s-]"),
                                                QRegularExpression::UseUnicodePropertiesOption);
    QStringList anchors;
    for (const QString &heading : captures(page, QStringLiteral("^#+ (.+)$")))
        anchors += QString(heading).remove(punctuation).toLower().replace(u' ', u'-');
    return anchors;
}

/// A command of the tour, with the output printed in README.md.
struct Step
{
    QString command;
    QString output;
};

QList<Step> tour(const QString &page)
{
    QList<Step> steps;
    for (const QString &block : captures(page, QStringLiteral("^```console\\n((?:(?!```).*\\n)+)```"))) {
        for (const QString &line : block.split(u'\n')) {
            if (line.startsWith(QStringLiteral("$ ")))
                steps += Step {line.sliced(2), {}};
            else
                steps.back().output += line + u'\n';
        }
    }
    for (Step &step : steps)
        step.output = step.output.trimmed();
    return steps;
}

/// Replaces random parts by the names of their kinds.
QString withoutChance(QString text)
{
    const std::pair<const char *, const char *> kinds[] {{"\\b[0-9a-f]{32}\\b", "TOKEN"},
                                                         {" +\\d+ (ms\\b|\u6beb\u79d2)", " N ms"},
                                                         {"\\b\\d\\d:\\d\\d:\\d\\d\\b", "TIME"},
                                                         {"\\b\\d+\\.\\d\\d\\d? (s\\b|\u79d2)", "N s"},
                                                         // The time left of a lease of one minute.
                                                         {"\\b5\\d (s\\b|\u79d2)", "N s"}};
    for (const auto &[expression, kind] : kinds)
        text.replace(QRegularExpression(QString::fromUtf8(expression)), QString::fromLatin1(kind));
    return text.trimmed();
}

} // namespace

/// Tests that README.md, the manual and core/README.md are true.
class TestReadme final : public QObject
{
    Q_OBJECT

    QString page;
    QString corePage;
    QString chinesePage;
    QString library;

    static QString chapter(const QString &page, const char *title)
    {
        return page.section(QStringLiteral("\n## %1\n").arg(QLatin1String(title)), 1)
            .section(QStringLiteral("\n## "), 0, 0);
    }
    /// Returns the paths of the folders in a folder.
    static QStringList foldersIn(const QString &parent)
    {
        QStringList paths;
        for (const QString &name :
             QDir(QStringLiteral(LATCHKEY_SOURCE_DIR "/") + parent).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            paths += parent + u'/' + name;
        return paths;
    }
    /// Returns the code block of that language.
    [[nodiscard]] QString listing(const char *language) const
    {
        return captures(library, QStringLiteral("^```%1\\n((?:(?!```).*\\n)+)```").arg(QLatin1String(language)))
            .value(0);
    }

private Q_SLOTS:
    void initTestCase()
    {
        page = textOf("README.md");
        corePage = textOf("core/README.md");
        chinesePage = textOf("resources/README.zh-CN.md");
        library = textOf("resources/manual/library.md");
    }

    void chapters_standInTheOrderInWhichANewcomerReads()
    {
        QCOMPARE(
            captures(page, QStringLiteral("^## (.+)$")),
            (QStringList {QStringLiteral("Two commands"), QStringLiteral("Five minutes"), QStringLiteral("The window"),
                          QStringLiteral("The command line"), QStringLiteral("The library"),
                          QStringLiteral("Contributing"), QStringLiteral("Licence")}));
    }

    void everyLink_leadsSomewhere()
    {
        QStringList broken;
        const QStringList others {QStringLiteral("core/README.md"), QStringLiteral("resources/stories/README.md"),
                                  QStringLiteral("resources/any-program.md")};
        for (const QString &path : allPages() + others) {
            const QString folder = path.first(path.lastIndexOf(u'/') + 1);
            // A lambda in a program looks like a link.
            static const QRegularExpression program(QStringLiteral("^```cpp\n(?:(?!```).*\n)+```"),
                                                    QRegularExpression::MultilineOption);
            for (const QString &link :
                 captures(textOf(path).remove(program), QStringLiteral("(?:\\]\\(|src(?:set)?=\")([^)\"]+)[)\"]"))) {
                const QString target = link.startsWith(u'#') ? path : folder + link.section(u'#', 0, 0);
                const QString heading = link.contains(QLatin1String("://")) ? QString() : link.section(u'#', 1);
                if (!QFileInfo::exists(QStringLiteral(LATCHKEY_SOURCE_DIR "/") + target)
                    || (!heading.isEmpty() && !anchorsOf(textOf(target)).contains(heading)))
                    broken += path + QStringLiteral(": ") + link;
            }
        }
        QVERIFY2(broken.isEmpty(), qPrintable(broken.join(u'\n')));
    }

    void everyFolder_isOnTheMap()
    {
        const QStringList named = captures(chapter(corePage, "The map of the source"),
                                           QStringLiteral("^\\| `([a-z0-9/]+)`(?: … `tests/ui`)? \\|"));
        QStringList folders = foldersIn(QStringLiteral("app")) + foldersIn(QStringLiteral("resources"));
        for (const QString &wing : foldersIn(QStringLiteral("core")) + foldersIn(QStringLiteral("ui")))
            folders += foldersIn(wing);
        for (const QString &tests : foldersIn(QStringLiteral("tests"))) {
            const QStringList tested = foldersIn(QStringLiteral("core/") + tests.section(u'/', 1));
            if (tested.isEmpty() && tests != u"tests/ui")
                folders += tests;
            // `tests/foundation` … `tests/ui` have the structure of the sources.
            for (const QString &folder : tested.isEmpty() ? QStringList() : foldersIn(tests))
                QVERIFY2(tested.contains(QStringLiteral("core/") + folder.section(u'/', 1)), qPrintable(folder));
        }
        QStringList missing;
        for (const QString &folder : folders) {
            if (!named.contains(folder))
                missing += folder;
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u' ')));
        for (const QString &path : named)
            QVERIFY2(QFileInfo(QStringLiteral(LATCHKEY_SOURCE_DIR "/") + path).isDir(), qPrintable(path));
    }

    void everyPackage_isNamed()
    {
        QStringList packages;
        for (const char *path : {"/app/machine.sh", "/tests/run"}) {
            QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR) + QLatin1String(path));
            QVERIFY(file.open(QIODevice::ReadOnly));
            for (const QString &list :
                 captures(QString::fromUtf8(file.readAll()), QStringLiteral("^\\w+_packages=\\(([^)]*)\\)")))
                packages += list.split(u' ', Qt::SkipEmptyParts);
        }
        QVERIFY(packages.size() > 10);
        QString chapterText = chapter(textOf("resources/manual/installation.md"), "Packages");
        const QStringList named = chapterText.replace(QRegularExpression(QStringLiteral("[`,;]|\\.(?=\\s)")), QString())
                                      .simplified()
                                      .split(u' ');
        for (const QString &package : packages)
            QVERIFY2(named.contains(package), qPrintable(package));
    }

    void everyCommand_isListedWithItsArguments()
    {
        const QString help = QString::fromUtf8(outputOfCli({QStringLiteral("--help")}));
        QStringList expected;
        for (const QString &name :
             captures(help.section(QStringLiteral("Commands:"), 1).section(QStringLiteral("\n\n"), 0, 0),
                      QStringLiteral("^  ([a-z]+)")))
            expected += captures(QString::fromUtf8(outputOfCli({name, QStringLiteral("--help")})),
                                 QStringLiteral("^Usage: latchkey-cli (.*\\S)"));
        QVERIFY(expected.size() > 8);
        QStringList listed = captures(chapter(page, "The command line").section(QStringLiteral("\n\n"), 0, 1),
                                      QStringLiteral("^\\| `([^`]+)` \\|"));
        listed.replaceInStrings(QStringLiteral("\\|"), QStringLiteral("|"));
        QCOMPARE(listed, expected);
    }

    void everyPromise_isInTheGlossary()
    {
        const QByteArray listed = outputOfCli({QStringLiteral("recipes")});
        const QStringList promises = captures(QString::fromUtf8(listed).section(QStringLiteral("\nPromises:\n"), 1),
                                              QStringLiteral("^  ([a-z]+-[a-z-]+|fenced)  "));
        QVERIFY2(promises.contains(QStringLiteral("one-recompute")), listed.constData());
        QCOMPARE(sorted(captures(chapter(corePage, "Glossary"), QStringLiteral("^\\* `([^`]+)`:"))), sorted(promises));
    }

    void pictures_areThereAndSmall()
    {
        QStringList pictures;
        for (const QString &path : allPages()) {
            const QDir folder = QFileInfo(path).dir();
            for (const QString &picture :
                 captures(textOf(qPrintable(path)), QStringLiteral("\"([^\"]*pictures/[^\"]+\\.png)\"")))
                pictures += QDir::cleanPath(folder.filePath(picture));
        }
        QCOMPARE(pictures.size(), 8);
        for (const QString &picture : pictures) {
            QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/") + picture);
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(picture));
            // The chunk of an animated PNG is before its first image.
            const QByteArray head = file.read(4096);
            const bool isMoving = head.left(head.indexOf("IDAT")).contains("acTL");
            QCOMPARE(isMoving, picture.contains(QStringLiteral("crash")));
            const qint64 most = isMoving ? 1'500'000 : 300 * 1024;
            QVERIFY2(file.size() > 10'000 && file.size() < most, qPrintable(picture));
        }
    }

    void pageWithTheProgram_hasTheLinesOfReadme()
    {
        const QStringList lines =
            captures(page, QStringLiteral("^```cpp\\n((?:(?!```).*\\n)+)```")).value(0).split(u'\n');
        QVERIFY(lines.size() > 8 && lines.size() <= 11);
        for (const QString &line : lines)
            QVERIFY2(listing("cpp").contains(line.trimmed()), qPrintable(line));
        // The Chinese page has the same program.
        const QString chinese = textOf("resources/manual/zh-CN/library.md");
        QVERIFY(chinese.contains(listing("cpp")) && chinese.contains(listing("cmake")));
    }

    /// The program is generated from the manual, see CMakeLists.txt.
    void program_isShortAndMatchesItsDescription()
    {
        QCOMPARE(listing("cpp").count(u'\n'), 25);
        test::TestServer server;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LATCHKEY_URL"), server.url());
        const auto report = [&] { return outputOf(QStringLiteral(LATCHKEY_REPORT), {}, environment); };
        QCOMPARE(report(), QByteArray("making the report\ndone\n"));
        QVERIFY(server({"EXISTS", "lock:report"}).isInteger(0));
        QVERIFY(server({"SET", "lock:report", "other"}).isOk());
        QCOMPARE(report(), QByteArray("another process holds the lock\n"));
        QVERIFY(server({"GET", "lock:report"}).isBulk("other"));
        server.kill();
        QVERIFY2(report().startsWith("cannot connect to unix:///"), report().constData());
    }

    /// A project beside this one, as in the manual: its configuration must find the library.
    void programsProject_findsTheLibrary()
    {
        const QTemporaryDir folder;
        const auto write = [&folder](const char *name, const QString &text) {
            QFile file(folder.filePath(QLatin1String(name)));
            return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0;
        };
        QVERIFY(write("CMakeLists.txt", listing("cmake")) && write("report.cpp", listing("cpp")));
        QVERIFY(QFile::link(QStringLiteral(LATCHKEY_SOURCE_DIR), folder.filePath(QStringLiteral("latchkey"))));
        const QString build = folder.filePath(QStringLiteral("build"));
        const QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        const QByteArray configured = outputOf(QStringLiteral(LATCHKEY_CMAKE),
                                               {QStringLiteral("-G"), QStringLiteral("Ninja"), QStringLiteral("-S"),
                                                folder.path(), QStringLiteral("-B"), build},
                                               environment);
        QVERIFY2(configured.contains("Build files have been written"), configured.constData());
        const QByteArray steps = outputOf(QStringLiteral(LATCHKEY_CMAKE),
                                          {QStringLiteral("--build"), build, QStringLiteral("--"), QStringLiteral("-t"),
                                           QStringLiteral("commands"), QStringLiteral("report")},
                                          environment);
        QVERIFY2(steps.contains("liblatchkey_locks.a") && !steps.contains("-Werror") && !steps.contains("Widgets"),
                 steps.constData());
    }

    void commands_standInBothPages()
    {
        const auto commandsOf = [](const QString &text) {
            return captures(text, QStringLiteral("^\\| `([a-z]+[^`]*)` \\|"));
        };
        QStringList missing;
        for (const QString &command :
             commandsOf(chapter(page, "The command line").section(QStringLiteral("\n\n"), 0, 1))) {
            if (!commandsOf(chinesePage).contains(command))
                missing += command;
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u'\n')));
    }

    void tour_printsTheTextOfThePage_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("locale");
        const QString english = QStringLiteral("C.UTF-8");
        const QString chinese = QStringLiteral("zh_CN.UTF-8");
        QTest::addRow("in English") << page << english;
        QTest::addRow("in Chinese") << chinesePage << chinese;
        QTest::addRow("more, in English") << textOf("resources/manual/tour.md") << english;
        QTest::addRow("more, in Chinese") << textOf("resources/manual/zh-CN/tour.md") << chinese;
    }
    void tour_printsTheTextOfThePage()
    {
        QFETCH(QString, text);
        QFETCH(QString, locale);
        const QList<Step> steps = tour(text);
        QVERIFY(steps.size() > 6);
        QString script;
        for (const Step &step : steps)
            script += step.command + QStringLiteral("\nprintf '\\036'\n");

        test::TestServer server;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LATCHKEY_URL"), server.url());
        environment.insert(QStringLiteral("LANG"), locale); // Not LC_ALL: bash would print a warning.
        environment.remove(QStringLiteral("LC_ALL"));
        // The texts do not need an installed locale; without one, Qt reports that the machine has no UTF-8.
        environment.insert(QStringLiteral("LC_CTYPE"), QStringLiteral("C.UTF-8"));
        environment.insert(QStringLiteral("PATH"), QFileInfo(QStringLiteral(LATCHKEY_CLI)).path() + u':'
                                                       + environment.value(QStringLiteral("PATH")));
        const QStringList outputs =
            QString::fromUtf8(outputOf(QStringLiteral("bash"), {QStringLiteral("-c"), script}, environment))
                .split(QChar(0x1E));
        QCOMPARE(outputs.size(), steps.size() + 1);
        for (qsizetype i = 0; i < steps.size(); ++i) {
            QVERIFY2(withoutChance(outputs[i]) == withoutChance(steps[i].output),
                     qPrintable(
                         QStringLiteral("%1\nprints\n%2\nnot\n%3").arg(steps[i].command, outputs[i], steps[i].output)));
        }
    }
};

LATCHKEY_TEST(TestReadme)

} // namespace tst_readme

#include "tst_readme.moc"

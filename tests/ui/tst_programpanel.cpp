#include "tests/support/childprocesses.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"
#include "tests/ui/programformfixture.h"
#include "ui/pages/stories/alternativeview.h"
#include "ui/pages/stories/serverfaultform.h"
#include "ui/views/diagram/diagrampanel.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QListWidget>
#include <QPlainTextEdit>

#include <algorithm>
#include <array>

namespace tst_programpanel {

using namespace latchkey;
using test::MainWindowFixture;
using test::ProgramFormFixture;
using ui::stories::AlternativeView;
using ui::stories::ServerFaultForm;
using State = racesearch::RaceSearch::State;

namespace {

QList<pid_t> familyOf(pid_t process)
{
    QList<pid_t> family {process};
    for (qsizetype i = 0; i < family.size(); ++i)
        family += test::childrenOf(family[i]);
    return family;
}

/// Returns a widget of the panel that is cut off or overlaps another one. Empty if there is none.
QString cutOff(const ProgramFormFixture &fixture)
{
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    const QRect whole = fixture.window.window.rect();
    QRegion taken;
    for (const QWidget *each : fixture.panel().findChildren<QWidget *>()) {
        const bool isControl = qobject_cast<const QPushButton *>(each) || qobject_cast<const QComboBox *>(each)
                            || qobject_cast<const QAbstractSpinBox *>(each) || qobject_cast<const QLabel *>(each)
                            || qobject_cast<const QLineEdit *>(each);
        if (!isControl || !each->isVisible() || each->objectName().startsWith(QStringLiteral("qt_")))
            continue;
        const QRect rect(each->mapTo(&fixture.window.window, QPoint()), each->size());
        const auto *label = qobject_cast<const QLabel *>(each);
        const int needed = label != nullptr && label->wordWrap() ? label->heightForWidth(label->width()) : 0;
        if (!whole.contains(rect) || each->width() < each->minimumSizeHint().width() || each->height() < needed)
            return each->objectName() + u' ' + each->accessibleName();
        const bool isPart = each->parentWidget()->inherits("QAbstractSpinBox"); // The line edit of a spin box.
        if (!isPart && taken.intersects(rect))
            return each->objectName() + QStringLiteral(" lies over another");
        taken += rect;
    }
    return {};
}

} // namespace

/// Tests of *Find the race in a program…* on the Stories page.
class TestProgramPanel final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void race_isFoundAndItsStoryPlayed()
    {
        ProgramFormFixture fixture;
        QVERIFY(fixture.panel().isVisible() && fixture.keyboard() == &fixture.command());
        QVERIFY(fixture.find("setnxexpire"));
        QCOMPARE(fixture.lines().size(), 5);
        QCOMPARE(fixture.lines()[1], QStringLiteral("lost-update Does not apply: no shared key is named"));
        QVERIFY(fixture.lines()[0].startsWith(QStringLiteral("mutual-exclusion Holds in all ")));
        QCOMPARE(fixture.lines()[2],
                 QStringLiteral(
                     "owner-only-release Broken: a client has ended or changed a lock that another client holds"));
        QCOMPARE(fixture.lines()[3], QStringLiteral("no-immortal-key Broken: a key is left behind that never expires"));
        QCOMPARE(fixture.status(), QStringLiteral("Broken promises: 3. Select one to play it."));
        QVERIFY(!fixture.command().isVisible()); // The answers have replaced the form.

        fixture.inPanel<QTreeView>("programAnswers").setCurrentIndex(fixture.answers().index(3, 0));
        const QString schedule = fixture.inPanel<QPlainTextEdit>("programSchedule").toPlainText();
        QCOMPARE(schedule.split(u'\n').front(), QStringLiteral("  1  A  SETNX lock 1 → (integer) 1"));
        QTest::mouseClick(&fixture.inPanel<QPushButton>("programPlay"), Qt::LeftButton);
        QVERIFY(!fixture.panel().isVisible());
        QCOMPARE(fixture.window.widget<QListWidget>("stories").currentItem()->text(),
                 QStringLiteral("setnxexpire.py breaks no-immortal-key\n"
                                "from the race finder"));
        auto &stage = *fixture.window.window.findChild<AlternativeView *>();
        auto &speed = fixture.window.widget<QComboBox>("storySpeed");
        speed.setCurrentIndex(speed.count() - 1);
        fixture.window.click("storyPlay");
        LATCHKEY_AWAIT(stage.isOver());
        QCOMPARE(stage.player().verdict(), latchkey::scenarios::ScenarioVerdict::Passed);
        QCOMPARE(stage.findChild<QLabel *>(QStringLiteral("storyVerdict"))->text(),
                 QStringLiteral("A key is left behind that never expires."));
        verifySavedStory(stage, fixture.window.folder.filePath(QStringLiteral("saved.json")));

        fixture.open(); // The results are kept.
        QCOMPARE(fixture.lines().size(), 5);
    }

    /// The command line can play the saved story.
    static void verifySavedStory(AlternativeView &alternative, const QString &path)
    {
        LATCHKEY_VERIFY_RESULT(alternative.panel().saveAs(path));
        for (const QStringList &arguments : {QStringList {QStringLiteral("story"), path, QStringLiteral("--speed"),
                                                          QStringLiteral("20"), QStringLiteral("--json")},
                                             QStringList {QStringLiteral("explore"), QStringLiteral("--play"), path}}) {
            QProcess program;
            program.start(QStringLiteral(LATCHKEY_CLI), arguments);
            const test::Outcome outcome = test::outcomeOf(program);
            QVERIFY2(outcome.exitCode == 0, (outcome.output + outcome.errors).constData());
        }
    }

    void conditionsOfTheVerdicts_areShown()
    {
        ProgramFormFixture fixture;
        QVERIFY(fixture.find("dying"));
        QCOMPARE(fixture.status(), QStringLiteral("No promise is broken in any schedule within these limits."));
        QVERIFY(fixture.lines().contains(QStringLiteral("lost-update Does not apply: no shared key is named")));
        const QString notes = fixture.inPanel<QLabel>("programNotes").text();
        QVERIFY2(notes.contains(QStringLiteral(" processes started.")), qPrintable(notes));
        QVERIFY2(notes.contains(QStringLiteral("exit code 1; last output: the lock is another's")), qPrintable(notes));
        QVERIFY2(notes.contains(QStringLiteral("The program's clock was ")), qPrintable(notes));
    }

    void faults_areLimitedByTheForm()
    {
        ProgramFormFixture fixture;
        for (const char *fault : {"programCrashes", "programPasses", "programWaits"})
            fixture.window.widget<QSpinBox>(fault).setValue(0);
        QVERIFY(fixture.find("setnxexpire"));
        QCOMPARE(fixture.status(), QStringLiteral("No promise is broken in any schedule within these limits."));
        QVERIFY(fixture.inPanel<QLabel>("sectionTitle").text().endsWith(QStringLiteral(": 2 clients without faults")));
        fixture.window.click("programChange");
        QVERIFY(fixture.command().isVisible());
        fixture.window.widget<QSpinBox>("programCrashes").setValue(1);
        fixture.window.click("programStart");
        QVERIFY(fixture.isOver());
        QVERIFY(fixture.status().startsWith(QStringLiteral("Broken promises: 2.")));
    }

    void faultOfAServer_breaksItsPromise_andIsPlayed()
    {
        ProgramFormFixture fixture;
        auto &faults = fixture.window.widget<QComboBox>("programServerFaults");
        const auto &count = fixture.window.widget<QSpinBox>("programFailovers");
        QVERIFY(!count.isVisible()); // Without such a fault, its limits have no meaning.
        faults.setCurrentIndex(faults.findText(QStringLiteral("failovers")));
        QVERIFY(count.isVisible() && fixture.window.widget<QSpinBox>("programLostWrites").isVisible());
        QVERIFY(!fixture.window.widget<QComboBox>("programPersistence").isVisible());
        QVERIFY(fixture.find("everyday", "tries_once"));
        QCOMPARE(fixture.lines(),
                 QStringList {QStringLiteral("failover-safe Broken: two clients are inside at once after a failover")});
        const QString title = fixture.inPanel<QLabel>("sectionTitle").text();
        QVERIFY2(title.endsWith(QStringLiteral(", at most 1 failover")), qPrintable(title));
        QVERIFY(
            fixture.inPanel<QPlainTextEdit>("programSchedule").toPlainText().contains(QStringLiteral("(failover)")));
        QTest::mouseClick(&fixture.inPanel<QPushButton>("programPlay"), Qt::LeftButton);
        QVERIFY(!fixture.panel().isVisible());
        auto &stage = *fixture.window.window.findChild<AlternativeView *>();
        auto &speed = fixture.window.widget<QComboBox>("storySpeed");
        speed.setCurrentIndex(speed.count() - 1);
        fixture.window.click("storyPlay");
        LATCHKEY_AWAIT(stage.isOver());
        QCOMPARE(stage.player().verdict(), latchkey::scenarios::ScenarioVerdict::Passed);
        QCOMPARE(stage.player().results().back().inside.size(), 2);
    }

    void eachKindOfServerFault_hasItsOwnNumber()
    {
        ProgramFormFixture fixture;
        auto &faults = fixture.window.widget<QComboBox>("programServerFaults");
        faults.setCurrentIndex(faults.findText(QStringLiteral("all")));
        const std::array names {"programFailovers", "programRestarts", "programClockJumps", "programPartitions"};
        for (std::size_t i = 0; i < names.size(); ++i)
            fixture.window.widget<QSpinBox>(names[i]).setValue(static_cast<int>(i));
        const auto limits =
            fixture.window.window.findChild<ServerFaultForm *>(QStringLiteral("programFaultLimits"))->limits();
        QCOMPARE(limits.failovers, 0);
        QCOMPARE(limits.restarts, 1);
        QCOMPARE(limits.clockJumps, 2);
        QCOMPARE(limits.partitions, 3);
        faults.setCurrentIndex(faults.findText(QStringLiteral("clock jumps")));
        for (const char *name : names)
            QCOMPARE(fixture.window.widget<QSpinBox>(name).isVisible(), qstrcmp(name, "programClockJumps") == 0);
    }

    /// The saved data of a restarted server decides whether a lock survives the restart.
    void limitsOfServerFaults_reachTheSearch()
    {
        ProgramFormFixture fixture;
        auto &faults = fixture.window.widget<QComboBox>("programServerFaults");
        faults.setCurrentIndex(faults.findText(QStringLiteral("restarts")));
        const auto &lostWrites = fixture.window.widget<QSpinBox>("programLostWrites");
        QVERIFY(!lostWrites.isVisible());
        auto &persistence = fixture.window.widget<QComboBox>("programPersistence");
        persistence.setCurrentText(QStringLiteral("everysec"));
        QVERIFY(lostWrites.isVisible());
        persistence.setCurrentText(QStringLiteral("always"));
        fixture.window.widget<QSpinBox>("programRestarts").setValue(2);
        QVERIFY(fixture.find("everyday", "tries_once"));
        QVERIFY2(fixture.lines().value(0).startsWith(QStringLiteral("restart-safe Holds in all ")),
                 qPrintable(fixture.lines().value(0)));
        QVERIFY(fixture.inPanel<QLabel>("sectionTitle").text().endsWith(QStringLiteral(", at most 2 restarts")));
    }

    void cancel_leavesAPartialVerdictThatIsMarked()
    {
        ProgramFormFixture fixture;
        QVERIFY(fixture.searchWithoutEnd());
        QVERIFY2(fixture.status().contains(QStringLiteral(" processes started; ")), qPrintable(fixture.status()));
        QCOMPARE(fixture.window.button("programStart").text(), QStringLiteral("Cancel"));
        const QList<pid_t> family = familyOf(static_cast<pid_t>(fixture.search().processId()));
        fixture.window.click("programStart");
        QVERIFY(fixture.isOver());
        QVERIFY2(fixture.status().startsWith(QStringLiteral("Stopped early")), qPrintable(fixture.status()));
        QCOMPARE(fixture.lines().size(), 5);
        QVERIFY(fixture.lines().value(0).endsWith(QStringLiteral(" states: stopped")));
        QVERIFY(fixture.lines().back().endsWith(QStringLiteral("Unknown: not reached by the search")));
        LATCHKEY_AWAIT(std::ranges::none_of(family, test::isAlive));
        QCOMPARE(fixture.window.button("programStart").text(), QStringLiteral("Search again"));
    }

    void badProgram_isASentence_andTheFormStays_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const QString &command, const char *sentence) {
            QTest::newRow(name) << command << QString::fromUtf8(sentence);
        };
        row("none", QStringLiteral("  "), "Enter the command of the program.");
        row("no such", QStringLiteral("/nonexistent/worker a"),
            "worker: /nonexistent/worker cannot be started: No such file or directory");
        row("exits at once", QStringLiteral("/bin/true"), "true: it ended with exit code 0 …; it has printed nothing");
        row("fails", test::workerCommand(QStringLiteral("failing")).join(u' '),
            "failing.py: a single client without faults ends with exit code 1; last output: it cannot be done");
        row("quoted", QStringLiteral("/bin/sh -c \"echo 'latchkey-cli: no'; exit 4\""),
            "sh: it ended with exit code 4 …; last output: latchkey-cli: no");
    }
    void badProgram_isASentence_andTheFormStays()
    {
        QFETCH(QString, command);
        ProgramFormFixture fixture;
        fixture.command().setText(command);
        fixture.window.widget<QLineEdit>("programData").setText(QStringLiteral("cart:*"));
        QTest::keyClick(&fixture.command(), Qt::Key_Return);
        QVERIFY(test::waitFor([&] { return fixture.search().state() != State::Running; }));
        QFETCH(QString, sentence);
        const QStringList parts = sentence.split(u'…'); // The text between the parts is the finder's.
        QVERIFY2(fixture.status().startsWith(parts.first()) && fixture.status().endsWith(parts.last()),
                 qPrintable(fixture.status()));
        QVERIFY(fixture.command().isVisible() && fixture.keyboard() == &fixture.command());
        QCOMPARE(fixture.command().text(), command);
        QCOMPARE(fixture.window.widget<QLineEdit>("programData").text(), QStringLiteral("cart:*"));
        QVERIFY(fixture.find("getdel")); // A further search works.
        QVERIFY(fixture.status().startsWith(QStringLiteral("Broken promises: 1.")));
    }

    /// The program sends no ECHO. Its clients are inside after a command of their own.
    void patterns_sayWhereAClientIsInside()
    {
        ProgramFormFixture fixture;
        for (const char *fault : {"programCrashes", "programPasses"})
            fixture.window.widget<QSpinBox>(fault).setValue(0);
        fixture.window.widget<QLineEdit>("programResource").setText(QStringLiteral("order:1"));
        QVERIFY(fixture.find("readwrite"));
        QVERIFY2(fixture.lines().value(0).startsWith(QStringLiteral("mutual-exclusion Does not apply")),
                 qPrintable(fixture.status()));
        fixture.window.click("programChange");
        fixture.window.widget<QLineEdit>("programLocks").setText(QStringLiteral("lock other:*"));
        fixture.window.widget<QLineEdit>("programInside").setText(QStringLiteral("SETNX lock *; GET order:1 -> any "));
        fixture.window.widget<QLineEdit>("programOutside").setText(QStringLiteral("SET order:1 *;"));
        fixture.type("readwrite");
        fixture.window.click("programStart");
        QVERIFY(test::waitFor([&] { return fixture.search().state() != State::Running; }));
        QCOMPARE(fixture.status(), QStringLiteral("readwrite.py: it holds no key that --lock names when it is inside"));
        const racesearch::ProgramToExplore &sought = fixture.search().program();
        QCOMPARE(sought.locks, (QStringList {QStringLiteral("lock"), QStringLiteral("other:*")}));
        QCOMPARE(sought.inside, (QStringList {QStringLiteral("SETNX lock *"), QStringLiteral("GET order:1 -> any")}));
        QCOMPARE(sought.outside, QStringList {QStringLiteral("SET order:1 *")});
        fixture.window.widget<QLineEdit>("programLocks").clear();
        QVERIFY(fixture.find("readwrite"));
        QVERIFY2(fixture.lines().value(0).startsWith(QStringLiteral("mutual-exclusion Broken: ")),
                 qPrintable(fixture.lines().value(0) + fixture.status()));
    }

    void badPattern_isASentence_andMarked_data()
    {
        QTest::addColumn<QString>("inside");
        QTest::addColumn<QString>("outside");
        QTest::addColumn<QString>("wrong");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *inside, const char *outside, const char *wrong, const char *sentence) {
            QTest::addRow("%s | %s", inside, outside) << QString::fromLatin1(inside) << QString::fromLatin1(outside)
                                                      << QString::fromLatin1(wrong) << QString::fromLatin1(sentence);
        };
        row("SET lock * NX -> a b", "DEL lock", "programInside",
            "\"SET lock * NX -> a b\": one word for the reply must follow ->");
        row("SETNX lock *", "DEL lock; -> any", "programOutside", "\"-> any\": the command is missing");
        row("SETNX lock *", " ; ", "programOutside", "Enter the command after which a client is outside.");
        row("", "DEL lock", "programInside", "Enter the command after which a client is inside.");
    }
    void badPattern_isASentence_andMarked()
    {
        QFETCH(QString, inside);
        QFETCH(QString, outside);
        QFETCH(QString, wrong);
        ProgramFormFixture fixture;
        fixture.type("setnxexpire");
        fixture.window.widget<QLineEdit>("programInside").setText(inside);
        fixture.window.widget<QLineEdit>("programOutside").setText(outside);
        QTest::keyClick(&fixture.window.widget<QLineEdit>("programOutside"), Qt::Key_Return);
        QTEST(fixture.status(), "sentence");
        QCOMPARE(fixture.search().state(), State::Idle);
        auto &field = fixture.window.widget<QLineEdit>(wrong.toLatin1().constData());
        QCOMPARE(fixture.keyboard(), &field);
        QCOMPARE(field.property("kind").toString(), QStringLiteral("error"));
        QTest::keyClicks(&field, QStringLiteral("x"));
        QCOMPARE(field.property("kind").toString(), QString());
    }

    void folder_isWhereTheProgramStarts()
    {
        ProgramFormFixture fixture;
        QStringList words = test::workerCommand(QStringLiteral("readwrite"));
        const QFileInfo worker(words.takeLast());
        fixture.command().setText((words + QStringList {worker.fileName()}).join(u' '));
        auto &folder = fixture.window.widget<QLineEdit>("programFolder");
        folder.setText(worker.path() + QStringLiteral("/none"));
        QTest::keyClick(&folder, Qt::Key_Return);
        QCOMPARE(fixture.status(), QStringLiteral("There is no folder %1/none").arg(worker.path()));
        QVERIFY(folder.isVisible());
        folder.setText(worker.path());
        auto &resource = fixture.window.widget<QLineEdit>("programResource");
        resource.setText(QStringLiteral("order:1"));
        QTest::keyClick(&resource, Qt::Key_Return);
        QVERIFY(fixture.isOver());
        QVERIFY2(fixture.status().startsWith(QStringLiteral("Broken promises: 1.")), qPrintable(fixture.status()));
        QVERIFY(fixture.inPanel<QLabel>("sectionTitle").text().contains(QStringLiteral("readwrite.py: 2 clients")));
    }

    void lockOnSeveralServers_isSearchedOnAll()
    {
        ProgramFormFixture fixture;
        fixture.window.widget<QSpinBox>("programServers").setValue(2);
        for (const char *fault : {"programCrashes", "programPasses"})
            fixture.window.widget<QSpinBox>(fault).setValue(0);
        QVERIFY(fixture.find("quorum"));
        QCOMPARE(fixture.status(), QStringLiteral("No promise is broken in any schedule within these limits."));
        QVERIFY(fixture.inPanel<QLabel>("sectionTitle")
                    .text()
                    .endsWith(QStringLiteral(": 2 clients on 2 servers with at most 3 timer steps")));
        QVERIFY(fixture.find("getdel"));
        QVERIFY2(fixture.status().contains(QStringLiteral("it connects to only one of 2 servers")),
                 qPrintable(fixture.status()));
    }

    void elapsedTimeLimit_isReported()
    {
        ProgramFormFixture fixture;
        auto &longest = fixture.window.widget<QComboBox>("programLongest");
        longest.setItemData(0, 5); // Enough to start the program on a busy machine, but not for all schedules.
        longest.setCurrentIndex(0);
        fixture.window.widget<QSpinBox>("programClients").setValue(4);
        QVERIFY(fixture.find("twoconversations"));
        QVERIFY(!fixture.search().isCancelled());
        QVERIFY2(fixture.status().startsWith(QStringLiteral("Time limit reached")), qPrintable(fixture.status()));
        QVERIFY(fixture.lines().value(0).endsWith(QStringLiteral(" states: limit reached")));
    }

    /// A program that behaves differently only in rare cases is detected late.
    void resultsBeforeAnError_areShownWithIt()
    {
        ProgramFormFixture fixture;
        fixture.window.widget<QLineEdit>("programResource").setText(QStringLiteral("order:1"));
        fixture.window.widget<QSpinBox>("programPasses").setValue(0);
        QVERIFY(fixture.find("laterchance"));
        QVERIFY2(fixture.status().startsWith(QStringLiteral("The search failed: laterchance.py: ")),
                 qPrintable(fixture.status()));
        QVERIFY2(fixture.status().endsWith(QStringLiteral("Broken promises: 1. Select one to play it.")),
                 qPrintable(fixture.status()));
        QVERIFY(fixture.lines()[1].startsWith(QStringLiteral("lost-update Broken: ")));
        QVERIFY(fixture.lines().back().contains(QStringLiteral(" Unknown: ")));
    }

    void nothingIsLeft_whenTheWindowCloses()
    {
        QList<pid_t> family;
        {
            ProgramFormFixture fixture;
            QVERIFY(fixture.searchWithoutEnd());
            const auto finder = static_cast<pid_t>(fixture.search().processId());
            // The processes of the program are short-lived; waits until one exists besides the server.
            LATCHKEY_AWAIT((family = familyOf(finder)).size() > 2);
        }
        LATCHKEY_AWAIT(std::ranges::none_of(family, test::isAlive));
    }

    void form_isKeptWithoutItsCommand()
    {
        ProgramFormFixture fixture;
        fixture.window.widget<QLineEdit>("programResource").setText(QStringLiteral("order:1"));
        fixture.window.widget<QSpinBox>("programPreemptions").setValue(2);
        fixture.window.widget<QComboBox>("programLongest").setCurrentIndex(2);
        fixture.window.widget<QComboBox>("programServerFaults").setCurrentIndex(3);
        fixture.window.widget<QSpinBox>("programRestarts").setValue(3);
        fixture.window.widget<QComboBox>("programPersistence").setCurrentIndex(1);
        QVERIFY(fixture.find("readwrite"));
        const QString path = fixture.window.folder.filePath(QStringLiteral("latchkey.ini"));
        QByteArray contents;
        const auto read = [&] {
            QFile file(path);
            contents = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
            return contents.contains("order:1");
        };
        LATCHKEY_AWAIT(read()); // The settings are written with a delay.
        QVERIFY2(!contents.contains("readwrite"), contents.constData());

        MainWindowFixture other;
        other.settings.setProgramForm(ui::shell::Settings(path).programForm());
        QTest::mouseClick(&other.widget<QToolButton>("storiesButton"), Qt::LeftButton);
        QCOMPARE(other.widget<QLineEdit>("programResource").text(), QStringLiteral("order:1"));
        QCOMPARE(other.widget<QSpinBox>("programPreemptions").value(), 2);
        QCOMPARE(other.widget<QComboBox>("programLongest").currentIndex(), 2);
        QCOMPARE(other.widget<QComboBox>("programServerFaults").currentText(), QStringLiteral("restarts"));
        QCOMPARE(other.widget<QSpinBox>("programRestarts").value(), 3);
        QCOMPARE(other.widget<QComboBox>("programPersistence").currentText(), QStringLiteral("everysec"));
        QCOMPARE(other.widget<QLineEdit>("programCommand").text(), QString());
    }

    /// Another program may have changed the saved form.
    void formThatWasKeptBadly_hasItsUsualValues()
    {
        MainWindowFixture fixture;
        fixture.settings.setProgramForm({{QStringLiteral("clients"), QStringLiteral("many")},
                                         {QStringLiteral("crashes"), 1000},
                                         {QStringLiteral("seconds"), -5}});
        QTest::mouseClick(&fixture.widget<QToolButton>("storiesButton"), Qt::LeftButton);
        QCOMPARE(fixture.widget<QSpinBox>("programClients").value(), 2);
        QCOMPARE(fixture.widget<QSpinBox>("programCrashes").value(), 10);
        QCOMPARE(fixture.widget<QComboBox>("programLongest").currentIndex(), 1);
    }

    void insertedFile_isAWordOfItsOwn()
    {
        ProgramFormFixture fixture;
        const QString path = fixture.window.folder.filePath(QStringLiteral("my \"worker\".py"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        fixture.command().setText(QStringLiteral("python3"));
        fixture.window.click("programBrowse");
        auto *dialog = fixture.panel().findChild<QFileDialog *>();
        QVERIFY(dialog != nullptr);
        Q_EMIT dialog->fileSelected(path);
        dialog->reject();
        QCOMPARE(QProcess::splitCommand(fixture.command().text()), (QStringList {QStringLiteral("python3"), path}));
    }

    void keyboard_startsAndCancels()
    {
        ProgramFormFixture fixture;
        fixture.type("getdel");
        QTest::keyClick(&fixture.command(), Qt::Key_Return);
        QCOMPARE(fixture.keyboard(),
                 &fixture.window.button("programStart")); // The form, which had the focus, is hidden.
        QVERIFY(fixture.isOver());
        for (const QWidget *each : fixture.panel().findChildren<QWidget *>()) {
            const bool isOfQt = each->objectName().startsWith(QStringLiteral("qt_"));
            if (each->focusPolicy() == Qt::NoFocus || isOfQt || qobject_cast<const QLabel *>(each) != nullptr)
                continue;
            const auto *button = qobject_cast<const QPushButton *>(each);
            const bool isPart = each->parentWidget()->inherits("QAbstractScrollArea")
                             || each->parentWidget()->inherits("QAbstractSpinBox")
                             || each->parentWidget()->inherits("QComboBoxPrivateContainer");
            QVERIFY2(isPart || !each->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty()),
                     qPrintable(each->objectName() + QLatin1String(each->metaObject()->className())));
        }
    }

    void everything_hasRoomInTheSmallestWindow_data()
    {
        QTest::addColumn<ui::i18n::LanguageSwitcher::Choice>("language");
        QTest::newRow("English") << ui::i18n::LanguageSwitcher::Choice::English;
        QTest::newRow("Chinese") << ui::i18n::LanguageSwitcher::Choice::Chinese;
    }
    void everything_hasRoomInTheSmallestWindow()
    {
        QFETCH(ui::i18n::LanguageSwitcher::Choice, language);
        ProgramFormFixture fixture;
        fixture.window.window.resize(960, 560);
        fixture.window.languageSwitcher.choose(language);
        LATCHKEY_AWAIT(cutOff(fixture).isEmpty());
        auto &faults = fixture.window.widget<QComboBox>("programServerFaults");
        faults.setCurrentIndex(1); // All kinds have the most fields.
        LATCHKEY_AWAIT(cutOff(fixture).isEmpty());
        QVERIFY(fixture.window.widget<QComboBox>("programPersistence").isVisible());
        faults.setCurrentIndex(0);
        QCOMPARE(fixture.window.window.size(), QSize(960, 560));
        QVERIFY(fixture.find("setnxexpire"));
        LATCHKEY_AWAIT(cutOff(fixture).isEmpty());
        QCOMPARE(fixture.window.window.size(), QSize(960, 560));
        const auto &list = fixture.inPanel<QTreeView>("programAnswers");
        QVERIFY(list.viewport()->height() >= 2 * list.sizeHintForRow(0));
        QVERIFY(fixture.inPanel<QPlainTextEdit>("programSchedule").viewport()->height()
                >= 2 * list.fontMetrics().height());
    }

    void progress_hasRoomInTheSmallestWindow()
    {
        ProgramFormFixture fixture;
        fixture.window.window.resize(960, 560);
        QVERIFY(fixture.searchWithoutEnd());
        LATCHKEY_AWAIT(cutOff(fixture).isEmpty());
        QCOMPARE(fixture.window.window.size(), QSize(960, 560));
    }

    void anotherLanguage_translatesTheAnswersAgain()
    {
        ProgramFormFixture fixture;
        QVERIFY(fixture.find("setnxexpire"));
        const QString english = fixture.status();
        fixture.window.languageSwitcher.choose(ui::i18n::LanguageSwitcher::Choice::Chinese);
        LATCHKEY_AWAIT(fixture.status() != english);
        QCOMPARE(fixture.window.widget<QComboBox>("programLongest").currentText(), QStringLiteral("1 分钟"));
        QCOMPARE(fixture.window.widget<QSpinBox>("programPreemptions").text(), QStringLiteral("不限次数"));
        for (const QString &line : fixture.lines())
            QVERIFY2(!line.contains(QStringLiteral("Broken")) && !line.contains(QStringLiteral("Holds")),
                     qPrintable(line));
    }
};

LATCHKEY_WINDOW_TEST(TestProgramPanel)

} // namespace tst_programpanel

#include "tst_programpanel.moc"

#include "tests/support/childprocesses.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"
#include "tests/ui/programformfixture.h"
#include "ui/pages/stories/alternativeview.h"
#include "ui/views/diagram/diagrampanel.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QListWidget>
#include <QPlainTextEdit>

#include <algorithm>

namespace tst_programpanel {

using namespace latchkey;
using test::MainWindowFixture;
using test::ProgramFormFixture;
using ui::stories::AlternativeView;
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
QString cutOff(const ProgramFormFixture &bench)
{
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    const QRect whole = bench.window.window.rect();
    QRegion taken;
    for (const QWidget *each : bench.panel().findChildren<QWidget *>()) {
        const bool isControl = qobject_cast<const QPushButton *>(each) || qobject_cast<const QComboBox *>(each)
                            || qobject_cast<const QAbstractSpinBox *>(each) || qobject_cast<const QLabel *>(each)
                            || qobject_cast<const QLineEdit *>(each);
        if (!isControl || !each->isVisible() || each->objectName().startsWith(QStringLiteral("qt_")))
            continue;
        const QRect place(each->mapTo(&bench.window.window, QPoint()), each->size());
        const auto *label = qobject_cast<const QLabel *>(each);
        const int needed = label != nullptr && label->wordWrap() ? label->heightForWidth(label->width()) : 0;
        if (!whole.contains(place) || each->width() < each->minimumSizeHint().width() || each->height() < needed)
            return each->objectName() + u' ' + each->accessibleName();
        const bool isPart = each->parentWidget()->inherits("QAbstractSpinBox"); // The line edit of a spin box.
        if (!isPart && taken.intersects(place))
            return each->objectName() + QStringLiteral(" lies over another");
        taken += place;
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
        ProgramFormFixture bench;
        QVERIFY(bench.panel().isVisible() && bench.keyboard() == &bench.command());
        QVERIFY(bench.find("setnxexpire"));
        QCOMPARE(bench.lines().size(), 5);
        QCOMPARE(bench.lines()[1], QStringLiteral("lost-update Does not apply: no shared key is named"));
        QVERIFY(bench.lines()[0].startsWith(QStringLiteral("mutual-exclusion Holds in all ")));
        QCOMPARE(bench.lines()[2],
                 QStringLiteral(
                     "owner-only-release Broken: a client has ended or changed a lock that another client holds"));
        QCOMPARE(bench.lines()[3], QStringLiteral("no-immortal-key Broken: a key is left behind that never expires"));
        QCOMPARE(bench.status(), QStringLiteral("Broken promises: 3. Select one to play it."));
        QVERIFY(!bench.command().isVisible()); // The answers have replaced the form.

        bench.inPanel<QTreeView>("programAnswers").setCurrentIndex(bench.answers().index(3, 0));
        const QString schedule = bench.inPanel<QPlainTextEdit>("programSchedule").toPlainText();
        QCOMPARE(schedule.split(u'\n').front(), QStringLiteral("  1  A  SETNX lock 1 → (integer) 1"));
        QTest::mouseClick(&bench.inPanel<QPushButton>("programPlay"), Qt::LeftButton);
        QVERIFY(!bench.panel().isVisible());
        QCOMPARE(bench.window.widget<QListWidget>("stories").currentItem()->text(),
                 QStringLiteral("setnxexpire.py breaks no-immortal-key\n"
                                "from the race finder"));
        auto &stage = *bench.window.window.findChild<AlternativeView *>();
        auto &speed = bench.window.widget<QComboBox>("storySpeed");
        speed.setCurrentIndex(speed.count() - 1);
        bench.window.click("storyPlay");
        LATCHKEY_AWAIT(stage.isOver());
        QCOMPARE(stage.player().verdict(), latchkey::scenarios::ScenarioVerdict::Passed);
        QCOMPARE(stage.findChild<QLabel *>(QStringLiteral("storyVerdict"))->text(),
                 QStringLiteral("A key is left behind that never expires."));
        verifySavedStory(stage, bench.window.folder.filePath(QStringLiteral("saved.json")));

        bench.open(); // The results are kept.
        QCOMPARE(bench.lines().size(), 5);
    }

    /// The command line can play the saved story.
    static void verifySavedStory(AlternativeView &stage, const QString &path)
    {
        LATCHKEY_VERIFY_RESULT(stage.panel().saveAs(path));
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
        ProgramFormFixture bench;
        QVERIFY(bench.find("dying"));
        QCOMPARE(bench.status(), QStringLiteral("No promise is broken in any schedule within these limits."));
        QVERIFY(bench.lines().contains(QStringLiteral("lost-update Does not apply: no shared key is named")));
        const QString notes = bench.inPanel<QLabel>("programNotes").text();
        QVERIFY2(notes.contains(QStringLiteral(" processes started.")), qPrintable(notes));
        QVERIFY2(notes.contains(QStringLiteral("exit code 1; last output: the lock is another's")), qPrintable(notes));
        QVERIFY2(notes.contains(QStringLiteral("The program's clock was ")), qPrintable(notes));
    }

    void faults_areLimitedByTheForm()
    {
        ProgramFormFixture bench;
        for (const char *fault : {"programCrashes", "programPasses", "programWaits"})
            bench.window.widget<QSpinBox>(fault).setValue(0);
        QVERIFY(bench.find("setnxexpire"));
        QCOMPARE(bench.status(), QStringLiteral("No promise is broken in any schedule within these limits."));
        QVERIFY(bench.inPanel<QLabel>("sectionTitle").text().endsWith(QStringLiteral(": 2 clients without faults")));
        bench.window.click("programChange");
        QVERIFY(bench.command().isVisible());
        bench.window.widget<QSpinBox>("programCrashes").setValue(1);
        bench.window.click("programStart");
        QVERIFY(bench.isOver());
        QVERIFY(bench.status().startsWith(QStringLiteral("Broken promises: 2.")));
    }

    void cancel_leavesAPartialVerdictThatIsMarked()
    {
        ProgramFormFixture bench;
        QVERIFY(bench.searchWithoutEnd());
        QVERIFY2(bench.status().contains(QStringLiteral(" processes started; ")), qPrintable(bench.status()));
        QCOMPARE(bench.window.button("programStart").text(), QStringLiteral("Cancel"));
        const QList<pid_t> family = familyOf(static_cast<pid_t>(bench.search().processId()));
        bench.window.click("programStart");
        QVERIFY(bench.isOver());
        QVERIFY2(bench.status().startsWith(QStringLiteral("Stopped early")), qPrintable(bench.status()));
        QCOMPARE(bench.lines().size(), 5);
        QVERIFY(bench.lines().value(0).endsWith(QStringLiteral(" states: stopped")));
        QVERIFY(bench.lines().back().endsWith(QStringLiteral("Unknown: not reached by the search")));
        LATCHKEY_AWAIT(std::ranges::none_of(family, test::isAlive));
        QCOMPARE(bench.window.button("programStart").text(), QStringLiteral("Search again"));
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
        ProgramFormFixture bench;
        bench.command().setText(command);
        bench.window.widget<QLineEdit>("programData").setText(QStringLiteral("cart:*"));
        QTest::keyClick(&bench.command(), Qt::Key_Return);
        QVERIFY(test::waitFor([&] { return bench.search().state() != State::Running; }));
        QFETCH(QString, sentence);
        const QStringList parts = sentence.split(u'…'); // The text between the parts is the finder's.
        QVERIFY2(bench.status().startsWith(parts.first()) && bench.status().endsWith(parts.last()),
                 qPrintable(bench.status()));
        QVERIFY(bench.command().isVisible() && bench.keyboard() == &bench.command());
        QCOMPARE(bench.command().text(), command);
        QCOMPARE(bench.window.widget<QLineEdit>("programData").text(), QStringLiteral("cart:*"));
        QVERIFY(bench.find("getdel")); // A further search works.
        QVERIFY(bench.status().startsWith(QStringLiteral("Broken promises: 1.")));
    }

    /// The program sends no ECHO. Its clients are inside after a command of their own.
    void patterns_sayWhereAClientIsInside()
    {
        ProgramFormFixture bench;
        for (const char *fault : {"programCrashes", "programPasses"})
            bench.window.widget<QSpinBox>(fault).setValue(0);
        bench.window.widget<QLineEdit>("programResource").setText(QStringLiteral("order:1"));
        QVERIFY(bench.find("readwrite"));
        QVERIFY2(bench.lines().value(0).startsWith(QStringLiteral("mutual-exclusion Does not apply")),
                 qPrintable(bench.status()));
        bench.window.click("programChange");
        bench.window.widget<QLineEdit>("programLocks").setText(QStringLiteral("lock other:*"));
        bench.window.widget<QLineEdit>("programInside").setText(QStringLiteral("SETNX lock *; GET order:1 -> any "));
        bench.window.widget<QLineEdit>("programOutside").setText(QStringLiteral("SET order:1 *;"));
        bench.type("readwrite");
        bench.window.click("programStart");
        QVERIFY(test::waitFor([&] { return bench.search().state() != State::Running; }));
        QCOMPARE(bench.status(), QStringLiteral("readwrite.py: it holds no key that --lock names when it is inside"));
        const racesearch::ProgramToExplore &sought = bench.search().program();
        QCOMPARE(sought.locks, (QStringList {QStringLiteral("lock"), QStringLiteral("other:*")}));
        QCOMPARE(sought.inside, (QStringList {QStringLiteral("SETNX lock *"), QStringLiteral("GET order:1 -> any")}));
        QCOMPARE(sought.outside, QStringList {QStringLiteral("SET order:1 *")});
        bench.window.widget<QLineEdit>("programLocks").clear();
        QVERIFY(bench.find("readwrite"));
        QVERIFY2(bench.lines().value(0).startsWith(QStringLiteral("mutual-exclusion Broken: ")),
                 qPrintable(bench.lines().value(0) + bench.status()));
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
        ProgramFormFixture bench;
        bench.type("setnxexpire");
        bench.window.widget<QLineEdit>("programInside").setText(inside);
        bench.window.widget<QLineEdit>("programOutside").setText(outside);
        QTest::keyClick(&bench.window.widget<QLineEdit>("programOutside"), Qt::Key_Return);
        QTEST(bench.status(), "sentence");
        QCOMPARE(bench.search().state(), State::Idle);
        auto &field = bench.window.widget<QLineEdit>(wrong.toLatin1().constData());
        QCOMPARE(bench.keyboard(), &field);
        QCOMPARE(field.property("kind").toString(), QStringLiteral("error"));
        QTest::keyClicks(&field, QStringLiteral("x"));
        QCOMPARE(field.property("kind").toString(), QString());
    }

    void folder_isWhereTheProgramStarts()
    {
        ProgramFormFixture bench;
        QStringList words = test::workerCommand(QStringLiteral("readwrite"));
        const QFileInfo worker(words.takeLast());
        bench.command().setText((words + QStringList {worker.fileName()}).join(u' '));
        auto &folder = bench.window.widget<QLineEdit>("programFolder");
        folder.setText(worker.path() + QStringLiteral("/none"));
        QTest::keyClick(&folder, Qt::Key_Return);
        QCOMPARE(bench.status(), QStringLiteral("There is no folder %1/none").arg(worker.path()));
        QVERIFY(folder.isVisible());
        folder.setText(worker.path());
        auto &resource = bench.window.widget<QLineEdit>("programResource");
        resource.setText(QStringLiteral("order:1"));
        QTest::keyClick(&resource, Qt::Key_Return);
        QVERIFY(bench.isOver());
        QVERIFY2(bench.status().startsWith(QStringLiteral("Broken promises: 1.")), qPrintable(bench.status()));
        QVERIFY(bench.inPanel<QLabel>("sectionTitle").text().contains(QStringLiteral("readwrite.py: 2 clients")));
    }

    void lockOnSeveralServers_isSearchedOnAll()
    {
        ProgramFormFixture bench;
        bench.window.widget<QSpinBox>("programServers").setValue(2);
        for (const char *fault : {"programCrashes", "programPasses"})
            bench.window.widget<QSpinBox>(fault).setValue(0);
        QVERIFY(bench.find("quorum"));
        QCOMPARE(bench.status(), QStringLiteral("No promise is broken in any schedule within these limits."));
        QVERIFY(bench.inPanel<QLabel>("sectionTitle")
                    .text()
                    .endsWith(QStringLiteral(": 2 clients on 2 servers with at most 3 timer steps")));
        QVERIFY(bench.find("getdel"));
        QVERIFY2(bench.status().contains(QStringLiteral("it connects to only one of 2 servers")),
                 qPrintable(bench.status()));
    }

    void elapsedTimeLimit_isReported()
    {
        ProgramFormFixture bench;
        auto &longest = bench.window.widget<QComboBox>("programLongest");
        longest.setItemData(0, 5); // Enough to start the program on a busy machine, but not for all schedules.
        longest.setCurrentIndex(0);
        bench.window.widget<QSpinBox>("programClients").setValue(4);
        QVERIFY(bench.find("twoconversations"));
        QVERIFY(!bench.search().isCancelled());
        QVERIFY2(bench.status().startsWith(QStringLiteral("Time limit reached")), qPrintable(bench.status()));
        QVERIFY(bench.lines().value(0).endsWith(QStringLiteral(" states: limit reached")));
    }

    /// A program that behaves differently only in rare cases is detected late.
    void resultsBeforeAnError_areShownWithIt()
    {
        ProgramFormFixture bench;
        bench.window.widget<QLineEdit>("programResource").setText(QStringLiteral("order:1"));
        bench.window.widget<QSpinBox>("programPasses").setValue(0);
        QVERIFY(bench.find("laterchance"));
        QVERIFY2(bench.status().startsWith(QStringLiteral("The search failed: laterchance.py: ")),
                 qPrintable(bench.status()));
        QVERIFY(bench.status().endsWith(QStringLiteral("Broken promises: 1. Select one to play it.")));
        QVERIFY(bench.lines()[1].startsWith(QStringLiteral("lost-update Broken: ")));
        QVERIFY(bench.lines().back().contains(QStringLiteral(" Unknown: ")));
    }

    void nothingIsLeft_whenTheWindowCloses()
    {
        QList<pid_t> family;
        {
            ProgramFormFixture bench;
            QVERIFY(bench.searchWithoutEnd());
            const auto finder = static_cast<pid_t>(bench.search().processId());
            // The processes of the program are short-lived; waits until one exists besides the server.
            LATCHKEY_AWAIT((family = familyOf(finder)).size() > 2);
        }
        LATCHKEY_AWAIT(std::ranges::none_of(family, test::isAlive));
    }

    void form_isKeptWithoutItsCommand()
    {
        ProgramFormFixture bench;
        bench.window.widget<QLineEdit>("programResource").setText(QStringLiteral("order:1"));
        bench.window.widget<QSpinBox>("programPreemptions").setValue(2);
        bench.window.widget<QComboBox>("programLongest").setCurrentIndex(2);
        QVERIFY(bench.find("readwrite"));
        const QString path = bench.window.folder.filePath(QStringLiteral("latchkey.ini"));
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
        QCOMPARE(other.widget<QLineEdit>("programCommand").text(), QString());
    }

    /// Another program may have changed the saved form.
    void formThatWasKeptBadly_hasItsUsualValues()
    {
        MainWindowFixture bench;
        bench.settings.setProgramForm({{QStringLiteral("clients"), QStringLiteral("many")},
                                       {QStringLiteral("crashes"), 1000},
                                       {QStringLiteral("seconds"), -5}});
        QTest::mouseClick(&bench.widget<QToolButton>("storiesButton"), Qt::LeftButton);
        QCOMPARE(bench.widget<QSpinBox>("programClients").value(), 2);
        QCOMPARE(bench.widget<QSpinBox>("programCrashes").value(), 10);
        QCOMPARE(bench.widget<QComboBox>("programLongest").currentIndex(), 1);
    }

    void insertedFile_isAWordOfItsOwn()
    {
        ProgramFormFixture bench;
        const QString path = bench.window.folder.filePath(QStringLiteral("my \"worker\".py"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        bench.command().setText(QStringLiteral("python3"));
        bench.window.click("programBrowse");
        auto *dialog = bench.panel().findChild<QFileDialog *>();
        QVERIFY(dialog != nullptr);
        Q_EMIT dialog->fileSelected(path);
        dialog->reject();
        QCOMPARE(QProcess::splitCommand(bench.command().text()), (QStringList {QStringLiteral("python3"), path}));
    }

    void keyboard_startsAndCancels()
    {
        ProgramFormFixture bench;
        bench.type("getdel");
        QTest::keyClick(&bench.command(), Qt::Key_Return);
        QCOMPARE(bench.keyboard(), &bench.window.button("programStart")); // The form, which had the focus, is hidden.
        QVERIFY(bench.isOver());
        for (const QWidget *each : bench.panel().findChildren<QWidget *>()) {
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
        ProgramFormFixture bench;
        bench.window.window.resize(960, 560);
        bench.window.languageSwitcher.choose(language);
        LATCHKEY_AWAIT(cutOff(bench).isEmpty());
        QCOMPARE(bench.window.window.size(), QSize(960, 560));
        QVERIFY(bench.find("setnxexpire"));
        LATCHKEY_AWAIT(cutOff(bench).isEmpty());
        QCOMPARE(bench.window.window.size(), QSize(960, 560));
        const auto &list = bench.inPanel<QTreeView>("programAnswers");
        QVERIFY(list.viewport()->height() >= 2 * list.sizeHintForRow(0));
        QVERIFY(bench.inPanel<QPlainTextEdit>("programSchedule").viewport()->height()
                >= 2 * list.fontMetrics().height());
    }

    void progress_hasRoomInTheSmallestWindow()
    {
        ProgramFormFixture bench;
        bench.window.window.resize(960, 560);
        QVERIFY(bench.searchWithoutEnd());
        LATCHKEY_AWAIT(cutOff(bench).isEmpty());
        QCOMPARE(bench.window.window.size(), QSize(960, 560));
    }

    void anotherLanguage_wordsTheAnswersAnew()
    {
        ProgramFormFixture bench;
        QVERIFY(bench.find("setnxexpire"));
        const QString english = bench.status();
        bench.window.languageSwitcher.choose(ui::i18n::LanguageSwitcher::Choice::Chinese);
        LATCHKEY_AWAIT(bench.status() != english);
        QCOMPARE(bench.window.widget<QComboBox>("programLongest").currentText(), QStringLiteral("1 分钟"));
        QCOMPARE(bench.window.widget<QSpinBox>("programPreemptions").text(), QStringLiteral("不限次数"));
        for (const QString &line : bench.lines())
            QVERIFY2(!line.contains(QStringLiteral("Broken")) && !line.contains(QStringLiteral("Holds")),
                     qPrintable(line));
    }
};

LATCHKEY_WINDOW_TEST(TestProgramPanel)

} // namespace tst_programpanel

#include "tst_programpanel.moc"

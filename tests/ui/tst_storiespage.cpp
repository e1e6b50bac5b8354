#include "core/recipes/caches/catalogue.h"
#include "core/recipes/locks/catalogue.h"
#include "core/redis/exchange/script.h"
#include "tests/support/childprocesses.h"
#include "tests/support/mainwindowfixture.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"
#include "ui/pages/stories/alternativeview.h"
#include "ui/pages/stories/raceanswers.h"
#include "ui/pages/stories/racepanel.h"
#include "ui/pages/stories/recipeview.h"
#include "ui/views/diagram/diagrampanel.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QSplitter>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <csignal>

namespace tst_storiespage {

using namespace latchkey;
using test::MainWindowFixture;
using ui::stories::AlternativeView;
using ui::stories::RacePanel;
using ui::stories::RecipeView;
using ui::stories::StoriesPage;

namespace {

void open(const MainWindowFixture &fixture)
{
    QTest::mouseClick(&fixture.widget<QToolButton>("storiesButton"), Qt::LeftButton);
}

QList<AlternativeView *> alternatives(const MainWindowFixture &fixture)
{
    const auto *splitter = fixture.window.findChild<StoriesPage *>()->findChild<QSplitter *>();
    QList<AlternativeView *> all; // From left to right.
    for (int i = 0; i < splitter->count(); ++i)
        all += qobject_cast<AlternativeView *>(splitter->widget(i));
    return all;
}

QString text(const QWidget &within, const char *name)
{
    return within.findChild<QLabel *>(QString::fromLatin1(name))->text();
}

void choose(const MainWindowFixture &fixture, const QString &title)
{
    auto &list = fixture.widget<QListWidget>("stories");
    for (int row = 0; row < list.count(); ++row) {
        if (list.item(row)->text() == title)
            return list.setCurrentRow(row);
    }
    qFatal("there is no story \"%s\"", qPrintable(title));
}

void makeFast(const MainWindowFixture &fixture)
{
    auto &speed = fixture.widget<QComboBox>("storySpeed");
    speed.setCurrentIndex(speed.count() - 1);
}

} // namespace

class TestStoriesPage final : public QObject
{
    Q_OBJECT

    QTemporaryDir folder;

    [[nodiscard]] QString file(const char *name, const QByteArray &contents) const
    {
        const QString path = folder.filePath(QLatin1String(name));
        QFile written(path);
        if (!written.open(QIODevice::WriteOnly) || written.write(contents) != contents.size())
            qFatal("cannot write a story");
        return path;
    }

    /// Verifies that the command line can play the saved story, with the expected result.
    void verifySavedStory(AlternativeView &alternative, const char *name) const
    {
        const QString path = folder.filePath(QLatin1String(name));
        LATCHKEY_VERIFY_RESULT(alternative.panel().saveAs(path));
        QProcess program;
        program.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("story"), path, QStringLiteral("--speed"),
                                                     QStringLiteral("20"), QStringLiteral("--json")});
        const test::Outcome outcome = test::outcomeOf(program);
        QVERIFY2(outcome.exitCode == 0, (outcome.output + outcome.errors).constData());
    }

private Q_SLOTS:
    /// A verdict is wrapped in a narrow list, and its row has the height for all lines.
    void verdicts_areWholeInANarrowList()
    {
        MainWindowFixture fixture;
        ui::stories::RaceAnswers answers(QStringLiteral("race"), true, fixture.appearance);
        answers.resize(640, 400);
        std::vector<ui::stories::RaceAnswers::Line> lines;
        for (int words = 1; words <= 24; ++words) {
            ui::stories::RaceAnswers::Line line;
            line.answer.promise = QStringLiteral("mutual-exclusion");
            line.verdict = QStringList(words, QStringLiteral("inside")).join(u' ');
            lines.push_back(line);
        }
        answers.setLines(lines);
        answers.show();
        const auto &list = *answers.findChild<QTreeView *>(QStringLiteral("raceAnswers"));
        const int margin = list.style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, &list) + 1;
        QCoreApplication::processEvents();
        for (int row = 0; row < static_cast<int>(lines.size()); ++row) {
            const QRect cell = list.visualRect(list.model()->index(row, 2));
            constexpr int indent = 9;
            QStyleOptionViewItem option;
            option.initFrom(&list);
            option.widget = &list;
            option.features = QStyleOptionViewItem::WrapText | QStyleOptionViewItem::HasDisplay;
            option.text = lines[static_cast<std::size_t>(row)].verdict;
            option.rect = cell.adjusted(indent, 0, -indent, 0);
            const QRect text = list.style()->subElementRect(QStyle::SE_ItemViewItemText, &option, &list);
            const QRect room(0, 0, text.width() - 2 * margin, 10'000);
            const int needed = list.fontMetrics().boundingRect(room, Qt::TextWordWrap, option.text).height();
            QVERIFY2(text.height() >= needed,
                     qPrintable(QStringLiteral("%1: %2 of %3").arg(row).arg(text.height()).arg(needed)));
        }
    }

    /// A title that is cut is painted otherwise in a higher item. The width decides which titles need another line.
    void titlesInTheList_areWhole()
    {
        MainWindowFixture fixture;
        open(fixture);
        auto &list = fixture.widget<QListWidget>("stories");
        list.setCurrentRow(-1); // A selected item has a background.
        list.addItem(QStringLiteral("handover.py breaks owner-only-release\nfrom the race finder"));
        list.addItem(QStringLiteral("\u4e94\u53f0\u670d\u52a1\u5668\u505c\u4e00\u53f0\u4e0e\u505c"
                                    "\u4e09\u53f0\u65f6\u7684 Redlock"));
        constexpr int more = 20;
        for (const int width : {200, 224, 238, 245, 252, 260}) {
            list.setFixedWidth(width);
            QCoreApplication::processEvents();
            for (int row = 0; row < list.count(); ++row) {
                QListWidgetItem *item = list.item(row);
                list.scrollToItem(item, QAbstractItemView::PositionAtTop);
                const QRect rect = list.visualItemRect(item);
                const QImage painted = list.viewport()->grab(rect).toImage();
                item->setSizeHint(rect.size() + QSize(0, 2 * more));
                list.scrollToItem(item, QAbstractItemView::PositionAtTop);
                const QRect higher = list.visualItemRect(item);
                QCOMPARE(higher.height(), rect.height() + 2 * more);
                const QRect middle = higher.adjusted(0, more, 0, -more);
                QVERIFY2(list.viewport()->grab(middle).toImage() == painted,
                         qPrintable(QStringLiteral("%1 at width %2").arg(item->text()).arg(width)));
                item->setSizeHint({});
            }
        }
    }

    void stories_areAllThere()
    {
        MainWindowFixture fixture;
        open(fixture);
        QCOMPARE(fixture.widget<QListWidget>("stories").count(), 18);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        QVERIFY(text(fixture.window, "storyQuestion").startsWith(QStringLiteral("Question: How could the server")));
        // Both alternatives are side by side; showing them has started no process.
        QCOMPARE(alternatives(fixture).size(), 2);
        QVERIFY(alternatives(fixture)[0]->accessibleName().contains(QStringLiteral("auto-release")));
        QVERIFY(alternatives(fixture)[1]->accessibleName().contains(QStringLiteral("token")));
        for (const AlternativeView *each : alternatives(fixture))
            QCOMPARE(each->player().state(), scenarios::ScenarioPlayer::State::Empty);
    }

    /// The titles of the two alternatives have different lengths, so that at some widths only one of them has two
    /// lines.
    void diagrams_areAlignedAtEachWidth()
    {
        MainWindowFixture fixture;
        open(fixture);
        const auto tops = [&fixture] {
            QList<int> all;
            for (const AlternativeView *each : alternatives(fixture)) {
                const auto *diagram = each->findChild<ui::diagram::DiagramPanel *>();
                all += diagram->mapTo(&fixture.window, QPoint(0, 0)).y();
            }
            return all;
        };
        const auto titleHeights = [&fixture] {
            QList<int> all;
            for (const AlternativeView *each : alternatives(fixture)) {
                const auto *title = each->findChild<QLabel *>(QStringLiteral("sectionTitle"));
                const QRect room(0, 0, title->width(), QWIDGETSIZE_MAX);
                all += title->fontMetrics().boundingRect(room, Qt::TextWordWrap, title->text()).height();
            }
            return all;
        };
        bool hasDifferentTitles = false;
        for (int width = 960; width <= 1240; width += 20) {
            fixture.window.resize(width, 560);
            LATCHKEY_AWAIT(fixture.window.width() == width && tops().size() == 2 && tops()[0] == tops()[1]);
            QCoreApplication::processEvents(); // They stay aligned.
            QCOMPARE(tops()[0], tops()[1]);
            hasDifferentTitles |= titleHeights()[0] != titleHeights()[1];
        }
        QVERIFY(hasDifferentTitles);
    }

    /// In front of a class, a story starts with one double click in the list.
    void activatedStory_plays()
    {
        MainWindowFixture fixture;
        open(fixture);
        const auto isPlaying = [&fixture] { return fixture.button("storyPlay").text() == u"Pause"; };
        auto &list = fixture.widget<QListWidget>("stories");
        const QPoint second = list.visualItemRect(list.item(1)).center();
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, second);
        QVERIFY(!isPlaying());
        QTest::mouseDClick(list.viewport(), Qt::LeftButton, {}, second);
        QCOMPARE(list.currentRow(), 1);
        QVERIFY(isPlaying());
        QTest::keyClick(&list, Qt::Key_Down); // Another story begins paused.
        QVERIFY(!isPlaying());
        QTest::keyClick(&list, Qt::Key_Return);
        QVERIFY(isPlaying());
    }

    void playedStory_goesBothWaysToTheirVerdicts()
    {
        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        makeFast(fixture);
        fixture.click("storyPlay");
        QCOMPARE(fixture.button("storyPlay").text(), QStringLiteral("Pause"));
        AlternativeView &flawed = *alternatives(fixture)[0];
        AlternativeView &sound = *alternatives(fixture)[1];
        QVERIFY(!fixture.button("storyStep").isEnabled());
        bool wasOverlap = false;
        LATCHKEY_AWAIT(
            (wasOverlap = wasOverlap
                       || (flawed.player().sequence() != nullptr && flawed.player().sequence()->conflict() != nullptr),
             flawed.isOver() && sound.isOver()));
        QCOMPARE(flawed.player().verdict(), scenarios::ScenarioVerdict::Passed);
        QCOMPARE(sound.player().verdict(), scenarios::ScenarioVerdict::Passed);
        QVERIFY(wasOverlap);
        verifySavedStory(flawed, "played.json");
        QCOMPARE(text(flawed, "storyVerdict"),
                 QStringLiteral("Ann's DEL has removed Bob's lock: Bob and Carol are inside at once."));
        QVERIFY(text(fixture.window, "storyQuestion").contains(QStringLiteral("Lesson: ")));
        QCOMPARE(fixture.button("storyPlay").text(), QStringLiteral("Play again"));
        // The diagram stays, with the locks in the servers.
        QCOMPARE(flawed.panel().view().sequence(), flawed.player().sequence());
        QVERIFY(flawed.player().sequence()->rows().size() >= 4);
        QVERIFY(!sound.player().sequence()->presences().empty());
        QVERIFY(sound.player().sequence()->presences().front().holder);
        fixture.click("storyBack");
        QCOMPARE(flawed.player().state(), scenarios::ScenarioPlayer::State::Empty);
        QVERIFY(flawed.panel().view().sequence() == nullptr);
    }

    void step_isOneStepOfEach()
    {
        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        fixture.click("storyStep");
        QVERIFY(!fixture.button("storyStep").isEnabled());
        const QList<AlternativeView *> both = alternatives(fixture);
        QStringList highlightedLine;
        const auto *recipe = both.front()->findChild<RecipeView *>();
        LATCHKEY_AWAIT((highlightedLine += recipe->highlightedLine(), highlightedLine.removeAll(QString()),
                        fixture.button("storyStep").isEnabled() && !highlightedLine.isEmpty()));
        QCOMPARE(highlightedLine.first(), QStringLiteral("SET"));
        for (const AlternativeView *each : both) {
            QCOMPARE(each->player().results().size(), std::size_t(1));
            QCOMPARE(text(*each, "storySentence"), QStringLiteral("Ann acquires the lock for ten seconds."));
            QVERIFY(text(*each, "stepCount").startsWith(QStringLiteral("step 1 of ")));
        }
    }

    void script_lightsUpAsAWholeWhileItIsSent()
    {
        // Every recipe with scripts shows them, and the commands that it sends besides them.
        const auto check = [](const QString &recipe, const QStringList &commands) {
            const ui::stories::RecipeLines lines = ui::stories::linesOf(recipe);
            const bool callsOneElsewhere = recipe == u"hash-hsetex"; // Uses a script only if the server does not know
                                                                     // the command.
            QCOMPARE(lines.scripts.isEmpty(), !commands.contains(QStringLiteral("EVALSHA")) && !callsOneElsewhere);
            for (const QString &script : lines.scripts)
                QVERIFY2(exchange::Script::names().contains(script), qPrintable(script));
            for (const QString &command : lines.commands)
                QVERIFY2(commands.contains(command), qPrintable(recipe + u' ' + command));
        };
        for (const locks::Recipe &recipe : locks::recipes())
            check(recipe.id, recipe.commands);
        for (const caches::Recipe &recipe : caches::recipes())
            check(recipe.id, recipe.commands);

        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        makeFast(fixture);
        AlternativeView &sound = *alternatives(fixture)[1];
        const auto *recipe = sound.findChild<RecipeView *>();
        const auto *source = sound.findChild<QLabel *>(QStringLiteral("recipeSource"));
        QVERIFY(source->text().startsWith(QStringLiteral("local holder = redis.call('GET', KEYS[1])")));
        auto *names = sound.findChild<QLabel *>(QStringLiteral("recipeCommands"));
        const bool wasVisible = source->isVisible();
        Q_EMIT names->linkActivated(QStringLiteral("compare-and-delete"));
        QCOMPARE(source->isVisible(), !wasVisible);
        Q_EMIT names->linkActivated(QStringLiteral("compare-and-extend"));
        QVERIFY(source->isVisible());
        QVERIFY(source->text().contains(QStringLiteral("PEXPIRE")));
        fixture.click("storyPlay");
        LATCHKEY_AWAIT(recipe->highlightedLine() == u"compare-and-delete");
        QCOMPARE(source->property("tone").toString(), QStringLiteral("lit"));
        LATCHKEY_AWAIT(sound.isOver());
        LATCHKEY_AWAIT(source->property("tone").toString().isEmpty());
    }

    void race_isFoundAndPlayedWithProcesses()
    {
        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        auto &button = fixture.button("findRace");
        QVERIFY(button.menu() != nullptr); // The story has two recipes.
        const QList<QAction *> recipes = button.menu()->actions();
        QCOMPARE(recipes.size(), 2);
        QCOMPARE(recipes[0]->text(), QStringLiteral("auto-release"));
        recipes[0]->trigger();
        const auto *panel = fixture.window.findChild<RacePanel *>();
        QVERIFY(panel->isVisible());
        LATCHKEY_AWAIT(panel->search().state() == racesearch::RaceSearch::State::Over);
        const auto *answers = fixture.widget<QTreeView>("raceAnswers").model();
        QCOMPARE(answers->rowCount(), 6);
        QStringList broken;
        for (int row = 0; row < answers->rowCount(); ++row) {
            QVERIFY(!answers->index(row, 1).data().toString().isEmpty());
            if (answers->index(row, 2).data().toString().startsWith(QStringLiteral("Broken with 2 clients: ")))
                broken += answers->index(row, 0).data().toString() + u' ' + answers->index(row, 3).data().toString();
            else
                QVERIFY(answers->index(row, 2).data().toString().startsWith(QStringLiteral("Holds in all ")));
        }
        QCOMPARE(broken, (QStringList {QStringLiteral("owner-only-release 4"), QStringLiteral("fenced 5")}));

        const auto &schedule = fixture.widget<QPlainTextEdit>("raceSchedule");
        QCOMPARE(schedule.toPlainText().count(u'\n'), 3);
        QVERIFY(schedule.toPlainText().startsWith(QStringLiteral("  1  A  SET k locking NX PX 36000000")));
        fixture.click("racePlay"); // The first broken promise is selected.
        QVERIFY(!panel->isVisible());
        auto &list = fixture.widget<QListWidget>("stories");
        QCOMPARE(list.count(), 19);
        QCOMPARE(list.currentItem()->text(), QStringLiteral("auto-release breaks owner-only-release\n"
                                                            "from the race finder"));
        QCOMPARE(alternatives(fixture).size(), 1);
        makeFast(fixture);
        fixture.click("storyPlay");
        LATCHKEY_AWAIT(alternatives(fixture).front()->isOver());
        QCOMPARE(alternatives(fixture).front()->player().verdict(), scenarios::ScenarioVerdict::Passed);
        QCOMPARE(alternatives(fixture).front()->player().results().size(), std::size_t(4));
        QVERIFY(!alternatives(fixture).front()->player().sequence()->presences().empty());
        verifySavedStory(*alternatives(fixture).front(), "counterexample.json");

        fixture.click("findRace"); // The story has one recipe, and its results exist already.
        QVERIFY(panel->isVisible());
        QCOMPARE(panel->search().state(), racesearch::RaceSearch::State::Over);
        fixture.click("racePlay"); // The story is in the list already.
        QCOMPARE(list.count(), 19);
        QCOMPARE(alternatives(fixture).front()->player().state(), scenarios::ScenarioPlayer::State::Empty);
        fixture.click("findRace");
        fixture.click("raceLeave");
        QVERIFY(!panel->isVisible());
    }

    void faultsOfServers_haveTheirOwnPromises()
    {
        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        auto *faults = &fixture.widget<QComboBox>("raceFaults");
        faults->setCurrentIndex(faults->findText(QStringLiteral("faults of servers")));
        fixture.button("findRace").menu()->actions().front()->trigger();
        const auto *panel = fixture.window.findChild<RacePanel *>();
        LATCHKEY_AWAIT(panel->search().state() == racesearch::RaceSearch::State::Over);
        const auto *answers = fixture.widget<QTreeView>("raceAnswers").model();
        QStringList promises;
        for (int row = 0; row < answers->rowCount(); ++row)
            promises += answers->index(row, 0).data().toString();
        QStringList expected;
        for (const catalogue::Promise promise : locks::serverFaultPromises())
            expected += catalogue::promiseId(promise);
        QCOMPARE(promises, expected);
        QVERIFY(fixture.widget<QPlainTextEdit>("raceSchedule").toPlainText().contains(QStringLiteral("(failover)")));
        fixture.click("racePlay");
        QVERIFY(!panel->isVisible());
        makeFast(fixture);
        fixture.click("storyPlay");
        LATCHKEY_AWAIT(alternatives(fixture).front()->isOver());
        QCOMPARE(alternatives(fixture).front()->player().verdict(), scenarios::ScenarioVerdict::Passed);
        QCOMPARE(alternatives(fixture).front()->player().results().back().inside.size(), 2);
    }

    /// A recipe has the same fields for the limits as a program, and the delay of a restart.
    void limitsOfServerFaults_reachTheSearch()
    {
        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        auto *faults = &fixture.widget<QComboBox>("raceFaults");
        QVERIFY(!fixture.widget<QSpinBox>("raceRestarts").isVisible());
        faults->setCurrentIndex(faults->findText(QStringLiteral("restarts")));
        fixture.button("findRace").menu()->actions().front()->trigger();
        const auto *panel = fixture.window.findChild<RacePanel *>();
        LATCHKEY_AWAIT(panel->search().state() == racesearch::RaceSearch::State::Over);
        QVERIFY(fixture.widget<QSpinBox>("raceRestarts").isVisible());
        QVERIFY(text(*panel, "raceStatus").startsWith(QStringLiteral("Broken promises: 1.")));
        fixture.widget<QComboBox>("racePersistence").setCurrentText(QStringLiteral("always"));
        fixture.click("raceStart");
        LATCHKEY_AWAIT(panel->search().state() == racesearch::RaceSearch::State::Over);
        QCOMPARE(text(*panel, "raceStatus"),
                 QStringLiteral("Every promise holds in every order, with at most 1 restart."));
        fixture.widget<QComboBox>("racePersistence").setCurrentText(QStringLiteral("none"));
        fixture.widget<QComboBox>("raceRestartDelay").setCurrentIndex(1);
        fixture.click("raceStart");
        LATCHKEY_AWAIT(panel->search().state() == racesearch::RaceSearch::State::Over);
        QVERIFY2(text(*panel, "raceStatus").startsWith(QStringLiteral("Every promise holds ")),
                 qPrintable(text(*panel, "raceStatus")));
    }

    /// A recipe with WATCH depends on its connection, which a played fault leaves open.
    void counterexampleThatCannotBePlayed_isRefusedWithASentence()
    {
        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("GET and then DEL loses the race that the script wins"));
        auto *faults = &fixture.widget<QComboBox>("raceFaults");
        faults->setCurrentIndex(faults->findText(QStringLiteral("failovers")));
        for (QAction *recipe : fixture.button("findRace").menu()->actions()) {
            if (recipe->text() == u"token-watch")
                recipe->trigger();
        }
        const auto *panel = fixture.window.findChild<RacePanel *>();
        LATCHKEY_AWAIT(panel->search().state() == racesearch::RaceSearch::State::Over);
        fixture.click("racePlay");
        QVERIFY2(text(*panel, "raceStatus").contains(QStringLiteral("cannot be played with client processes")),
                 qPrintable(text(*panel, "raceStatus")));
        QCOMPARE(panel->findChild<QLabel *>(QStringLiteral("raceStatus"))->property("tone").toString(),
                 QStringLiteral("critical"));
        QVERIFY(panel->isVisible());
    }

    void faultThatIsLeftOut_isNotSearchedFor()
    {
        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        auto *faults = &fixture.widget<QComboBox>("raceFaults");
        faults->setCurrentIndex(2);
        QCOMPARE(faults->currentText(), QStringLiteral("no lapses"));
        fixture.button("findRace").menu()->actions().front()->trigger();
        const auto *panel = fixture.window.findChild<RacePanel *>();
        QVERIFY(!faults->isEnabled());
        LATCHKEY_AWAIT(panel->search().state() == racesearch::RaceSearch::State::Over);
        QVERIFY(faults->isEnabled());
        QCOMPARE(panel->search().without(), QStringList {QStringLiteral("lapses")});
        QCOMPARE(text(*panel, "raceStatus"),
                 QStringLiteral("Every promise holds in every order, with all allowed crashes; lapses were excluded."));
        QVERIFY(!fixture.button("racePlay").isEnabled());
        faults->setCurrentIndex(0); // With faults, the promise is broken.
        fixture.click("raceStart");
        LATCHKEY_AWAIT(panel->search().state() == racesearch::RaceSearch::State::Over);
        QVERIFY(text(*panel, "raceStatus").startsWith(QStringLiteral("Broken promises: 2.")));
        // No widget is cut off in the smallest window.
        fixture.window.resize(960, 560);
        for (const char *name : {"raceClients", "raceFaults", "raceStart", "raceLeave", "racePlay"}) {
            const auto *each = fixture.window.findChild<QWidget *>(QString::fromLatin1(name));
            LATCHKEY_AWAIT(each->width() >= each->minimumSizeHint().width());
            const QRect rect(each->mapTo(&fixture.window, QPoint()), each->size());
            QVERIFY2(fixture.window.rect().contains(rect), name);
        }
    }

    void race_canBeCancelled()
    {
        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("Redlock with one and with three of five servers down"));
        auto *clients = &fixture.widget<QComboBox>("raceClients");
        clients->setCurrentIndex(clients->count() - 1);
        fixture.click("findRace");
        const auto *panel = fixture.window.findChild<RacePanel *>();
        LATCHKEY_AWAIT(panel->search().progress().states > 0);
        const auto finder = static_cast<pid_t>(panel->search().processId());
        QVERIFY(text(*panel, "raceStatus").contains(QStringLiteral(" states of at most ")));
        QCOMPARE(fixture.button("raceStart").text(), QStringLiteral("Cancel"));
        fixture.click("raceStart");
        LATCHKEY_AWAIT(panel->search().state() == racesearch::RaceSearch::State::Over);
        QVERIFY(!test::isAlive(finder));
        QVERIFY(text(*panel, "raceStatus").startsWith(QStringLiteral("Stopped early")));
        const auto *answers = fixture.widget<QTreeView>("raceAnswers").model();
        QVERIFY(answers->rowCount() > 0);
        QVERIFY(answers->index(answers->rowCount() - 1, 2).data().toString().endsWith(QStringLiteral("stopped")));
        QCOMPARE(fixture.button("raceStart").text(), QStringLiteral("Search again"));
    }

    void serverThatGoesAway_leavesThePageUsable()
    {
        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        fixture.click("storyStep");
        LATCHKEY_AWAIT(fixture.button("storyStep").isEnabled());
        const QList<pid_t> servers = test::childrenOf(QCoreApplication::applicationPid(), "redis");
        QVERIFY(!servers.isEmpty());
        for (const pid_t server : servers)
            ::kill(server, SIGKILL);
        LATCHKEY_AWAIT(alternatives(fixture)[0]->isOver() && alternatives(fixture)[1]->isOver());
        QCOMPARE(alternatives(fixture)[0]->player().verdict(), scenarios::ScenarioVerdict::Unknown);
        QVERIFY(!text(*alternatives(fixture)[0], "storyVerdict").isEmpty());
        QCOMPARE(fixture.button("storyPlay").text(), QStringLiteral("Play again"));
        makeFast(fixture);
        fixture.click("storyPlay");
        LATCHKEY_AWAIT(alternatives(fixture)[0]->isOver() && alternatives(fixture)[0]->player().results().size() == 5);
        QCOMPARE(alternatives(fixture)[0]->player().verdict(), scenarios::ScenarioVerdict::Passed);
    }

    void userFile_isPlayedAndABadOneReportsItsLine()
    {
        MainWindowFixture fixture;
        open(fixture);
        auto *page = fixture.window.findChild<StoriesPage *>();
        auto *problem = fixture.window.findChild<QLabel *>(QStringLiteral("storyProblem"));
        const QByteArray start = R"({"format": "latchkey-story", "version": 2, "title": "Mine", "clients": ["Ann"],
 "recipe": "token", "key": "k",
 "steps": [{"say": "Ann takes it.", "client": )";
        page->openFile(file("bad.json", start + R"("Eve", "acquire": {"lease": "5m"}}]})"));
        QVERIFY(problem->isVisible());
        QVERIFY2(problem->text().startsWith(QStringLiteral("bad.json:3: steps[0].client")),
                 qPrintable(problem->text()));
        page->openFile(folder.filePath(QStringLiteral("none.json")));
        QVERIFY(problem->text().startsWith(QStringLiteral("Cannot read ")));
        QCOMPARE(fixture.widget<QListWidget>("stories").count(), 18);

        page->openFile(file("good.json", start + R"("Ann", "acquire": {"lease": "5m"},
 "expect": {"outcome": "busy"}}]})"));
        QVERIFY(!problem->isVisible());
        QCOMPARE(fixture.widget<QListWidget>("stories").count(), 19);
        // The origin is visible, whatever the title.
        QCOMPARE(fixture.widget<QListWidget>("stories").item(18)->text(), QStringLiteral("Mine\n"
                                                                                         "file good.json"));
        QCOMPARE(text(fixture.window, "storyOrigin"), QStringLiteral("File good.json"));
        QCOMPARE(alternatives(fixture).size(), 1);
        fixture.click("storyStep");
        LATCHKEY_AWAIT(alternatives(fixture).front()->isOver());
        const auto verdict = [&] { return text(*alternatives(fixture).front(), "storyVerdict"); };
        QVERIFY2(verdict().startsWith(QStringLiteral("Failed: steps[0].expect")), qPrintable(verdict()));
        using Choice = ui::i18n::LanguageSwitcher::Choice;
        fixture.languageSwitcher.choose(Choice::Chinese);
        LATCHKEY_AWAIT(verdict().startsWith(QStringLiteral("\u672a\u901a\u8fc7\uff1a")));
        fixture.languageSwitcher.choose(Choice::English);
        LATCHKEY_AWAIT(verdict().startsWith(QStringLiteral("Failed: steps[0].expect")));
    }

    void otherPage_leavesNothingRunningOnceItsStoryIsReset()
    {
        MainWindowFixture fixture;
        open(fixture);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        fixture.click("storyPlay");
        LATCHKEY_AWAIT(alternatives(fixture).front()->player().state() == scenarios::ScenarioPlayer::State::Playing
                       || !alternatives(fixture).front()->player().results().empty());
        QTest::mouseClick(&fixture.widget<QToolButton>("inspectorButton"), Qt::LeftButton);
        QCOMPARE(fixture.button("storyPlay").text(), QStringLiteral("Play"));
        fixture.click("storyBack");
        open(fixture);
        choose(fixture, QStringLiteral("A late DEL releases another client's lock"));
        for (const AlternativeView *each : alternatives(fixture))
            QCOMPARE(each->player().state(), scenarios::ScenarioPlayer::State::Empty);
    }
};

LATCHKEY_WINDOW_TEST(TestStoriesPage)

} // namespace tst_storiespage

#include "tst_storiespage.moc"

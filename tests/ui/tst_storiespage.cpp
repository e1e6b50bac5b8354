#include "tests/support/windowbench.h"
#include "ui/diagram/diagrampanel.h"
#include "ui/stories/storystage.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QSplitter>
#include <QTest>
#include <QToolButton>

using namespace latchkey;
using test::WindowBench;
using ui::stories::StoriesPage;
using ui::stories::StoryStage;

namespace {

void open(const WindowBench &bench)
{
    QTest::mouseClick(&bench.widget<QToolButton>("storiesButton"), Qt::LeftButton);
}

QList<StoryStage *> stages(const WindowBench &bench)
{
    const auto *splitter = bench.window.findChild<StoriesPage *>()->findChild<QSplitter *>();
    QList<StoryStage *> all; // From left to right.
    for (int i = 0; i < splitter->count(); ++i)
        all += qobject_cast<StoryStage *>(splitter->widget(i));
    return all;
}

QString text(const QWidget &within, const char *name)
{
    return within.findChild<QLabel *>(QString::fromLatin1(name))->text();
}

void choose(const WindowBench &bench, const QString &title)
{
    auto &list = bench.widget<QListWidget>("stories");
    for (int row = 0; row < list.count(); ++row) {
        if (list.item(row)->text() == title)
            return list.setCurrentRow(row);
    }
    qFatal("there is no story “%s”", qPrintable(title));
}

void makeFast(const WindowBench &bench)
{
    auto &speed = bench.widget<QComboBox>("storySpeed");
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

private Q_SLOTS:
    void stories_areAllThere()
    {
        WindowBench bench;
        open(bench);
        QCOMPARE(bench.widget<QListWidget>("stories").count(), 14);
        choose(bench, QStringLiteral("A late DEL frees somebody else's lock"));
        QVERIFY(text(bench.window, "storyQuestion").startsWith(QStringLiteral("For the class: How could the server")));
        // Both ways, side by side; looking at them has started nothing.
        QCOMPARE(stages(bench).size(), 2);
        QVERIFY(stages(bench)[0]->accessibleName().contains(QStringLiteral("auto-release")));
        QVERIFY(stages(bench)[1]->accessibleName().contains(QStringLiteral("token")));
        for (const StoryStage *each : stages(bench))
            QCOMPARE(each->player().state(), stage::StoryPlayer::State::Empty);
    }

    void playedStory_goesBothWaysToTheirVerdicts()
    {
        WindowBench bench;
        open(bench);
        choose(bench, QStringLiteral("A late DEL frees somebody else's lock"));
        makeFast(bench);
        bench.click("storyPlay");
        QCOMPARE(bench.button("storyPlay").text(), QStringLiteral("Pause"));
        StoryStage &flawed = *stages(bench)[0];
        StoryStage &sound = *stages(bench)[1];
        QVERIFY(!bench.button("storyStep").isEnabled());
        bool wasOverlap = false;
        LATCHKEY_AWAIT(
            (wasOverlap = wasOverlap
                       || (flawed.player().sequence() != nullptr && flawed.player().sequence()->conflict() != nullptr),
             flawed.isOver() && sound.isOver()));
        QCOMPARE(flawed.player().verdict(), stage::Verdict::AsTold);
        QCOMPARE(sound.player().verdict(), stage::Verdict::AsTold);
        QVERIFY(wasOverlap);
        QCOMPARE(text(flawed, "storyVerdict"),
                 QStringLiteral("Ann's DEL has removed Bob's lock: Bob and Carol are inside at once."));
        QVERIFY(text(bench.window, "storyQuestion").contains(QStringLiteral("To be learnt: ")));
        QCOMPARE(bench.button("storyPlay").text(), QStringLiteral("Play again"));
        // The diagram stays, and has what servers had as well.
        QCOMPARE(flawed.panel().view().sequence(), flawed.player().sequence());
        QVERIFY(flawed.player().sequence()->rows().size() >= 4);
        QVERIFY(!sound.player().sequence()->presences().empty());
        QVERIFY(sound.player().sequence()->presences().front().holder);
        bench.click("storyBack");
        QCOMPARE(flawed.player().state(), stage::StoryPlayer::State::Empty);
        QVERIFY(flawed.panel().view().sequence() == nullptr);
    }

    void step_isOneStepOfEach()
    {
        WindowBench bench;
        open(bench);
        choose(bench, QStringLiteral("A late DEL frees somebody else's lock"));
        bench.click("storyStep");
        QVERIFY(!bench.button("storyStep").isEnabled());
        const QList<StoryStage *> both = stages(bench);
        QStringList lit;
        LATCHKEY_AWAIT((std::ranges::for_each(both.front()->findChildren<QLabel *>(QStringLiteral("recipeCommand")),
                                              [&](const QLabel *label) {
                                                  if (label->property("tone").toString() == u"lit")
                                                      lit += label->text();
                                              }),
                        bench.button("storyStep").isEnabled() && !lit.isEmpty()));
        QCOMPARE(lit.first(), QStringLiteral("SET"));
        for (const StoryStage *each : both) {
            QCOMPARE(each->player().results().size(), std::size_t(1));
            QCOMPARE(text(*each, "storySentence"), QStringLiteral("Ann acquires the lock for ten seconds."));
            QVERIFY(text(*each, "stepCount").startsWith(QStringLiteral("step 1 of ")));
        }
    }

    void fileOfTheUsers_isPlayedAndABadOneSaysWhere()
    {
        WindowBench bench;
        open(bench);
        auto *page = bench.window.findChild<StoriesPage *>();
        auto *problem = bench.window.findChild<QLabel *>(QStringLiteral("storyProblem"));
        const QByteArray start = R"({"format": "latchkey-story", "version": 2, "title": "Mine", "clients": ["Ann"],
 "recipe": "token", "key": "k",
 "steps": [{"say": "Ann takes it.", "client": )";
        page->openFile(file("bad.json", start + R"("Eve", "acquire": {"lease": "5m"}}]})"));
        QVERIFY(problem->isVisible());
        QVERIFY2(problem->text().startsWith(QStringLiteral("bad.json:3: steps[0].client")),
                 qPrintable(problem->text()));
        page->openFile(folder.filePath(QStringLiteral("none.json")));
        QVERIFY(problem->text().startsWith(QStringLiteral("Cannot read ")));
        QCOMPARE(bench.widget<QListWidget>("stories").count(), 14);

        page->openFile(file("good.json", start + R"("Ann", "acquire": {"lease": "5m"},
 "expect": {"outcome": "busy"}}]})"));
        QVERIFY(!problem->isVisible());
        QCOMPARE(bench.widget<QListWidget>("stories").count(), 15);
        QCOMPARE(stages(bench).size(), 1);
        bench.click("storyStep");
        LATCHKEY_AWAIT(stages(bench).front()->isOver());
        QVERIFY2(
            text(*stages(bench).front(), "storyVerdict").startsWith(QStringLiteral("Not as told: steps[0].expect")),
            qPrintable(text(*stages(bench).front(), "storyVerdict")));
    }

    void otherPage_leavesNothingRunningOnceItsStoryIsReset()
    {
        WindowBench bench;
        open(bench);
        choose(bench, QStringLiteral("A late DEL frees somebody else's lock"));
        bench.click("storyPlay");
        LATCHKEY_AWAIT(stages(bench).front()->player().state() == stage::StoryPlayer::State::Playing
                       || !stages(bench).front()->player().results().empty());
        QTest::mouseClick(&bench.widget<QToolButton>("inspectorButton"), Qt::LeftButton);
        QCOMPARE(bench.button("storyPlay").text(), QStringLiteral("Play"));
        bench.click("storyBack");
        open(bench);
        choose(bench, QStringLiteral("A late DEL frees somebody else's lock"));
        for (const StoryStage *each : stages(bench))
            QCOMPARE(each->player().state(), stage::StoryPlayer::State::Empty);
    }
};

QTEST_MAIN(TestStoriesPage)
#include "tst_storiespage.moc"

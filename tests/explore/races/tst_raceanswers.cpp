#include "core/explore/races/finder.h"
#include "core/explore/schedules/schedulefile.h"
#include "core/explore/schedules/scheduleplayer.h"
#include "tests/support/await.h"
#include "tests/support/load.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QFile>
#include <QTest>

namespace tst_raceanswers {

using namespace latchkey;
using namespace latchkey::races;

/// Compares the finder's answers for every recipe and every promise with the table in answers.txt and with the
/// catalogue.
class TestRaceAnswers final : public QObject
{
    Q_OBJECT

    /// One line per recipe and number of clients: `token 3  mutual-exclusion=holds …`.
    static QStringList table()
    {
        QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/explore/races/answers.txt"));
        if (!file.open(QIODevice::ReadOnly))
            qFatal("the table of answers is missing");
        QStringList lines;
        for (const QString &line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
            if (!line.startsWith(QLatin1Char('#')))
                lines += line.simplified();
        }
        return lines;
    }

    /// Numbers of clients for each recipe: up to four if that takes less than minutes.
    static QList<int> clientsFor(const QString &recipe)
    {
        const bool isLarge = recipe == QLatin1String("redlock") || recipe == QLatin1String("token-watch");
        return isLarge ? QList<int> {2, 3} : QList<int> {2, 3, 4};
    }

    /// Numbers for the configured load. The largest number takes longer than all smaller ones together.
    static QList<int> loadFor(const QString &recipe)
    {
        QList<int> clients = clientsFor(recipe);
        if (!test::hasFullLoad())
            clients.removeLast();
        return clients;
    }

    std::vector<std::unique_ptr<test::TestServer>> servers;

    /// Checks that a counterexample can be written to a file, read again, and replayed on new servers.
    void verifyAsStory(const schedules::RecordedSchedule &counterexample)
    {
        const auto story = schedules::fromFile(schedules::toFile(counterexample));
        LATCHKEY_VERIFY_RESULT(story);
        QCOMPARE(schedules::toFile(*story), schedules::toFile(counterexample)); // The notes of a file are English.
        std::vector<net::Endpoint> endpoints;
        for (std::size_t i = 0; i < static_cast<std::size_t>(story->servers); ++i) {
            if (i == servers.size())
                servers.push_back(std::make_unique<test::TestServer>());
            endpoints.push_back(servers[i]->endpoint());
        }
        schedules::SchedulePlayer player(*story, endpoints);
        LATCHKEY_VERIFY_RESULT(player.begin());
        while (!player.isOver()) {
            const auto played = player.playNext();
            LATCHKEY_VERIFY_RESULT(played);
            QVERIFY2(played->hasPassed, qPrintable(QStringLiteral("%1, step %2: told %3")
                                                       .arg(story->title)
                                                       .arg(player.played())
                                                       .arg(played->reply.toText())));
        }
    }

private Q_SLOTS:
    void answers_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<int>("clients");
        for (const locks::Recipe &recipe : locks::recipes()) {
            for (const int clients : loadFor(recipe.id))
                QTest::addRow("%s, %d clients", qPrintable(recipe.id), clients) << recipe.id << clients;
        }
        for (const caches::Recipe &recipe : caches::recipes()) {
            for (const int clients : loadFor(recipe.id))
                QTest::addRow("%s, %d clients", qPrintable(recipe.id), clients) << recipe.id << clients;
        }
    }
    void answers()
    {
        QFETCH(QString, recipe);
        QFETCH(int, clients);
        auto finder = Finder::create(subjectFor(recipe, clients).value(), {}).value();
        const auto done = finder->step(QDeadlineTimer(QDeadlineTimer::Forever));
        LATCHKEY_VERIFY_RESULT(done);
        QVERIFY(finder->isComplete());

        QString line = QStringLiteral("%1 %2").arg(recipe).arg(clients);
        for (const PromiseResult &result : finder->results()) {
            if (result.verdict != Verdict::NotApplicable)
                line += QStringLiteral(" %1=%2").arg(result.promise, verdictId(result.verdict));
            QVERIFY2(!result.isRefuted(),
                     qPrintable(QStringLiteral("%1 claims %2, but %3").arg(recipe, result.promise, result.violation)));
            QVERIFY2(result.verdict != Verdict::NotApplicable || !result.claimed,
                     qPrintable(recipe + QLatin1String(" claims what does not apply: ") + result.promise));
            QCOMPARE(result.counterexample.has_value(), result.verdict == Verdict::Broken);
            if (result.counterexample)
                verifyAsStory(*result.counterexample);
        }
        QVERIFY2(table().contains(line), qPrintable(QStringLiteral("answers.txt should say: ") + line));
    }

    void table_hasNothingElse()
    {
        qsizetype expected = 0;
        for (const locks::Recipe &recipe : locks::recipes())
            expected += clientsFor(recipe.id).size();
        for (const caches::Recipe &recipe : caches::recipes())
            expected += clientsFor(recipe.id).size();
        QCOMPARE(table().size(), expected);
    }
};

LATCHKEY_TEST(TestRaceAnswers)

} // namespace tst_raceanswers

#include "tst_raceanswers.moc"

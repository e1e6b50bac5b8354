#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/pages/inspector/keychangerun.h"

#include <QDialog>
#include <QSignalSpy>
#include <QTest>

namespace tst_keychangerun {

using namespace latchkey;
using inspection::KeyChangeQueue;
using ui::inspector::KeyChangeKind;
using ui::inspector::KeyChangeRun;
using watching::ChangeOutcome;
using watching::ChangeResult;
using watching::KeySnapshot;
using namespace std::chrono_literals;

/// Tests of a change on many keys: order of the keys, progress, and cancellation.
class TestActRun final : public QObject
{
    Q_OBJECT

    std::vector<KeyChangeQueue::Done> waiting; ///< Pending callbacks of the steps.

    std::vector<KeyChangeRun::Step> steps(int count)
    {
        std::vector<KeyChangeRun::Step> all;
        for (int i = 0; i < count; ++i) {
            KeySnapshot before;
            before.key = base::Key(QByteArray::number(i));
            all.push_back({before, [this](const KeyChangeQueue::Done &done) { waiting.push_back(done); }});
        }
        return all;
    }
    void answer(const base::Result<ChangeResult> &result)
    {
        const KeyChangeQueue::Done done = waiting.back();
        done(result);
    }
    static base::Result<ChangeResult> done() { return ChangeResult {ChangeOutcome::Done, {}}; }

private Q_SLOTS:
    void init() { waiting.clear(); }

    void keys_areChangedSequentially()
    {
        KeyChangeRun run(KeyChangeKind::Delete, steps(3), nullptr);
        const QSignalSpy finished(&run, &KeyChangeRun::finished);
        run.start();
        for (std::size_t i = 1; i <= 3; ++i) {
            QCOMPARE(waiting.size(), i);
            QCOMPARE(finished.count(), 0);
            answer(i == 2 ? ChangeResult {ChangeOutcome::Changed, {}} : done());
        }
        QCOMPARE(finished.count(), 1);
        QCOMPARE(run.results().size(), std::size_t(3));
        QCOMPARE(run.changes().size(), std::size_t(2));
        QCOMPARE(run.leftOut(), 0);
    }

    void longRun_reportsProgress()
    {
        KeyChangeRun run(KeyChangeKind::Delete, steps(3), nullptr);
        QSignalSpy progressed(&run, &KeyChangeRun::progressed);
        run.start();
        answer(done());
        QVERIFY2(progressed.isEmpty(), "no progress was reported yet");
        LATCHKEY_AWAIT(!progressed.isEmpty());
        QCOMPARE(progressed.front(), (QVariantList {1, 3}));
        QCOMPARE(ui::inspector::progressText(KeyChangeKind::Delete, 12, 100), QStringLiteral("Deleting: 12 of 100"));
    }

    void cancelled_endsBeforeTheNextKey()
    {
        KeyChangeRun run(KeyChangeKind::SetExpiry, steps(100), nullptr);
        const QSignalSpy finished(&run, &KeyChangeRun::finished);
        run.start();
        answer(done());
        run.cancel();
        QCOMPARE(finished.count(), 0); // One step is running, and its result is reported.
        answer(done());
        QCOMPARE(finished.count(), 1);
        QCOMPARE(waiting.size(), std::size_t(2));
        QCOMPARE(run.changes().size(), std::size_t(2));
        QCOMPARE(run.leftOut(), 98);
        QCOMPARE(resultText(run.kind(), run.results(), run.leftOut()),
                 QStringLiteral("expiry of 2 set; 98 not changed, because you cancelled."));
    }

    void lostConnection_isNotTriedAHundredTimes()
    {
        KeyChangeRun run(KeyChangeKind::Delete, steps(100), nullptr);
        const QSignalSpy finished(&run, &KeyChangeRun::finished);
        run.start();
        answer(done());
        answer(base::failure(base::Error {base::ErrorKind::ConnectionLost, QStringLiteral("gone")}));
        QCOMPARE(finished.count(), 1);
        QCOMPARE(waiting.size(), std::size_t(2));
        QCOMPARE(run.results().size(), std::size_t(100));
        QVERIFY(!run.results().back().outcome);
    }

    void failureOfOneKey_doesNotAffectOthers()
    {
        KeyChangeRun run(KeyChangeKind::Delete, steps(2), nullptr);
        const QSignalSpy finished(&run, &KeyChangeRun::finished);
        run.start();
        answer(base::failure(base::Error {base::ErrorKind::PermissionDenied, QStringLiteral("no")}));
        answer(done());
        QCOMPARE(finished.count(), 1);
        QVERIFY(run.results().back().outcome.has_value());
    }

    /// On a slow server, the window shows the progress. Cancel stops the change, and the changes can be undone.
    void window_showsProgressAndCancels()
    {
        test::TestServer server;
        resp::Command write {"MSET"};
        for (int i = 0; i < 100; ++i)
            write << "key" + QByteArray::number(i) << "v";
        QVERIFY(server(write).isOk());
        test::MainWindowFixture fixture;
        test::openServer(fixture, server.endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 100);
        fixture.workspace.inspected()->setArmed(true);
        fixture.table().selectAll();
        fixture.click("deleteKey");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("deleteDialog"));
        // Each transaction is delayed, so that some keys are deleted and others are not when the test cancels.
        QVERIFY(server({"CLIENT", "PAUSE", "700", "WRITE"}).isOk());
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(test::bannerText(fixture).startsWith(u"Deleting: "));
        QVERIFY(test::bannerText(fixture).endsWith(u" of 100"));
        QCOMPARE(test::bannerAction(fixture)->text(), QStringLiteral("Cancel"));
        QTest::mouseClick(test::bannerAction(fixture), Qt::LeftButton);
        LATCHKEY_AWAIT(test::bannerText(fixture).contains(u"not changed, because you cancelled."));
        const qint64 left = server({"DBSIZE"}).toInteger();
        QVERIFY2(left > 0 && left < 100, qPrintable(QString::number(left)));
        QCOMPARE(test::bannerAction(fixture)->text(), QStringLiteral("Undo"));
        QTest::mouseClick(test::bannerAction(fixture), Qt::LeftButton);
        LATCHKEY_AWAIT(server({"DBSIZE"}).isInteger(100));
    }
};

LATCHKEY_WINDOW_TEST(TestActRun)

} // namespace tst_keychangerun

#include "tst_keychangerun.moc"

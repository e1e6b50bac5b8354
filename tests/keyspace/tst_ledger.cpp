#include "core/keyspace/ledger.h"
#include "tests/support/manualclock.h"

#include <QTest>

using namespace latchkey;
using namespace latchkey::keyspace;
using base::Deadline;
using keys::KeyState;
using keys::KeyType;
using keys::RawValue;
using What = Happening::What;
using namespace std::chrono_literals;

namespace {

/// A ledger that follows `k`, and what it has told.
struct Bench
{
    Bench()
    {
        ledger.follow("k");
        QObject::connect(&ledger, &Ledger::happened, &ledger,
                         [this](const Happening &happening) { told += happening; });
    }

    Observation look(Knowledge what) const
    {
        return {"k", std::move(what), clock.now() - 1ms, clock.now(), Source::Poll};
    }
    Knowledge endsIn(std::chrono::milliseconds left) const { return Exists {Deadline(clock.now() + left, 1ms)}; }
    static Knowledge string(const QByteArray &value) { return Valued {{KeyType::String, value.size(), {value}}}; }
    static Knowledge hash(const QList<QByteArray> &parts) { return Valued {{KeyType::Hash, parts.size() / 2, parts}}; }
    void see(std::chrono::milliseconds left) { ledger.observed({look(endsIn(left))}); }
    void see(std::chrono::milliseconds left, const QByteArray &value)
    {
        ledger.observed({look(endsIn(left)), look(string(value))});
    }
    void gone() { ledger.observed({look(Gone {})}); }
    QList<What> kinds() const
    {
        QList<What> all;
        for (const Happening &happening : told)
            all += happening.what;
        return all;
    }

    test::ManualClock clock;
    Ledger ledger;
    QList<Happening> told;
};

using Kinds = QList<What>;

} // namespace

class TestLedger final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void firstLook_isWhereItBegins()
    {
        Bench b;
        b.see(10s, "a");
        QCOMPARE(b.kinds(), Kinds {});
        b.clock.advance(1s);
        b.see(9s, "a");
        QCOMPARE(b.kinds(), Kinds {});
    }

    void lifeOfALock_isTold()
    {
        Bench b;
        b.gone(); // It is known not to be there.
        b.clock.advance(1s);
        b.see(10s, "a");
        b.clock.advance(3s);
        b.see(10s, "a");
        b.clock.advance(1s);
        b.see(10s, "b");
        b.clock.advance(1s);
        b.gone();
        QCOMPARE(b.kinds(), (Kinds {What::Appeared, What::Renewed, What::Replaced, What::Ended}));
        QCOMPARE(b.told.back().ending, KeyState::Removed);
        for (const Happening &happening : std::as_const(b.told)) {
            QVERIFY(happening.notBefore < happening.notAfter);
            QVERIFY(!happening.isInferred);
        }
        // The renewal was at some time in the three seconds in which nobody looked.
        QVERIFY(b.told[1].notAfter - b.told[1].notBefore >= 3s);
        QVERIFY(b.told[1].notAfter - b.told[1].notBefore < 3100ms);
    }

    void ends_areToldApart_data()
    {
        QTest::addColumn<qint64>("lastLookBeforeEnd");
        QTest::addColumn<qint64>("goneAfterEnd");
        QTest::addColumn<int>("ending");
        QTest::addRow("released") << qint64(5000) << qint64(-4000) << static_cast<int>(KeyState::Removed);
        QTest::addRow("watched to its end") << qint64(500) << qint64(100) << static_cast<int>(KeyState::Expired);
        QTest::addRow("nobody looked") << qint64(9000) << qint64(100) << static_cast<int>(KeyState::Gone);
        QTest::addRow("long after") << qint64(500) << qint64(60'000) << static_cast<int>(KeyState::Expired);
    }
    void ends_areToldApart()
    {
        QFETCH(qint64, lastLookBeforeEnd);
        QFETCH(qint64, goneAfterEnd);
        QFETCH(int, ending);
        Bench b;
        b.see(10s);
        b.clock.advance(10s - std::chrono::milliseconds(lastLookBeforeEnd));
        b.see(std::chrono::milliseconds(lastLookBeforeEnd));
        b.clock.advance(std::chrono::milliseconds(lastLookBeforeEnd + goneAfterEnd));
        b.gone();
        QCOMPARE(b.kinds(), Kinds {What::Ended});
        QCOMPARE(static_cast<int>(b.told.front().ending), ending);
    }

    void sameTokenAgainUnderALaterEnd_isARenewal()
    {
        Bench b;
        b.see(30s, "a");
        b.clock.advance(20s);
        b.see(15s, "a"); // Extended, by less than at first.
        QCOMPARE(b.kinds(), Kinds {What::Renewed});
        QVERIFY(!b.told.front().isInferred);
    }

    void anotherTokenUnderTheSameEnd_isAnotherHold()
    {
        Bench b;
        b.see(30s, "a");
        b.clock.advance(1s);
        b.see(29s, "b");
        QCOMPARE(b.kinds(), Kinds {What::Replaced});
    }

    void laterEndWithoutALookAtTheValue_isSaidToBeAGuess()
    {
        Bench b;
        b.see(30s, "a");
        b.clock.advance(10s);
        b.see(30s);
        QCOMPARE(b.kinds(), Kinds {What::Renewed});
        QVERIFY(b.told.front().isInferred);
    }

    void otherElements_areAChange()
    {
        Bench b;
        b.ledger.observed({b.look(b.endsIn(30s)), b.look(Bench::hash({"uuid:1", "1"}))});
        b.clock.advance(1s);
        b.ledger.observed({b.look(b.endsIn(29s)), b.look(Bench::hash({"uuid:1", "2"}))});
        QCOMPARE(b.kinds(), Kinds {What::Changed});
    }

    void keyWithoutAnEndByNow_hasChanged()
    {
        Bench b;
        b.see(30s, "a");
        b.ledger.observed({b.look(Exists {}), b.look(Bench::string("a"))});
        QCOMPARE(b.kinds(), Kinds {What::Changed});
        QVERIFY(b.told.front().deadline.isNever());
    }

    void flush_endsAllThatAreFollowed()
    {
        Bench b;
        b.ledger.follow("other");
        b.see(30s);
        b.ledger.emptied(0, b.clock.now(), b.clock.now() + 1ms);
        QCOMPARE(b.kinds(), Kinds {What::Ended});
        QCOMPARE(b.told.front().key, QByteArray("k"));
        QCOMPARE(b.told.front().ending, KeyState::Removed);
    }

    void inferredEnd_isSaidToBeOne()
    {
        Bench b;
        b.see(30s);
        Observation missed = b.look(Gone {});
        missed.isInferred = true;
        b.ledger.observed({missed});
        QVERIFY(b.told.front().isInferred);
    }

    void hiddenKey_isNeitherThereNorGone()
    {
        Bench b;
        b.see(30s, "a");
        b.ledger.observed({b.look(Hidden {})});
        b.clock.advance(1s);
        b.see(29s, "b");
        QCOMPARE(b.kinds(), Kinds {});
    }

    void goneAndBackWithinOneLook_isBoth()
    {
        Bench b;
        b.see(30s, "a");
        b.clock.advance(1s);
        b.ledger.observed({b.look(Gone {}), b.look(b.endsIn(30s)), b.look(Bench::string("b"))});
        QCOMPARE(b.kinds(), (Kinds {What::Ended, What::Appeared}));
    }

    void unfollowedKeys_areNotTold()
    {
        Bench b;
        b.ledger.follow("k");
        b.ledger.unfollow("k");
        b.see(30s);
        b.gone();
        QCOMPARE(b.kinds(), Kinds {What::Ended}); // It was followed twice.
        b.ledger.unfollow("k");
        QCOMPARE(b.ledger.followedCount(), qsizetype(0));
        b.see(30s);
        b.gone();
        QCOMPARE(b.told.size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestLedger)
#include "tst_ledger.moc"

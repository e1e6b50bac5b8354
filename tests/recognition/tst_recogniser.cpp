#include "core/recognition/recogniser.h"
#include "core/recognition/valueclass.h"

#include <QTest>

using namespace latchkey;
using namespace latchkey::recognition;
using keys::KeyType;

class TestRecogniser final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hasLockWord_wantsAWordOfItsOwn_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<bool>("expected");
        for (const char *key : {"lock", "lock:orders", "orders.lck", "orderLock", "order_mutex_7", "LOCK:X", "a/lease",
                                "locks:1", "lock:\xff"})
            QTest::addRow("%s", key) << QByteArray(key) << true;
        for (const char *key : {"block:7", "clock", "unlocked", "lockers", "session:1", "", "released"})
            QTest::addRow("no: %s", key) << QByteArray(key) << false;
    }
    void hasLockWord_wantsAWordOfItsOwn()
    {
        QFETCH(QByteArray, key);
        QTEST(hasLockWord(key), "expected");
    }

    void recognise_needsNameAndValue_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("id");
        QTest::addRow("constant") << QByteArray("lock:a") << QByteArray("locking")
                                  << QStringLiteral("textbook.constant");
        QTest::addRow("one") << QByteArray("lock:a") << QByteArray("1") << QStringLiteral("textbook.constant");
        QTest::addRow("time") << QByteArray("lock:a") << QByteArray("1763683200")
                              << QStringLiteral("classic.setnx-timestamp");
        QTest::addRow("our token") << QByteArray("lock:a") << QByteArray("0123456789abcdef0123456789abcdef")
                                   << QStringLiteral("lock.token");
        QTest::addRow("UUID") << QByteArray("lock:a") << QByteArray("f81d4fae-7dec-41d0-a765-00a0c91e6bf6")
                              << QStringLiteral("lock.token");
        QTest::addRow("a session's token")
            << QByteArray("session:a") << QByteArray("0123456789abcdef0123456789abcdef") << QString();
        QTest::addRow("our counter") << QByteArray("{lock:a}:fence") << QByteArray("1") << QString();
        QTest::addRow("a lock's notes") << QByteArray("lock:a") << QByteArray("ann works on it") << QString();
        QTest::addRow("upper case digits")
            << QByteArray("lock:a") << QByteArray("0123456789ABCDEF0123456789ABCDEF") << QString();
    }
    void recognise_needsNameAndValue()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        const auto found = recognise(base::Key(key), {KeyType::String, value.size(), {value}});
        QTEST(found ? found->id : QString(), "id");
        if (found) {
            QCOMPARE(found->evidence.size(), 2);
            QCOMPARE(found->holder.has_value(), found->id == u"lock.token");
        }
    }

    void recognise_leavesOtherTypesAndCutValuesAlone()
    {
        QVERIFY(!recognise(base::Key("lock"), {KeyType::Hash, 1, {"1", "1"}}));
        QVERIFY2(!recognise(base::Key("lock"), {KeyType::String, 5000, {"1"}}), "only its beginning was read");
    }
};

QTEST_GUILESS_MAIN(TestRecogniser)
#include "tst_recogniser.moc"

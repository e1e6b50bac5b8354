#include "core/redis/resp/codec.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_codec {

using namespace latchkey::resp;

namespace {

QByteArray encoded(const Command &command)
{
    QByteArray wire;
    encode(command, wire);
    return wire;
}

const QByteArray everyShape = "+OK\r\n-ERR no\r\n:-42\r\n$5\r\nhe\r\no\r\n$-1\r\n*-1\r\n*0\r\n$0\r\n\r\n"
                              "*3\r\n:1\r\n*2\r\n+a\r\n$-1\r\n$3\r\nend\r\n";

Replies everyReply()
{
    return {Reply::status("OK"),
            Reply::error("ERR no"),
            Reply::integer(-42),
            Reply::bulk("he\r\no"),
            Reply::nil(),
            Reply::nil(),
            Reply::array({}),
            Reply::bulk(""),
            Reply::array({Reply::integer(1), Reply::array({Reply::status("a"), Reply::nil()}), Reply::bulk("end")})};
}

QString text(const Replies &replies)
{
    QStringList texts;
    for (const Reply &reply : replies)
        texts += reply.toText();
    return texts.join(u'\n');
}

} // namespace

class TestCodec final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void encode_writesBytesWithTheirLengths_data()
    {
        QTest::addColumn<QByteArray>("argument");
        QTest::addColumn<QByteArray>("wire");
        QTest::addRow("text") << QByteArray("key") << QByteArray("*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n");
        QTest::addRow("NUL and line ends")
            << QByteArray("a\0\r\n", 4) << QByteArray("*2\r\n$3\r\nGET\r\n$4\r\na\0\r\n\r\n", 23);
        QTest::addRow("empty") << QByteArray() << QByteArray("*2\r\n$3\r\nGET\r\n$0\r\n\r\n");
    }
    void encode_writesBytesWithTheirLengths()
    {
        QFETCH(QByteArray, argument);
        QTEST(encoded({"GET", argument}), "wire");
    }

    void feed_readsEveryShape()
    {
        ReplyReader reader;
        Replies replies;
        QVERIFY(reader.feed(everyShape, replies));
        QCOMPARE(text(replies), text(everyReply()));
        QVERIFY(replies == everyReply());
    }

    void feed_readsTheSameHoweverTheBytesAreCut()
    {
        for (qsizetype cut = 0; cut <= everyShape.size(); ++cut) {
            ReplyReader reader;
            Replies replies;
            QVERIFY(reader.feed(everyShape.first(cut), replies));
            QVERIFY(reader.feed(everyShape.sliced(cut), replies));
            QVERIFY2(replies == everyReply(), qPrintable(QStringLiteral("cut at %1: %2").arg(cut).arg(text(replies))));
        }
        ReplyReader reader;
        Replies replies;
        for (const char byte : everyShape)
            QVERIFY(reader.feed(QByteArrayView(&byte, 1), replies));
        QVERIFY(replies == everyReply());
    }

    void feed_knowsWhetherItStandsInsideAReply()
    {
        ReplyReader reader;
        Replies replies;
        QVERIFY(!reader.isInsideReply());
        QVERIFY(reader.feed("*2\r\n:1\r\n", replies));
        QVERIFY(reader.isInsideReply());
        QVERIFY(reader.feed(":2\r\n", replies));
        QVERIFY(!reader.isInsideReply());
    }

    void feed_readsWhatIsLargerThanAnyBuffer()
    {
        const QByteArray large(3'000'000, 'x');
        ReplyReader reader;
        Replies replies;
        QVERIFY(reader.feed("$3000000\r\n" + large + "\r\n:1\r\n", replies));
        QCOMPARE(replies.size(), std::size_t(2));
        QVERIFY(replies[0].isBulk(large));
        QVERIFY(replies[1].isInteger(1));
    }

    void reply_containsOnlyItsKind()
    {
        QVERIFY(Reply::status("OK").isOk());
        QVERIFY(!Reply::bulk("OK").isOk());
        QVERIFY(!Reply::error("OK").isOk());
        QVERIFY(Reply::integer(1).isInteger(1));
        QVERIFY(!Reply::nil().isInteger(0));
        QVERIFY(!Reply::bulk("1").isInteger(1));
    }

    void reply_textIsCutWhereItIsLong()
    {
        QVERIFY(Reply::bulk(QByteArray(100'000, 'x')).toText().size() < 300);
        QVERIFY(Reply::array(Replies(100'000)).toText().endsWith(QStringLiteral("and 99980 more]")));
    }
};

LATCHKEY_TEST(TestCodec)

} // namespace tst_codec

#include "tst_codec.moc"

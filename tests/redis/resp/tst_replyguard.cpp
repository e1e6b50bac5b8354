#include "core/redis/resp/codec.h"
#include "core/redis/resp/replyguard.h"
#include "tests/support/testprogram.h"

#include <QRandomGenerator>
#include <QTest>

namespace tst_replyguard {

using namespace latchkey;
using namespace latchkey::resp;

namespace {

ReplyLimits small()
{
    ReplyLimits limits;
    limits.elements = 10;
    limits.bulkLength = 100;
    limits.totalBytes = 300;
    limits.lineLength = 50;
    limits.depth = 3;
    return limits;
}

} // namespace

class TestReplyGuard final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void inspect_refusesBeforeAnythingIsAllocated_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("problem");
        QTest::addRow("huge array") << QByteArray("*2147483647\r\n")
                                    << QStringLiteral("an array of 2147483647 elements, larger than 10: not read");
        QTest::addRow("one element too many")
            << QByteArray("*11\r\n") << QStringLiteral("an array of 11 elements, larger than 10: not read");
        QTest::addRow("too many in all") << QByteArray("*2\r\n*9\r\n")
                                         << QStringLiteral("an array of 9 elements, larger than 10: not read");
        QTest::addRow("huge bulk") << QByteArray("$9223372036854775807\r\n")
                                   << QStringLiteral(
                                          "a value of 9223372036854775807 bytes, larger than 100 bytes: not read");
        QTest::addRow("one byte too long")
            << QByteArray("$101\r\n") << QStringLiteral("a value of 101 bytes, larger than 100 bytes: not read");
        QTest::addRow("too deep") << QByteArray("*1\r\n*1\r\n*1\r\n*1\r\n")
                                  << QStringLiteral("arrays nested deeper than 3");
        QTest::addRow("too much in all") << QByteArray("*4\r\n")
                                                + QByteArray("$99\r\n" + QByteArray(99, 'x') + "\r\n").repeated(3)
                                         << QStringLiteral("an answer larger than 300 bytes: not read");
        QTest::addRow("long status") << QByteArray("+") + QByteArray(51, 'x')
                                     << QStringLiteral("a line larger than 50 bytes: not read");
    }
    void inspect_refusesBeforeAnythingIsAllocated()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, problem);
        ReplyGuard guard(small());
        const auto whole = guard.inspect(bytes);
        QVERIFY(!whole);
        QCOMPARE(whole.error().message(), QStringLiteral("the server sent ") + problem);

        ReplyGuard slow(small());
        base::Result<qsizetype> last = 0;
        for (qsizetype i = 0; i < bytes.size() && last; ++i)
            last = slow.inspect(bytes.sliced(i, 1));
        QVERIFY(!last);
        QCOMPARE(last.error(), whole.error());
    }

    void inspect_refusesWhatIsNotResp2_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addRow("RESP3 map") << QByteArray("%1\r\n");
        QTest::addRow("RESP3 push") << QByteArray(">2\r\n");
        QTest::addRow("bulk without its line end") << QByteArray("$3\r\nabcXX");
        QTest::addRow("bulk of length -2") << QByteArray("$-2\r\n");
        QTest::addRow("array of length -2") << QByteArray("*-2\r\n");
        QTest::addRow("no number") << QByteArray(":\r\n");
        QTest::addRow("only a sign") << QByteArray(":-\r\n");
        QTest::addRow("number beyond 64 bits") << QByteArray(":9223372036854775808\r\n");
        QTest::addRow("letters in a number") << QByteArray(":12a\r\n");
        QTest::addRow("sign inside") << QByteArray(":1-2\r\n");
        QTest::addRow("leading zero") << QByteArray(":042\r\n");
        QTest::addRow("minus zero") << QByteArray(":-0\r\n");
        QTest::addRow("carriage return alone") << QByteArray(":1\rx");
    }
    void inspect_refusesWhatIsNotResp2()
    {
        QFETCH(QByteArray, bytes);
        ReplyGuard guard;
        const auto result = guard.inspect(bytes);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, base::ErrorKind::Protocol);
        QVERIFY2(result.error().message().startsWith(QStringLiteral("the server sent bytes that are not RESP2")),
                 qPrintable(result.error().message()));
    }

    void inspect_namesTheOtherProtocol_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("problem");
        QTest::addRow("HTTP") << QByteArray("HTTP/1.1 400 Bad Request\r\n")
                              << QStringLiteral("this is not a Redis server (it answers HTTP)");
        QTest::addRow("HTTP, a page alone")
            << QByteArray("<!DOCTYPE HTML>\n<html>") << QStringLiteral("this is not a Redis server (it answers HTTP)");
        QTest::addRow("SSH") << QByteArray("SSH-2.0-OpenSSH_9.2\r\n")
                             << QStringLiteral("this is not a Redis server (it answers SSH)");
        QTest::addRow("a TLS alert") << QByteArray("\x15\x03\x01\x00\x02\x02\x46", 7)
                                     << QStringLiteral("this port requires TLS: such a URL begins with rediss://");
        QTest::addRow("mail") << QByteArray("220 mail ESMTP\r\n")
                              << QStringLiteral("this is not a Redis server (it answers \"220 mail ESMTP\\x0d\\x0a\")");
        QTest::addRow("nothing of the kind, after a reply")
            << QByteArray("+OK\r\nHTTP/1.1\r\n")
            << QStringLiteral("the server sent bytes that are not RESP2 (\"HTTP/1.1\\x0d\\x0a\")");
        QTest::addRow("nothing of the kind, inside an array")
            << QByteArray("*1\r\nHTTP") << QStringLiteral("the server sent bytes that are not RESP2 (\"HTTP\")");
    }
    void inspect_namesTheOtherProtocol()
    {
        QFETCH(QByteArray, bytes);
        ReplyGuard guard;
        const auto result = guard.inspect(bytes);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, base::ErrorKind::Protocol);
        QTEST(result.error().message(), "problem");
    }

    void inspect_countsWhatEnds_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<qsizetype>("complete");
        QTest::addRow("nothing") << QByteArray() << qsizetype(0);
        QTest::addRow("half") << QByteArray("*2\r\n:1\r\n") << qsizetype(0);
        QTest::addRow("limits of 64 bits")
            << QByteArray(":9223372036854775807\r\n:-9223372036854775808\r\n") << qsizetype(2);
        QTest::addRow("empty ones") << QByteArray("*0\r\n$0\r\n\r\n*-1\r\n$-1\r\n") << qsizetype(4);
        QTest::addRow("nested and empty") << QByteArray("*2\r\n*0\r\n*1\r\n*0\r\n") << qsizetype(1);
        QTest::addRow("limits start anew with each reply")
            << QByteArray("*9\r\n" + QByteArray(":1\r\n").repeated(9)).repeated(5) << qsizetype(5);
    }
    void inspect_countsWhatEnds()
    {
        QFETCH(QByteArray, bytes);
        ReplyGuard guard(small());
        const auto complete = guard.inspect(bytes);
        QVERIFY(complete);
        QTEST(*complete, "complete");
    }

    /// hiredis must parse all bytes that the guard accepts, into exactly as many replies as the guard counted: the
    /// reader trusts that count.
    void inspect_agreesWithHiredisOnDamagedStreams()
    {
        const QByteArray whole =
            "+OK\r\n-ERR no\r\n:-42\r\n$5\r\nhello\r\n$-1\r\n*3\r\n:1\r\n*2\r\n+a\r\n$-1\r\n$3\r\nend\r\n*0\r\n*-1\r\n";
        const QByteArray alphabet = "+-:$*0123456789\r\n a";
        QRandomGenerator random(20'261);
        int passed = 0;
        for (int round = 0; round < 20'000; ++round) {
            QByteArray damaged = whole;
            for (int edits = random.bounded(1, 4); edits > 0; --edits)
                damaged[random.bounded(damaged.size())] = alphabet[random.bounded(alphabet.size())];
            ReplyReader reader(small());
            Replies replies;
            const auto fed = reader.feed(damaged, replies);
            if (fed) {
                ++passed;
                ReplyGuard guard(small());
                QCOMPARE(static_cast<qsizetype>(replies.size()), *guard.inspect(damaged));
            } else {
                // The guard refused. hiredis never fails on accepted bytes.
                QVERIFY2(!fed.error().message().contains(QStringLiteral("cannot be parsed")),
                         damaged.toPercentEncoding().constData());
            }
        }
        QVERIFY2(passed > 100, "the damage must leave some streams readable, else nothing is compared");
    }
};

LATCHKEY_TEST(TestReplyGuard)

} // namespace tst_replyguard

#include "tst_replyguard.moc"

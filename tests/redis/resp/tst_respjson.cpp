#include "core/redis/resp/respjson.h"
#include "tests/support/testprogram.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

namespace tst_respjson {

using namespace latchkey;
using files::JsonNode;
using resp::Reply;

namespace {

QByteArray textOf(const QJsonValue &json)
{
    return QJsonDocument(QJsonArray {json}).toJson(QJsonDocument::Compact);
}

} // namespace

class TestRespJson final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reply_isReadAsItWasWritten_data()
    {
        QTest::addColumn<Reply>("reply");
        QTest::addColumn<QByteArray>("json");
        QTest::addRow("nil") << Reply::nil() << QByteArray("[null]");
        QTest::addRow("integer") << Reply::integer(-2) << QByteArray("[-2]");
        QTest::addRow("bulk") << Reply::bulk("v") << QByteArray(R"(["v"])");
        QTest::addRow("bytes") << Reply::bulk("\xff") << QByteArray(R"([{"base64":"/w=="}])");
        QTest::addRow("status") << Reply::status("OK") << QByteArray(R"([{"status":"OK"}])");
        QTest::addRow("error") << Reply::error("ERR no") << QByteArray(R"([{"error":"ERR no"}])");
        QTest::addRow("error of bytes") << Reply::error("ERR \xff")
                                        << QByteArray(R"([{"error":{"base64":"RVJSIP8="}}])");
        QTest::addRow("array") << Reply::array({Reply::integer(7), Reply::array({})}) << QByteArray("[[7,[]]]");
    }
    void reply_isReadAsItWasWritten()
    {
        QFETCH(Reply, reply);
        QFETCH(QByteArray, json);
        QCOMPARE(textOf(resp::replyJson(reply)), json);
        QVERIFY(resp::replyFrom(JsonNode(resp::replyJson(reply), {})) == reply);
    }

    void bulkOfAnOldRecording_isRead()
    {
        const QJsonObject old {{QStringLiteral("bulk"), QStringLiteral("v")}};
        QVERIFY(resp::replyFrom(JsonNode(old, {})) == Reply::bulk("v"));
    }

    void command_isReadAsItWasWritten()
    {
        const resp::Command command {"SET", "k", "\xff"};
        QVERIFY(resp::commandFrom(JsonNode(resp::commandJson(command), {})) == command);
    }

    void invalidReply_isRefusedWithItsPlace()
    {
        try {
            (void)resp::replyFrom(JsonNode(QJsonArray {1, QJsonObject()}, QStringLiteral("reply")));
            QFAIL("accepted");
        } catch (const base::Failure &failure) {
            QCOMPARE(failure.error().message(), QStringLiteral("reply[1]: neither a text nor base64"));
        }
    }
};

LATCHKEY_TEST(TestRespJson)

} // namespace tst_respjson

#include "tst_respjson.moc"

#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/exchange/script.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QDirIterator>
#include <QTest>

namespace tst_script {

using namespace latchkey;
using namespace latchkey::exchange;
using resp::Reply;

namespace {

Exchange<Reply> call(ScriptCall evaluation)
{
    const Reply reply = co_await std::move(evaluation);
    co_return reply;
}

} // namespace

class TestScript final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void commands_carryKeysAndArgumentsApart()
    {
        const Script script(QStringLiteral("compare-and-extend"));
        const ScriptCall evaluation = script.on(base::Key("k")).with(base::OwnerToken("t")).with(500);
        const resp::Command bySha1 = evaluation.bySha1();
        QCOMPARE(bySha1, (resp::Command {"EVALSHA", script.sha1(), "1", "k", "t", "500"}));
        QCOMPARE(evaluation.bySource().words().at(1), script.source());
    }

    void people_seeTheNameOfAScript()
    {
        const Script script(QStringLiteral("compare-and-extend"));
        const auto called = script.on(base::Key("k")).with(500);
        QCOMPARE(withScriptName(called.bySha1()).toText(), QStringLiteral("EVALSHA compare-and-extend 1 k 500"));
        QCOMPARE(withScriptName(called.bySource()).toText(), QStringLiteral("EVAL compare-and-extend 1 k 500"));
        const resp::Command unknown {"EVALSHA", QByteArray(40, 'f'), "0"};
        QCOMPARE(withScriptName(unknown), unknown);
        QCOMPARE(withScriptName({"GET", script.sha1()}), (resp::Command {"GET", script.sha1()}));
        QCOMPARE(withScriptName({"EVALSHA"}), (resp::Command {"EVALSHA"}));
    }

    void severalArguments_keepTheirOrder()
    {
        const Script script(QStringLiteral("compare-and-extend"));
        const std::vector<QByteArray> words {"a", "", "b"};
        QCOMPARE(script.on(base::Key("k")).with(1).with(words).with(2).bySha1(),
                 (resp::Command {"EVALSHA", script.sha1(), "1", "k", "1", "a", "", "b", "2"}));
    }

    void sha1_isTheServersOwn()
    {
        test::TestServer server;
        const Script script(QStringLiteral("compare-and-delete"));
        QVERIFY(server({"SCRIPT", "LOAD", script.source()}).isBulk(script.sha1()));
    }

    void evaluate_teachesAServerThatDoesNotKnowTheScript()
    {
        test::TestServer server;
        const Script script(QStringLiteral("compare-and-delete"));
        BlockingDriver driver({server.endpoint()});
        QVERIFY(server({"SET", "k", "t"}).isOk());
        QVERIFY(server({"SCRIPT", "EXISTS", script.sha1()}) == Reply::array({Reply::integer(0)}));

        const auto reply = driver.run(call(script.on(base::Key("k")).with(base::OwnerToken("t"))));
        LATCHKEY_VERIFY_RESULT(reply);
        QVERIFY(reply->isInteger(1));
        QVERIFY(server({"SCRIPT", "EXISTS", script.sha1()}) == Reply::array({Reply::integer(1)}));

        const auto again = driver.run(call(script.on(base::Key("k")).with(base::OwnerToken("t"))));
        LATCHKEY_VERIFY_RESULT(again);
        QVERIFY(again->isInteger(-1));
    }

    void errorsOtherThanNoScript_areNotRetried()
    {
        Stepper stepper(
            call(Script(QStringLiteral("compare-and-delete")).on(base::Key("k")).with(base::OwnerToken("t"))));
        stepper.grant(Reply::error("NOPERM this user has no permissions to run the 'evalsha' command"));
        QVERIFY(stepper.isFinished());
        QCOMPARE(stepper.takeResult().error().kind, base::ErrorKind::PermissionDenied);
    }

    /// A script must take its key names from KEYS: a Redis Cluster requires it and a reader expects it. A literal key
    /// in a script would not be checked. Scripts of the race finder read all keys of its private server and are never
    /// sent to another server.
    void everyScript_takesItsKeysFromKeys()
    {
        QDirIterator files(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/lua"), {QStringLiteral("*.lua")});
        int seen = 0;
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString source = QString::fromUtf8(file.readAll());
            static const QRegularExpression call(QStringLiteral("redis\\.p?call\\('(\\w+)'(?!\\s*,\\s*KEYS\\[)"));
            const auto match = call.match(source);
            const bool isTheTestbeds = file.fileName().contains(QLatin1String("/testbed-"));
            QVERIFY2(isTheTestbeds || !match.hasMatch() || match.captured(1) == u"TIME",
                     qPrintable(file.fileName() + QStringLiteral(": ") + match.captured(0)));
            QVERIFY2(source.startsWith(QStringLiteral("-- ")), "a script begins with a comment that says what it does");
            ++seen;
        }
        QVERIFY(seen >= 2);
    }
};

LATCHKEY_TEST(TestScript)

} // namespace tst_script

#include "tst_script.moc"

#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/fakeserver.h"
#include "tests/support/freeport.h"
#include "tests/support/load.h"
#include "tests/support/testprogram.h"

#include <QFileInfo>
#include <QTcpServer>
#include <QTest>

namespace tst_surroundings {

using namespace latchkey;
using test::Outcome;

namespace {

QStringList listeningOn(quint16 port)
{
    return {QStringLiteral("--port"), QString::number(port), QStringLiteral("--bind"), QStringLiteral("127.0.0.1")};
}

/// Returns the arguments of a shell script; "$0" in it is latchkey-cli.
QStringList scriptFor(const QByteArray &script)
{
    return {QStringLiteral("-c"), QString::fromUtf8(script), QStringLiteral(LATCHKEY_CLI)};
}

} // namespace

/// Tests of the programs in unusual environments: descriptors, readers, proxies, servers.
class TestSurroundings final : public test::CommandLineTest
{
    Q_OBJECT

    Outcome shell(const QByteArray &script) { return runProgram(QStringLiteral("bash"), scriptFor(script)); }

private Q_SLOTS:
    void closedDescriptor_isNotTakenForTheServer_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("errors");
        const QByteArray lost(
            "latchkey-cli: cannot write the answer to standard output; the command itself was executed\n");
        QTest::addRow("ls") << QByteArray("\"$0\" ls <&- >&-") << 3 << lost;
        QTest::addRow("ls, as JSON") << QByteArray("\"$0\" ls --json <&- >&-") << 3 << lost;
        QTest::addRow("ls, and nothing said") << QByteArray("\"$0\" ls <&- >&- 2>&-") << 3 << QByteArray();
        // With four, the loader may fail before the program begins: ctest leaves a descriptor open.
        for (const int limit : {5, 6, 8}) {
            // UBSan opens a pipe to inspect an object, and reports an object that it cannot inspect.
            if (limit > 5 || !test::isSanitized())
                QTest::addRow("no more than %d files", limit)
                    << "ulimit -n " + QByteArray::number(limit) + "; \"$0\" ls" << 3
                    << QByteArray("latchkey-cli: too many open files: raise the limit (ulimit -n)\n");
        }
        QTest::addRow("put") << QByteArray("\"$0\" put set-ex new v --ttl 9s >&-") << 3 << lost;
        QTest::addRow("put of what cannot be read")
            << QByteArray("\"$0\" put set-ex new - --ttl 9s <&-") << 3
            << QByteArray("latchkey-cli: cannot read the standard input: Bad file descriptor\n");
        QTest::addRow("a no, which needs no answer") << QByteArray("\"$0\" get set-ex nothing <&- >&-") << 1
                                                     << QByteArray("latchkey-cli: get set-ex \"nothing\": miss\n");
        QTest::addRow("a program that says nothing")
            << QByteArray("\"$0\" run token new -- true <&- >&-") << 0 << QByteArray();
    }
    void closedDescriptor_isNotTakenForTheServer()
    {
        QFETCH(QByteArray, script);
        QVERIFY((*server)({"SET", "key", "v"}).isOk());
        const Outcome outcome = shell(script);
        QTEST(outcome.errors, "errors");
        QTEST(outcome.exitCode, "exitCode");
        const QByteArray refused = (*server)({"INFO", "errorstats"}).bytes();
        QVERIFY2(!refused.contains("errorstat_ERR"), refused.constData());
    }

    void windowWithClosedDescriptors_opensNothingInTheirPlace()
    {
        const auto clients = [this] { return (*server)({"CLIENT", "LIST"}).bytes().count("name=latchkey"); };
        const auto before = clients();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral("bash"), {QStringLiteral("-c"), QStringLiteral("exec \"$0\" <&- >&- 2>&-"),
                                               QStringLiteral(LATCHKEY_WINDOW)});
        LATCHKEY_AWAIT(clients() > before);
        for (const int descriptor : {0, 1, 2})
            QCOMPARE(
                QFileInfo(QStringLiteral("/proc/%1/fd/%2").arg(process.processId()).arg(descriptor)).symLinkTarget(),
                QStringLiteral("/dev/null"));
        process.terminate();
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        QCOMPARE(process.exitCode(), 0);
    }

    void readerThatGoes_endsItAsSigpipeWould_data()
    {
        QTest::addColumn<QByteArray>("words");
        for (const char *words : {"ls", "ls --json", "recipes"})
            QTest::addRow("%s", words) << QByteArray(words);
    }
    void readerThatGoes_endsItAsSigpipeWould()
    {
        QFETCH(QByteArray, words);
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        const QByteArray script = "exec 3> >(:); wait $!; \"$0\" " + words + " >&3 3>&-; echo $?";
        const Outcome ended = shell(script);
        QCOMPARE(ended.errors, QByteArray());
        QCOMPARE(ended.output, QByteArray("141\n"));
        const Outcome ignoring = shell("trap '' PIPE; " + script);
        QVERIFY2(ignoring.errors.startsWith("latchkey-cli: cannot write the answer"), ignoring.errors.constData());
        QCOMPARE(ignoring.output, QByteArray("3\n"));
    }

    void proxyOfTheEnvironment_isNotUsed_data()
    {
        QTest::addColumn<QByteArray>("words");
        for (const char *words : {"ls", "acquire token k", "run renewing k --lease 5s -- true"})
            QTest::addRow("%s", words) << QByteArray(words);
    }
    void proxyOfTheEnvironment_isNotUsed()
    {
        QFETCH(QByteArray, words);
        const quint16 port = test::freeClusterPort();
        test::TestServer tcp(listeningOn(port));
        QTcpServer proxy;
        QVERIFY(proxy.listen(QHostAddress::LocalHost));
        const QString url = QStringLiteral("http://127.0.0.1:%1").arg(proxy.serverPort());
        for (const char *name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"})
            environment.insert(QString::fromLatin1(name), url);
        environment.insert(QStringLiteral("LATCHKEY_URL"), QStringLiteral("redis://127.0.0.1:%1").arg(port));
        const Outcome outcome = run(words.constData());
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
        QVERIFY(!proxy.waitForNewConnection(0));
    }

    void serverWithoutRoom_isReported_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("start");
        QTest::addRow("blocking") << QByteArray("acquire token k") << QByteArray("acquire token \"k\": ");
        QTest::addRow("event loop") << QByteArray("ls") << QByteArray("ls: ");
    }
    void serverWithoutRoom_isReported()
    {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, start);
        QVERIFY((*server)({"CONFIG", "SET", "maxclients", "1"}).isOk());
        for (int i = 0; i < 5; ++i) { // Repeated, because either side may close the connection first.
            const Outcome outcome = run(words.constData());
            QCOMPARE(outcome.errors, "latchkey-cli: " + start + server->url().toUtf8()
                                         + ": the server has no room for another client (\"ERR max number of clients "
                                           "reached\")\n");
            QCOMPARE(outcome.exitCode, 3);
        }
    }

    void stranger_isRecognised_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("errors");
        const auto rows = [](const char *name, const QByteArray &answer, const QByteArray &what) {
            QTest::addRow("%s, blocking", name) << answer << QByteArray("acquire token k") << what;
            QTest::addRow("%s, event loop", name) << answer << QByteArray("ls") << what;
        };
        rows("HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n", ": this is not a Redis server (it answers HTTP)\n");
        rows("TLS", QByteArray("\x15\x03\x01\x00\x02\x02\x46", 7),
             ": this port requires TLS: such a URL begins with rediss://\n");
        const QByteArray mayWantTls(": the server closed the connection without a reply; a TLS port does so, and its "
                                    "URL begins with rediss://\n");
        rows("hanging up at our words", "", mayWantTls);
        rows("hanging up at once", "at once", mayWantTls);
    }
    void stranger_isRecognised()
    {
        QFETCH(QByteArray, answer);
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, errors);
        const test::FakeServer stranger(answer == "at once" ? test::FakeServer::closesOnConnect()
                                                            : test::FakeServer::says(answer));
        environment.insert(QStringLiteral("LATCHKEY_URL"), stranger.url());
        const Outcome outcome = run(words.constData());
        QVERIFY2(outcome.errors.endsWith(errors) && outcome.errors.contains("redis://127.0.0.1:"),
                 outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QCOMPARE(outcome.exitCode, 3);
    }

    void escapeSequence_isNeverPrintedRaw_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("url");
        const QString evil = QStringLiteral("\x1b]0;owned\x07%1").arg(QChar(0x9B));
        const auto row = [](const char *name, const QStringList &arguments, const QString &url = {}) {
            QTest::addRow("%s", name) << arguments << url;
        };
        const QString acquire = QStringLiteral("acquire");
        const QString token = QStringLiteral("token");
        row("command", {evil});
        row("option", {acquire, token, QStringLiteral("k"), QStringLiteral("--") + evil});
        row("option before the command", {QStringLiteral("--") + evil, acquire});
        row("recipe", {acquire, evil, QStringLiteral("k")});
        row("unit", {acquire, QStringLiteral("auto-release"), QStringLiteral("k"), QStringLiteral("--unit"), evil});
        row("duration", {acquire, token, QStringLiteral("k"), QStringLiteral("--lease"), evil});
        row("file", {acquire, token, QStringLiteral("k"), QStringLiteral("--token-file"), evil});
        row("shell", {QStringLiteral("completion"), evil});
        row("policy",
            {QStringLiteral("get"), QStringLiteral("guarded"), QStringLiteral("k"), QStringLiteral("--ttl"),
             QStringLiteral("5s"), QStringLiteral("--policy"), evil, QStringLiteral("--"), QStringLiteral("true")});
        row("program", {QStringLiteral("run"), token, QStringLiteral("k"), QStringLiteral("--"), evil});
        row("URL", {QStringLiteral("ls")}, evil);
        row("socket", {QStringLiteral("ls")}, QStringLiteral("unix:///tmp/%1b]0;owned%07"));
        row("promise", {QStringLiteral("explore"), token, QStringLiteral("--promise"), evil});
        row("story", {QStringLiteral("explore"), QStringLiteral("--play"), evil});
    }
    void escapeSequence_isNeverPrintedRaw()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, url);
        if (!url.isEmpty())
            environment.insert(QStringLiteral("LATCHKEY_URL"), url);
        environment.insert(QStringLiteral("QT_LOGGING_RULES"), QStringLiteral("latchkey.*=true"));
        const Outcome outcome = run(arguments);
        QVERIFY(outcome.exitCode != 0);
        for (const QByteArray &written : {outcome.output, outcome.errors}) {
            for (const char *raw : {"\x1b", "\x07", "\xc2\x9b"})
                QVERIFY2(!written.contains(raw), written.toPercentEncoding(" ").constData());
        }
    }
};

LATCHKEY_TEST(TestSurroundings)

} // namespace tst_surroundings

#include "tst_surroundings.moc"

// watch --record and replay: the same lines, without the server.

#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <sys/stat.h>

namespace tst_recordandreplay {

using namespace latchkey;

class TestRecordAndReplay final : public QObject
{
    Q_OBJECT

    const QByteArray token = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");
    const QByteArray other = QByteArrayLiteral("9891ac7c19c1ec9e54f0c08c8074917c");

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<QTemporaryDir> folder;

    QString path() const { return folder->filePath(QStringLiteral("bug.latchkey-recording")); }

    struct Ran
    {
        QByteArray output;
        QByteArray errors;
        int exitCode = -1;
    };
    static Ran run(const QStringList &arguments)
    {
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI), arguments);
        if (!process.waitForFinished(60'000))
            return {};
        return {process.readAllStandardOutput(), process.readAllStandardError(), process.exitCode()};
    }
    /// Returns the lines sorted by key: simultaneous events, as after a flush, have no order.
    static QList<QJsonObject> linesOf(const QByteArray &output)
    {
        QList<QJsonObject> all;
        for (const QByteArray &line : output.trimmed().split('\n'))
            all += QJsonDocument::fromJson(line).object();
        std::ranges::stable_sort(all, {},
                                 [](const QJsonObject &line) { return line[QStringLiteral("key")].toString(); });
        return all;
    }
    /// Returns the alerts and their ends, sorted by rule and key.
    static QList<QJsonObject> alertsOf(const QByteArray &output)
    {
        QList<QJsonObject> all = linesOf(output);
        all.removeIf([](const QJsonObject &line) { return !line.contains(QLatin1String("rule")); });
        std::ranges::stable_sort(all, {},
                                 [](const QJsonObject &line) { return line[QStringLiteral("rule")].toString(); });
        return all;
    }
    /// Records the output of watch, while locks are acquired, renewed, lost and flushed.
    void recordSession(const QStringList &options, Ran &ran)
    {
        const auto tell = qScopeGuard([&ran] {
            if (QTest::currentTestFailed())
                qWarning("%s", ran.output.constData());
        });
        QProcess process;
        connect(&process, &QProcess::readyReadStandardOutput, this,
                [&] { ran.output += process.readAllStandardOutput(); });
        QVERIFY((*server)({"SET", "lock:first", token}).isOk());
        process.start(QStringLiteral(LATCHKEY_CLI),
                      QStringList {QStringLiteral("watch"), QStringLiteral("--url"), server->url(),
                                   QStringLiteral("--json"), QStringLiteral("--record"), path()}
                          + options);
        // The kinds of ends are not checked here: on a busy machine they may be uncertain.
        const auto has = [&ran](qsizetype lines) { return ran.output.count('\n') >= lines; };
        LATCHKEY_AWAIT(has(1));
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(has(2));
        QVERIFY((*server)({"PEXPIRE", "lock:a", "90000"}).isInteger(1));
        LATCHKEY_AWAIT(has(3));
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        LATCHKEY_AWAIT(has(4));
        QVERIFY((*server)({"SET", "lock:b", other, "PX", "1500"}).isOk());
        LATCHKEY_AWAIT(has(6));
        QVERIFY((*server)({"SET", "lock:a", other, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(has(7));
        QVERIFY((*server)({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(has(9));
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(60'000));
        ran.output += process.readAllStandardOutput();
        ran.errors = process.readAllStandardError();
        ran.exitCode = process.exitCode();
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        folder = std::make_unique<QTemporaryDir>();
    }
    void cleanup() { server.reset(); }

    void replay_printsTheSameLines_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("with values") << QStringList();
        QTest::newRow("without values") << QStringList {QStringLiteral("--without-values")};
    }
    void replay_printsTheSameLines()
    {
        QFETCH(QStringList, options);
        Ran watched;
        recordSession(options, watched);
        if (QTest::currentTestFailed())
            return;
        QCOMPARE(watched.exitCode, 0);
        server->kill();
        const Ran replayed = run({QStringLiteral("replay"), QStringLiteral("--json"), path()});
        QCOMPARE(replayed.errors, QByteArray());
        QCOMPARE(replayed.exitCode, 0);
        const QList<QJsonObject> was = linesOf(watched.output);
        const QList<QJsonObject> is = linesOf(replayed.output);
        QCOMPARE(is.size(), was.size());
        for (qsizetype i = 0; i < is.size(); ++i) {
            for (const char *field : {"key", "event", "source", "late_ms", "uncertain_ms", "at_ms"}) {
                const auto line = [](const QJsonObject &object) {
                    return QJsonDocument(object).toJson(QJsonDocument::Compact);
                };
                const QByteArray both = line(was[i]) + " is replayed as " + line(is[i]);
                QVERIFY2(is[i][QLatin1String(field)] == was[i][QLatin1String(field)], both.constData());
            }
            if (options.isEmpty())
                QCOMPARE(is[i][QStringLiteral("holder")], was[i][QStringLiteral("holder")]);
        }
        QFile file(path());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray written = file.readAll();
        QCOMPARE(written.contains(token), options.isEmpty());
        QCOMPARE(written.contains(other), options.isEmpty());
        // A pattern selects the lines.
        const Ran some = run({QStringLiteral("replay"), QStringLiteral("--json"), path(), QStringLiteral("lock:b")});
        QCOMPARE(linesOf(some.output).size(), 2);

        // For a truncated file, the place is reported and the complete part is replayed.
        QVERIFY(file.resize(path(), file.size() * 3 / 4));
        const Ran cut = run({QStringLiteral("replay"), QStringLiteral("--json"), path()});
        QCOMPARE(cut.exitCode, 3);
        QVERIFY(cut.output.size() < replayed.output.size());
        for (const QByteArray &line : cut.output.trimmed().split('\n'))
            QVERIFY(replayed.output.contains(line));
        QVERIFY2(cut.errors.contains("the recording is cut off here"), cut.errors.constData());
        QCOMPARE(cut.errors.count('\n'), 1);
    }

    void replay_tellsWhatWatchDidNotSee_data()
    {
        QTest::addColumn<QByteArray>("fault");
        QTest::addColumn<bool>("isJson");
        for (const char *fault : {"stopped", "refused", "killed"}) {
            QTest::addRow("%s, JSON", fault) << QByteArray(fault) << true;
            QTest::addRow("%s, text", fault) << QByteArray(fault) << false;
        }
    }
    /// The recording has the coverage of the watching: a replay prints the same lines, to the millisecond.
    void replay_tellsWhatWatchDidNotSee()
    {
        QFETCH(QByteArray, fault);
        QFETCH(bool, isJson);
        const QStringList format = isJson ? QStringList {QStringLiteral("--json")} : QStringList();
        const auto tell = [this](const resp::Command &command) { return (*server)(command); };
        const auto process = [this] { return static_cast<pid_t>(server->process().processId()); };
        const auto wake = qScopeGuard([&] { ::kill(process(), SIGCONT); });
        QVERIFY(tell({"SET", "lock:first", token}).isOk());
        QProcess watch;
        QByteArray output;
        connect(&watch, &QProcess::readyReadStandardOutput, this, [&] { output += watch.readAllStandardOutput(); });
        watch.start(QStringLiteral(LATCHKEY_CLI), QStringList {QStringLiteral("watch"), QStringLiteral("--url"),
                                                               server->url(), QStringLiteral("--record"), path()}
                                                      + format);
        LATCHKEY_AWAIT(output.contains("seen"));
        if (fault == "stopped") {
            ::kill(process(), SIGSTOP);
            LATCHKEY_AWAIT(output.contains("blind"));
            ::kill(process(), SIGCONT);
        } else if (fault == "refused") {
            QVERIFY(tell({"ACL", "SETUSER", "default", "-pttl"}).isOk());
            QVERIFY(tell({"SET", "lock:first", token}).isOk());
            LATCHKEY_AWAIT(output.contains("blind"));
            QVERIFY(tell({"ACL", "SETUSER", "default", "+pttl"}).isOk());
        } else {
            server->process().crash();
            LATCHKEY_AWAIT(server->process().isKilled() && output.contains("blind"));
            QVERIFY(server->process().startAndWait());
        }
        LATCHKEY_AWAIT(output.contains("sees"));
        ::kill(static_cast<pid_t>(watch.processId()), SIGINT);
        QVERIFY(watch.waitForFinished(60'000));
        output += watch.readAllStandardOutput();
        const Ran replayed = run(QStringList {QStringLiteral("replay"), path()} + format);
        QCOMPARE(replayed.output, output);
        QCOMPARE(replayed.exitCode, watch.exitCode());
        QCOMPARE(replayed.exitCode, 3);
        QByteArray said = watch.readAllStandardError();
        said = said.first(said.lastIndexOf("latchkey-cli: watch: recorded")).replace("watch", "replay");
        QCOMPARE(replayed.errors, said);
    }

    /// The process ends some replies after its recording: what these tell is in neither of them.
    void changesAfterTheEnd_arePrintedByNeither()
    {
        QVERIFY((*server)({"SET", "lock:first", token}).isOk());
        QProcess watch;
        QByteArray output;
        connect(&watch, &QProcess::readyReadStandardOutput, this, [&] { output += watch.readAllStandardOutput(); });
        watch.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("watch"), QStringLiteral("--url"), server->url(),
                                                   QStringLiteral("--json"), QStringLiteral("--record"), path()});
        LATCHKEY_AWAIT(output.contains("seen"));
        constexpr int changes = 1'000;
        for (int i = 0; i < changes; ++i) {
            if (i == changes / 4)
                ::kill(static_cast<pid_t>(watch.processId()), SIGINT);
            QVERIFY((*server)({"SET", "lock:" + QByteArray::number(i), token, "PX", "60000"}).isOk());
        }
        QVERIFY(watch.waitForFinished(60'000));
        output += watch.readAllStandardOutput();
        const Ran replayed = run({QStringLiteral("replay"), QStringLiteral("--json"), path()});
        QCOMPARE(linesOf(replayed.output), linesOf(output));
    }

    /// The rules are evaluated at the recorded times, also between two observations. What raises an alert after a time
    /// has no entry of its own in the recording.
    void replay_raisesTheAlertsOfWatch()
    {
        const QStringList rules {QStringLiteral("--alert"), QStringLiteral("no-expiry"),
                                 QStringLiteral("--alert"), QStringLiteral("older-than=700ms lock:b*"),
                                 QStringLiteral("--alert"), QStringLiteral("blind"),
                                 QStringLiteral("--json")};
        QVERIFY((*server)({"SET", "lock:a", token}).isOk());
        QVERIFY((*server)({"SET", "lock:b", other, "PX", "3600000"}).isOk());
        QProcess watch;
        QByteArray output;
        connect(&watch, &QProcess::readyReadStandardOutput, this, [&] { output += watch.readAllStandardOutput(); });
        watch.start(QStringLiteral(LATCHKEY_CLI), QStringList {QStringLiteral("watch"), QStringLiteral("--url"),
                                                               server->url(), QStringLiteral("--record"), path()}
                                                      + rules);
        const auto wake = qScopeGuard([&] { ::kill(static_cast<pid_t>(server->process().processId()), SIGCONT); });
        const auto has = [&output](const char *text, qsizetype count) { return output.count(text) >= count; };
        LATCHKEY_AWAIT(has("\"alert\"", 2));
        QVERIFY((*server)({"PEXPIRE", "lock:a", "3600000"}).isInteger(1));
        QVERIFY((*server)({"DEL", "lock:b"}).isInteger(1));
        LATCHKEY_AWAIT(has("\"over\"", 2));
        QVERIFY((*server)({"SET", "lock:b2", other, "PX", "3600000"}).isOk());
        LATCHKEY_AWAIT(has("\"alert\"", 3));
        ::kill(static_cast<pid_t>(server->process().processId()), SIGSTOP);
        LATCHKEY_AWAIT(has("\"rule\":\"blind\"", 1));
        ::kill(static_cast<pid_t>(server->process().processId()), SIGCONT);
        LATCHKEY_AWAIT(has("\"rule\":\"blind\"", 2));
        ::kill(static_cast<pid_t>(watch.processId()), SIGINT);
        QVERIFY(watch.waitForFinished(60'000));
        output += watch.readAllStandardOutput();
        const Ran replayed = run(QStringList {QStringLiteral("replay"), path()} + rules);
        const QList<QJsonObject> was = alertsOf(output);
        const QList<QJsonObject> is = alertsOf(replayed.output);
        QCOMPARE(was.size(), 7); // The last lock is still held.
        for (qsizetype i = 0; i < qMax(was.size(), is.size()); ++i) {
            for (const char *field : {"event", "rule", "key", "holder", "end"})
                QVERIFY2(is.value(i)[QLatin1String(field)] == was.value(i)[QLatin1String(field)],
                         replayed.output.constData());
        }
        // Exact in the recording; a live watch has the delay of its timer.
        for (const QJsonObject &line : is) {
            if (line.contains(QLatin1String("held_ms"))
                && line[QStringLiteral("rule")].toString().startsWith(QLatin1String("older-than")))
                QCOMPARE(line[QStringLiteral("held_ms")].toInteger(), 700);
        }
        QCOMPARE(replayed.exitCode, watch.exitCode());
    }

    void replay_runsNoCommand()
    {
        const Ran ran = run({QStringLiteral("replay"), path(), QStringLiteral("--alert"), QStringLiteral("no-expiry"),
                             QStringLiteral("--exec"), QStringLiteral("true")});
        QCOMPARE(ran.exitCode, 2);
        QVERIFY2(ran.errors.contains("exec"), ran.errors.constData());
        QCOMPARE(ran.errors.count('\n'), 1);
        const Ran bad =
            run({QStringLiteral("replay"), path(), QStringLiteral("--alert"), QStringLiteral("older-than")});
        QCOMPARE(bad.exitCode, 2);
        QVERIFY2(bad.errors.contains("older-than needs a value"), bad.errors.constData());
    }

    void recordingOfAnOlderVersion_reportsMissingCoverage()
    {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"latchkey_recording\":1,\"program\":\"0.0.9\",\"server\":\"redis://db.example:6379\","
                   "\"started_ms\":1700000000000,\"values\":true}\n"
                   "{\"t\":1000,\"watch\":{\"phase\":2}}\n{\"t\":2000,\"end\":true}\n");
        file.close();
        const Ran ran = run({QStringLiteral("replay"), path()});
        QCOMPARE(ran.exitCode, 3);
        QVERIFY2(ran.errors.contains("this recording of an older version (0.0.9) holds no coverage"),
                 ran.errors.constData());
    }

    void unreplayableFile_givesOneSentence_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("empty") << QByteArray() << QByteArray("it is empty, and so no recording");
        QTest::newRow("another file") << QByteArray("hello\n") << QByteArray("it is not a recording of Latchkey");
        QTest::newRow("future") << QByteArray("{\"latchkey_recording\": 7, \"program\": \"3.1\"}\n")
                                << QByteArray(
                                       "it was written by a newer version of Latchkey (3.1), and has the format 7");
    }
    void unreplayableFile_givesOneSentence()
    {
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, sentence);
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        const Ran ran = run({QStringLiteral("replay"), path()});
        QCOMPARE(ran.exitCode, 2);
        QVERIFY2(ran.errors.contains(sentence), ran.errors.constData());
        QVERIFY2(ran.errors.startsWith("latchkey-cli: replay: " + path().toUtf8()), ran.errors.constData());
        QCOMPARE(ran.errors.count('\n'), 1);
        QCOMPARE(ran.output, QByteArray());
    }

    void window_showsTheFileAndAsksNoServer()
    {
        Ran watched;
        recordSession({}, watched);
        if (QTest::currentTestFailed())
            return;
        const auto connections = [this] {
            const QByteArray info = (*server)({"INFO", "stats"}).bytes();
            const qsizetype at = info.indexOf("total_connections_received:");
            return info.mid(at, info.indexOf('\r', at) - at);
        };
        const QByteArray before = connections();
        QProcess window;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LATCHKEY_URL"), server->url());
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder->path());
        window.setProcessEnvironment(environment);
        window.start(QStringLiteral(LATCHKEY_WINDOW), {path()});
        const auto isReading = [&] {
            const QDir files(QStringLiteral("/proc/%1/fd").arg(window.processId()));
            const auto all = files.entryInfoList(QDir::Files | QDir::System);
            return std::ranges::any_of(all, [this](const QFileInfo &file) { return file.symLinkTarget() == path(); });
        };
        LATCHKEY_AWAIT(isReading());
        ::kill(static_cast<pid_t>(window.processId()), SIGTERM);
        LATCHKEY_AWAIT(window.state() == QProcess::NotRunning);
        QCOMPARE(window.exitStatus(), QProcess::NormalExit);
        QCOMPARE(window.exitCode(), 0);
        QCOMPARE(connections(), before);
    }

    void window_refusesWhatIsNone()
    {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("hello\n");
        file.close();
        const auto refusal = [](const QStringList &arguments) {
            QProcess window;
            window.start(QStringLiteral(LATCHKEY_WINDOW), arguments);
            return window.waitForFinished(60'000) && window.exitCode() == 2 ? window.readAllStandardError()
                                                                            : QByteArray("no refusal");
        };
        const QByteArray none = refusal({path()});
        QVERIFY2(none.contains("latchkey: " + path().toUtf8()) && none.contains("it is not a recording of Latchkey"),
                 none.constData());
        // According to its name it is a file, and not an incomplete URL.
        const QByteArray missing = refusal({folder->filePath(QStringLiteral("no.latchkey-recording"))});
        QVERIFY2(missing.contains("No such file or directory"), missing.constData());
        const QByteArray both = refusal({QStringLiteral("--demo"), path()});
        QVERIFY2(both.contains("a recording needs no --demo"), both.constData());
    }

    void wrongUse_isRefused()
    {
        QCOMPARE(run({QStringLiteral("replay"), path(), QStringLiteral("--speed"), QStringLiteral("fast")}).exitCode,
                 2);
        QCOMPARE(run({QStringLiteral("replay"), path(), QStringLiteral("--speed"), QStringLiteral("-1")}).exitCode, 2);
        QCOMPARE(run({QStringLiteral("replay")}).exitCode, 2);
        QCOMPARE(run({QStringLiteral("replay"), path()}).exitCode, 3); // The file does not exist.
        QCOMPARE(
            run({QStringLiteral("watch"), QStringLiteral("--url"), server->url(), QStringLiteral("--without-values")})
                .exitCode,
            2);
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("mine");
        file.close();
        const Ran ran =
            run({QStringLiteral("watch"), QStringLiteral("--url"), server->url(), QStringLiteral("--record"), path()});
        QCOMPARE(ran.exitCode, 2);
        QVERIFY2(ran.errors.contains("it is there already, and is not replaced"), ran.errors.constData());
    }

    /// Reading a pipe would block until its writer ends.
    void pipeAndAbsurdTimes_areRefused()
    {
        const QString pipe = folder->filePath(QStringLiteral("pipe"));
        QCOMPARE(::mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
        const Ran piped = run({QStringLiteral("replay"), pipe});
        QCOMPARE(piped.exitCode, 2);
        QVERIFY2(piped.errors.contains("it is not a regular file"), piped.errors.constData());
        QCOMPARE(run({QStringLiteral("watch"), QStringLiteral("--url"), server->url(), QStringLiteral("--record"),
                      path(), QStringLiteral("--for"), QStringLiteral("300ms")})
                     .exitCode,
                 0);
        QFile file(path());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray heading = file.readLine();
        file.close();
        for (const char *time : {"9000000000000000000", "-9000000000000000000"}) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(heading + "{\"t\":" + time + ",\"shown\":true}\n");
            file.close();
            const Ran absurd = run({QStringLiteral("replay"), path()});
            QCOMPARE(absurd.exitCode, 3);
            QVERIFY2(absurd.errors.contains("line 2, at byte " + QByteArray::number(heading.size())
                                            + ": its time is not within ten years of the start"),
                     absurd.errors.constData());
        }
    }

    void keysThatAreNoLocks_areNotPassedOverInSilence()
    {
        QVERIFY((*server)({"SET", "page:1", "hello"}).isOk());
        QVERIFY((*server)({"SET", "page:2", "hello"}).isOk());
        QVERIFY((*server)({"SET", "other", "hello"}).isOk());
        const Ran none = run({QStringLiteral("watch"), QStringLiteral("--url"), server->url(), QStringLiteral("page:*"),
                              QStringLiteral("--for"), QStringLiteral("3s")});
        QCOMPARE(none.errors,
                 QByteArrayLiteral("latchkey-cli: watch: 2 keys match, and none is recognised as a lock\n"));
        const Ran empty = run({QStringLiteral("watch"), QStringLiteral("--url"), server->url(), QStringLiteral("no:*"),
                               QStringLiteral("--for"), QStringLiteral("1s")});
        QCOMPARE(empty.errors, QByteArray());
        QVERIFY((*server)({"SET", "page:lock", token}).isOk());
        const Ran one = run({QStringLiteral("watch"), QStringLiteral("--url"), server->url(), QStringLiteral("page:*"),
                             QStringLiteral("--for"), QStringLiteral("1s")});
        QCOMPARE(one.errors, QByteArray());
        QVERIFY(one.output.contains("seen"));
    }
};

LATCHKEY_TEST(TestRecordAndReplay)

} // namespace tst_recordandreplay

#include "tst_recordandreplay.moc"

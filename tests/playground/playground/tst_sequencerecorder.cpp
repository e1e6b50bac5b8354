#include "core/playground/playground/sequencerecorder.h"
#include "core/playground/sequence/sequencetexts.h"
#include "tests/support/clientpoolfixture.h"
#include "tests/support/testprogram.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_sequencerecorder {

using namespace latchkey;
using playground::ClientProcess;
using playground::SequenceRecorder;
using sequence::Absence;
using sequence::Mark;
using sequence::Message;
using State = ClientProcess::State;
using namespace std::chrono_literals;

/// Tests of recording the actions of real clients.
class TestSequenceRecorder final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::ClientPoolFixture> fixture;
    std::unique_ptr<SequenceRecorder> recorder;

    [[nodiscard]] const sequence::Sequence &written() const { return recorder->sequence(); }
    [[nodiscard]] QList<Mark::Kind> marks() const
    {
        QList<Mark::Kind> kinds;
        for (const sequence::Row &row : written().rows()) {
            if (const auto *mark = std::get_if<Mark>(&row))
                kinds += mark->kind;
        }
        return kinds;
    }
    [[nodiscard]] ClientProcess &followed()
    {
        ClientProcess &client = fixture->client();
        recorder->record(client);
        return client;
    }

private Q_SLOTS:
    void init()
    {
        fixture = std::make_unique<test::ClientPoolFixture>();
        recorder =
            std::make_unique<SequenceRecorder>(QStringList {QStringLiteral("server")}, base::SystemClock::instance());
    }
    void cleanup()
    {
        recorder.reset();
        fixture.reset();
    }

    void restart_removesTheLanesOfFormerServersAndClients()
    {
        ClientProcess &client = followed();
        recorder->nameServers({QStringLiteral("server 1"), QStringLiteral("server 2")});
        recorder->addServerEvent(1, sequence::ServerEvent::Killed);
        recorder->forget(client);
        QCOMPARE(written().lanes().size(), std::size_t(3));
        const quint64 before = written().revision();
        recorder->restart({QStringLiteral("server")});
        QCOMPARE(written().lanes().size(), std::size_t(1));
        QVERIFY(written().rows().empty() && written().absences().empty());
        QVERIFY(written().revision() > before);
    }

    void command_hasItsTimes()
    {
        ClientProcess &client = followed();
        const auto before = base::SystemClock::instance().now();
        test::ClientPoolFixture::acquire(client, "token", "k", 20s);
        QCOMPARE(written().rows().size(), std::size_t(1));
        const auto &message = std::get<Message>(written().rows().front());
        QVERIFY2(message.command.startsWith(QStringLiteral("SET k ")), qPrintable(message.command));
        QCOMPARE(message.reply.toString(), QStringLiteral("OK"));
        QCOMPARE(message.who, client.name());
        QVERIFY(!message.isError);
        QVERIFY(message.sent >= before - 1ms && message.sent <= message.received);
        QVERIFY(message.received <= base::SystemClock::instance().now());
        QCOMPARE(written().beliefs().size(), std::size_t(1));
        QVERIFY(written().beliefs().front().validUntil > before + 15s);
        QCOMPARE(recorder->keys(), std::vector<base::Key> {base::Key("k")});
    }

    void twoThatBelieveTheSame_areAnnounced()
    {
        ClientProcess &first = followed();
        ClientProcess &second = followed();
        QSignalSpy conflicts(recorder.get(), &SequenceRecorder::conflictChanged);
        test::ClientPoolFixture::acquire(first, "token", "k", 20s);
        QCOMPARE(fixture->server({"DEL", "k"}).toInteger(), 1);
        QCOMPARE(conflicts.size(), 0);
        test::ClientPoolFixture::acquire(second, "token", "k", 20s);
        QCOMPARE(conflicts.size(), 1);
        QCOMPARE(written().conflict()->who, QStringList({first.name(), second.name()}));
        first.release();
        LATCHKEY_AWAIT(first.state() == State::Idle);
        QVERIFY(!written().conflict());
        QCOMPARE(conflicts.size(), 2);
        QVERIFY(marks().contains(Mark::Kind::Lost)); // The reply said that the client is not the owner.
    }

    void crashAndRestart_areMarked()
    {
        ClientProcess &client = followed();
        test::ClientPoolFixture::acquire(client, "token", "k", 20s);
        client.crash();
        LATCHKEY_AWAIT(client.state() == State::Dead);
        QCOMPARE(marks(), QList {Mark::Kind::Crashed});
        QVERIFY(written().beliefs().front().until);
        QCOMPARE(written().absences().size(), std::size_t(1));
        const base::OwnerToken token = client.hold()->token;
        fixture->clientPool.restart(client);
        LATCHKEY_AWAIT(client.state() == State::Idle);
        QCOMPARE(marks(), QList({Mark::Kind::Crashed, Mark::Kind::Started}));
        QVERIFY(written().absences().front().until);
        QVERIFY(!client.hold());
        // Its remaining lock counts as a dead client's.
        QCOMPARE(fixture->clientPool.holderOf(base::Key("k"), token),
                 (playground::ClientPool::Owner {client.name(), false}));
        test::ClientPoolFixture::acquire(client, "token", "other", 20s);
        QCOMPARE(client.state(), State::Holding);
    }

    void sleep_lastsUntilItWakesUp()
    {
        ClientProcess &client = followed();
        client.pause();
        QCOMPARE(written().absences().front().kind, Absence::Kind::Asleep);
        QVERIFY(!written().absences().front().until);
        client.resume();
        QVERIFY(written().absences().front().until);
        QCOMPARE(marks(), QList({Mark::Kind::Paused, Mark::Kind::Resumed}));
        client.pause();
        client.crash();
        LATCHKEY_AWAIT(client.state() == State::Dead);
        QCOMPARE(written().absences().back().kind, Absence::Kind::Dead);
    }

    void forgottenClient_isFollowedNoMore()
    {
        ClientProcess &client = followed();
        test::ClientPoolFixture::acquire(client, "token", "k", 20s);
        recorder->forget(client);
        QVERIFY(written().beliefs().front().until);
        QVERIFY(written().lanes().back().isVacant);
        const auto before = written().revision();
        client.release();
        LATCHKEY_AWAIT(client.state() == State::Idle);
        QCOMPARE(written().revision(), before);
        (void)followed();
        QCOMPARE(written().lanes().size(), std::size_t(2));
    }

    void errorReply_isMarkedAsOne()
    {
        ClientProcess &client = followed();
        client.sendOrder(playground::SendOrder {{"INCR"}, 0});
        LATCHKEY_AWAIT(client.state() == State::Idle);
        LATCHKEY_AWAIT(!written().rows().empty());
        QVERIFY(std::get<Message>(written().rows().front()).isError);
        QVERIFY(!std::get<Message>(written().rows().front()).isReplyLost);
    }

    void replyThatDidNotCome_isLost()
    {
        ClientProcess &client = followed();
        client.sendOrder(playground::SendOrder {{"SHUTDOWN", "NOSAVE"}, 0}); // SHUTDOWN has no reply.
        LATCHKEY_AWAIT(!written().rows().empty());
        const auto &message = std::get<Message>(written().rows().front());
        QVERIFY(message.isError && message.isReplyLost);
    }

    void writes_areMarkedAsTheResourceHasThem()
    {
        ClientProcess &client = followed();
        recorder->recordWrite(client.name(), true);
        recorder->recordWrite(client.name(), false);
        recorder->recordWrite(QStringLiteral("no client"), true);
        QCOMPARE(marks(), QList({Mark::Kind::Taken, Mark::Kind::Refused}));
    }
};

LATCHKEY_TEST(TestSequenceRecorder)

} // namespace tst_sequencerecorder

#include "tst_sequencerecorder.moc"

#include "core/playground/sequence/sequence.h"
#include "core/playground/sequence/sequencetexts.h"
#include "core/playground/sequence/wiretext.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_sequence {

using namespace latchkey;
using sequence::Belief;
using sequence::LaneIndex;
using sequence::Mark;
using sequence::Message;
using sequence::Sequence;
using namespace std::chrono_literals;

namespace {

base::MonotonicTime at(std::chrono::milliseconds time)
{
    return base::MonotonicTime(1h + time);
}

Message message(LaneIndex client, std::chrono::milliseconds sent, const char *command, const char *reply)
{
    return {client, 0, {}, at(sent), at(sent + 1ms), QString::fromLatin1(command), base::Text(QLatin1String(reply)),
            false,  1};
}

/// Returns a sequence with a server and `count` clients.
Sequence withClients(int count)
{
    Sequence sequence;
    sequence.addServer(QStringLiteral("server"));
    for (int i = 1; i <= count; ++i)
        sequence.addClient(QStringLiteral("client %1").arg(i));
    return sequence;
}

QStringList commandsOf(const Sequence &sequence)
{
    QStringList commands;
    for (const sequence::Row &row : sequence.rows()) {
        const auto *said = std::get_if<Message>(&row);
        commands += said == nullptr ? QStringLiteral("!")
                                    : QStringLiteral("%1 %2 %3").arg(said->who, said->command).arg(said->count);
    }
    return commands;
}

} // namespace

class TestSequence final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lateEvents_areSorted()
    {
        Sequence sequence = withClients(2);
        sequence.add(message(1, 10ms, "A", "OK"));
        sequence.add(message(2, 30ms, "C", "OK"));
        sequence.add(message(1, 20ms, "B", "OK"));
        QCOMPARE(commandsOf(sequence), QStringList({QStringLiteral("client 1 A 1"), QStringLiteral("client 1 B 1"),
                                                    QStringLiteral("client 2 C 1")}));
        QCOMPARE(sequence.beginning(), at(10ms));
    }

    void triesOfOneAttempt_areOneLine()
    {
        Sequence sequence = withClients(2);
        const auto tryOnce = [&](int n) {
            const QByteArray token = QByteArray::number(n).rightJustified(32, 'a');
            sequence.add(message(1, n * 100ms, ("SET k " + token + " NX PX 5000").constData(), "(nil)"));
        };
        for (int n = 0; n < 5; ++n)
            tryOnce(n);
        sequence.add(message(2, 600ms, "DEL k", "(integer) 1"));
        tryOnce(7);
        QCOMPARE(sequence.rows().size(), std::size_t(2));
        QCOMPARE(std::get<Message>(sequence.rows().front()).count, 6);
        QVERIFY(std::get<Message>(sequence.rows().front()).command.contains(QStringLiteral("a7")));
        sequence.closeAttempt(1);
        tryOnce(8);
        QCOMPARE(sequence.rows().size(), std::size_t(3));
        sequence.add(message(2, 900ms, "SET k x NX PX 5000", "(nil)"));
        QCOMPARE(sequence.rows().size(), std::size_t(4)); // A message of another client is separate.
    }

    void oldestLines_areGivenUpAndCounted()
    {
        Sequence sequence = withClients(1);
        sequence.believe(1, base::Key("k"), at(0ms), at(5ms));
        sequence.add(message(1, 0ms, "FIRST", "OK"));
        sequence.stopBelieving(1, at(5ms));
        sequence.believe(1, base::Key("k"), at(6ms), at(1h));
        for (std::size_t i = 0; i < Sequence::maxRows + 10; ++i) {
            sequence.closeAttempt(1);
            sequence.add(message(1, std::chrono::milliseconds(10 + i), "PING", "PONG"));
        }
        QCOMPARE(sequence.rows().size(), Sequence::maxRows);
        QCOMPARE(sequence.dropped(), quint64(11));
        QCOMPARE(sequence.beginning(), at(0ms));             // Times are still relative to this beginning.
        QCOMPARE(sequence.beliefs().size(), std::size_t(1)); // The belief that ended earlier is dropped too.
        QVERIFY(!sequence.beliefs().front().until);
    }

    void clientsThatBelieveTheSame_overlap()
    {
        Sequence sequence = withClients(3);
        const base::Key key("lock:demo");
        sequence.believe(1, key, at(0ms), at(10ms));
        sequence.believe(3, base::Key("another"), at(5ms), at(1s));
        QVERIFY(!sequence.conflict());
        sequence.believe(2, key, at(20ms), at(100ms));
        QVERIFY(sequence.conflict());
        QCOMPARE(sequence.conflict()->who, QStringList({QStringLiteral("client 1"), QStringLiteral("client 2")}));
        QCOMPARE(overlapText(*sequence.conflict()).toString(),
                 QStringLiteral("client 1 and client 2 both believe that they hold lock:demo"));
        sequence.believe(1, key, at(0ms), at(200ms)); // A renewal does not change the holders.
        QCOMPARE(sequence.overlaps().size(), std::size_t(1));
        sequence.stopBelieving(1, at(50ms));
        QVERIFY(!sequence.conflict());
        QCOMPARE(sequence.overlaps().size(), std::size_t(1));
        QCOMPARE(sequence.overlaps().front().from, at(20ms));
        QCOMPARE(*sequence.overlaps().front().until, at(50ms));
    }

    void serverState_lastsBetweenReads()
    {
        Sequence sequence = withClients(2);
        const base::Key key("k");
        sequence.recordKey(0, key, false, {}, at(0ms));
        QVERIFY(sequence.presences().empty());
        sequence.recordKey(0, key, true, {}, at(1ms));
        sequence.recordKey(0, key, true, LaneIndex(1), at(2ms)); // The value was read.
        sequence.recordKey(0, key, true, {}, at(3ms));           // The value is being read again.
        QCOMPARE(sequence.presences().size(), std::size_t(1));
        QCOMPARE(sequence.presences().front().holder, std::optional(LaneIndex(1)));
        sequence.recordKey(0, key, true, LaneIndex(2), at(4ms)); // Another client holds the key.
        QCOMPARE(sequence.presences().size(), std::size_t(2));
        QCOMPARE(*sequence.presences().front().until, at(4ms));
        sequence.recordKey(0, key, false, {}, at(9ms));
        QCOMPARE(*sequence.presences().back().until, at(9ms));
        QVERIFY(!sequence.isActive());
    }

    void leaseThatIsOver_isMarkedAndLeavesBeliefsMistaken()
    {
        const base::Key key("k");
        const auto lapses = [](const Sequence &sequence) {
            return std::ranges::count_if(sequence.rows(), [](const sequence::Row &row) {
                const auto *mark = std::get_if<Mark>(&row);
                return mark != nullptr && mark->kind == Mark::Kind::LeaseEnded;
            });
        };
        Sequence sequence = withClients(2);
        sequence.believe(1, key, at(1ms), at(10s));
        sequence.recordKey(0, key, true, LaneIndex(1), at(2ms), at(10s));
        sequence.recordKey(0, key, true, LaneIndex(1), at(1s), at(5s)); // Another client shortened the lease.
        sequence.add(message(2, 5030ms, "GET k", "(nil)"));
        sequence.recordKey(0, key, false, {}, at(5040ms));
        QCOMPARE(lapses(sequence), 1);
        QCOMPARE(rowText(sequence.rows().front()).toString(), QStringLiteral("server: the lease of k has ended"));
        QCOMPARE(*sequence.presences().front().until, at(5s));
        QCOMPARE(sequence.beliefs().front().end(), at(5s)); // In spite of the client's own belief.
        QVERIFY(!sequence.beliefs().front().until);
        sequence.believe(1, key, at(1ms), at(20s)); // The lease was granted again.
        QCOMPARE(sequence.beliefs().front().end(), at(20s));

        // A deleted key has no end of a lease, and neither has a key with an unknown end.
        sequence.recordKey(0, key, true, LaneIndex(1), at(6s), at(16s));
        sequence.recordKey(0, key, false, {}, at(7s));
        sequence.recordKey(0, key, true, LaneIndex(1), at(8s));
        sequence.recordKey(0, key, false, {}, at(1h));
        sequence.recordKey(0, key, true, LaneIndex(1), at(2h), base::MonotonicTime::max());
        sequence.recordKey(0, key, false, {}, at(3h));
        QCOMPARE(lapses(sequence), 1);
        // Another client acquires the lock before the next read.
        sequence.recordKey(0, key, true, LaneIndex(1), at(4h), at(4h + 1s));
        sequence.believe(2, key, at(4h + 1005ms), at(5h));
        sequence.recordKey(0, key, true, LaneIndex(2), at(4h + 1010ms), at(5h));
        QCOMPARE(lapses(sequence), 2);
        QCOMPARE(sequence.beliefs().front().end(), at(20s));
        QCOMPARE(sequence.beliefs().back().end(), at(5h));
    }

    void leaseOnOneOfSeveralServers_leavesTheOthers()
    {
        const base::Key key("k");
        Sequence sequence;
        sequence.addServer(QStringLiteral("one"));
        sequence.addServer(QStringLiteral("two"));
        sequence.addClient(QStringLiteral("client 1"));
        sequence.believe(2, key, at(1ms), at(10s));
        sequence.recordKey(0, key, true, LaneIndex(2), at(2ms), at(5s));
        sequence.recordKey(1, key, true, LaneIndex(2), at(2ms), at(6s));
        sequence.recordKey(0, key, false, {}, at(5s));
        QCOMPARE(sequence.beliefs().front().end(), at(10s));
        sequence.recordKey(1, key, false, {}, at(6s));
        QCOMPARE(sequence.beliefs().front().end(), at(6s));
    }

    void serverThatIsKilled_hasNothingAnyMore()
    {
        using sequence::ServerEvent;
        Sequence sequence = withClients(1);
        sequence.recordKey(0, base::Key("k"), true, LaneIndex(1), at(1ms), at(10s));
        sequence.addServerEvent(0, ServerEvent::Suspended, at(1s));
        QVERIFY(!sequence.presences().front().until);
        QCOMPARE(sequence.absences().back().kind, sequence::Absence::Kind::Asleep);
        sequence.addServerEvent(0, ServerEvent::Continued, at(2s));
        QCOMPARE(*sequence.absences().back().until, at(2s));
        sequence.addServerEvent(0, ServerEvent::Killed, at(3s));
        QCOMPARE(*sequence.presences().front().until, at(3s));
        QCOMPARE(sequence.absences().back().kind, sequence::Absence::Kind::Dead);
        sequence.addServerEvent(0, ServerEvent::StartedEmpty, at(4s));
        QCOMPARE(*sequence.absences().back().until, at(4s));
        QCOMPARE(textLines(sequence), QStringList({QStringLiteral("+0.000 s  server is frozen and does not respond"),
                                                   QStringLiteral("+1.000 s  server is resumed"),
                                                   QStringLiteral("+2.000 s  server was killed and lost its data"),
                                                   QStringLiteral("+3.000 s  server was restarted without data")}));
    }

    void serverThatIsReplaced_hasItsKeysReadAnew()
    {
        using sequence::ServerEvent;
        for (const auto event : {ServerEvent::FailedOver, ServerEvent::Restarted}) {
            Sequence sequence = withClients(1);
            sequence.recordKey(0, base::Key("k"), true, LaneIndex(1), at(1ms), at(10s));
            sequence.addServerEvent(0, event, at(1s));
            QCOMPARE(*sequence.presences().front().until, at(1s));
            QVERIFY(sequence.absences().empty());
        }
        Sequence sequence = withClients(1);
        sequence.addServerEvent(0, ServerEvent::FailedOver, at(1s));
        sequence.addServerEvent(0, ServerEvent::Restarted, at(2s));
        sequence.addServerEvent(0, ServerEvent::ClockJumped, at(3s));
        QCOMPARE(textLines(sequence), QStringList({QStringLiteral("+0.000 s  server: a replica has taken over"),
                                                   QStringLiteral("+1.000 s  server was restarted with its saved data"),
                                                   QStringLiteral("+2.000 s  server: the clock has jumped forward")}));
    }

    void lostReply_isALineOfItsOwn()
    {
        Sequence sequence = withClients(1);
        sequence.add(message(1, 0ms, "INCR n", "timeout"));
        Message lost = message(1, 10ms, "INCR n", "timeout");
        lost.isReplyLost = true;
        sequence.add(lost);
        sequence.add(lost);
        QCOMPARE(commandsOf(sequence),
                 QStringList({QStringLiteral("client 1 INCR n 1"), QStringLiteral("client 1 INCR n 2")}));
    }

    void runningSpan_staysOpenAtTheEnd()
    {
        Sequence sequence = withClients(1);
        sequence.believe(1, base::Key("k"), at(1ms), base::MonotonicTime::max());
        sequence.recordKey(0, base::Key("k"), true, LaneIndex(1), at(2ms), base::MonotonicTime::max());
        QVERIFY(sequence.isActive());
        sequence.end(at(5s));
        QVERIFY(!sequence.isActive());
        QCOMPARE(sequence.endedAt(), std::optional(at(5s)));
        QVERIFY(!sequence.beliefs().front().until && !sequence.presences().front().until);
    }

    void longCommand_losesTheMiddleOfItsValues_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<int>("letters");
        QTest::addColumn<QString>("shown");
        const QString value = QString(60, u'x') + QStringLiteral("end");
        QTest::addRow("fits") << QStringLiteral("SET k v NX PX 5000") << 40 << QStringLiteral("SET k v NX PX 5000");
        QTest::addRow("value") << QStringLiteral("SET lock:demo %1 NX PX 5000").arg(value) << 40
                               << QStringLiteral("SET lock:demo xxxxxxx…xxxxend NX PX 5000");
        QTest::addRow("words in quotation marks") << QStringLiteral("SET k \"%1 %1\" NX PX 5000").arg(value) << 27
                                                  << QStringLiteral("SET k \"xxx…xend\" NX PX 5000");
        QTest::addRow("then the key") << QStringLiteral("SET %1 %1 NX PX 5000").arg(value) << 36
                                      << QStringLiteral("SET xxxxxxxx…xxxxxend x…d NX PX 5000");
        QTest::addRow("and then all of a value") << QStringLiteral("SET lock:import locking NX PX 5000") << 30
                                                 << QStringLiteral("SET lock:import l…g NX PX 5000");
        QTest::addRow("no room") << QStringLiteral("SET k v NX PX 5000") << 4 << QStringLiteral("SET k v NX PX 5000");
    }
    void longCommand_losesTheMiddleOfItsValues()
    {
        QFETCH(QString, command);
        QFETCH(int, letters);
        QTEST(sequence::fitted(command, letters), "shown");
    }

    void laneOfWhoWasTakenAway_isTheNextOnes()
    {
        Sequence sequence = withClients(2);
        sequence.add(message(1, 1ms, "A", "OK"));
        sequence.believe(1, base::Key("k"), at(2ms), at(1s));
        sequence.recordKey(0, base::Key("k"), true, LaneIndex(1), at(2ms));
        sequence.removeClient(1, at(3ms));
        QVERIFY(*sequence.beliefs().front().until == at(3ms));
        QCOMPARE(sequence.addClient(QStringLiteral("client 3")), LaneIndex(1));
        QVERIFY(!sequence.presences().front().holder); // The remaining key does not belong to the new client.
        sequence.add(message(1, 4ms, "A", "OK"));
        QCOMPARE(commandsOf(sequence), QStringList({QStringLiteral("client 1 A 1"), QStringLiteral("client 3 A 1")}));
        QCOMPARE(sequence.addClient(QStringLiteral("client 4")), LaneIndex(3));
    }

    void allOfIt_canBeRead()
    {
        Sequence sequence = withClients(2);
        const base::Key key("k");
        sequence.add(message(1, 0ms, "SET k x NX", "OK"));
        sequence.believe(1, key, at(1ms), base::MonotonicTime::max());
        sequence.add(Mark {1, Mark::Kind::Paused, {}, at(500ms), {}});
        sequence.add(message(2, 1500ms, "SET k y NX", "OK"));
        sequence.believe(2, key, at(1501ms), base::MonotonicTime::max());
        sequence.add(Mark {1, Mark::Kind::Crashed, {}, at(2500ms), {}});
        QCOMPARE(textLines(sequence),
                 QStringList({QStringLiteral("+0.000 s  client 1: SET k x NX → OK"),
                              QStringLiteral("+0.500 s  client 1 is paused"),
                              QStringLiteral("+1.500 s  client 2: SET k y NX → OK"),
                              QStringLiteral("+1.501 s  client 1 and client 2 both believe that they hold k"),
                              QStringLiteral("+2.500 s  client 1 has crashed")}));
    }

    void clearedSequence_keepsRunningSpans()
    {
        Sequence sequence = withClients(1);
        sequence.add(message(1, 0ms, "SET k x NX", "OK"));
        sequence.believe(1, base::Key("k"), at(1ms), at(9s));
        const quint64 before = sequence.revision();
        sequence.clear();
        QVERIFY(sequence.revision() != before);
        QVERIFY(sequence.rows().empty());
        QCOMPARE(sequence.beliefs().size(), std::size_t(1));
        QCOMPARE(sequence.lanes().size(), std::size_t(2));
    }
};

LATCHKEY_TEST(TestSequence)

} // namespace tst_sequence

#include "tst_sequence.moc"

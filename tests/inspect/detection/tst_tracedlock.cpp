#include "core/inspect/detection/tracedlock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_tracedlock {

using namespace latchkey;
using namespace latchkey::detection;
using namespace latchkey::inspection;
using findings::TracedAction;
using watching::TracedCommand;
using namespace std::chrono_literals;

namespace {

constexpr base::WallTime serverStart {1'795'320'000'000ms};
constexpr base::MonotonicTime ourStart {5h};

/// Parses `2.5 a: SET k v NX`: a command that client a has sent 2.5 s after the start. `!` after the client: in a
/// transaction.
TracedCommand commandFrom(const QByteArray &line)
{
    const QByteArrayList parts = line.trimmed().split(' ');
    TracedCommand command;
    command.at = serverStart + std::chrono::milliseconds(qRound64(parts[0].toDouble() * 1000));
    command.isInTransaction = parts[1].contains('!');
    const QByteArray client = parts[1].first(1);
    command.client = client == "l" ? QByteArray("lua") : client == "u" ? QByteArray("unix:/s") : client + ":1";
    for (const QByteArray &word : parts.sliced(2))
        command.words << word;
    return command;
}

QByteArray nameOf(const TracedAction &act)
{
    using Kind = TracedAction::Kind;
    const auto name = [&]() -> QByteArray {
        switch (act.kind) {
        case Kind::PlainDelete:
            return "deleted";
        case Kind::SeparateExpire:
            return "not atomic";
        case Kind::ForeignExpire:
            return "loser";
        case Kind::UncheckedRenewal:
            return "renewed";
        case Kind::Swap:
            return "swapped";
        }
        Q_UNREACHABLE();
    };
    return name() + (act.hasReadHolder ? " after a look by " : " by ") + act.client.first(1);
}

} // namespace

/// Sequences of commands and the conclusions from them.
class TestTracedLock final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void commands_areConcludedFrom_data()
    {
        QTest::addColumn<QByteArray>("beginning"); // free, held, held for this many seconds, or empty: unknown.
        QTest::addColumn<QByteArray>("commands");
        QTest::addColumn<QByteArray>("acts");
        const auto row = [](const char *name, const char *beginning, const char *commands, const char *acts) {
            QTest::addRow("%s", name) << QByteArray(beginning) << QByteArray(commands) << QByteArray(acts);
        };
        row("deleted", "held", "1 a: DEL k", "deleted by a");
        row("deleted among others", "held", "1 a: UNLINK x k", "deleted by a");
        row("deleted after a look", "held", "1 a: GET k; 2 a: DEL k", "deleted after a look by a");
        row("another's look", "held", "1 b: GET k; 2 a: DEL k", "deleted by a");
        row("watched", "held", "1 a: WATCH k; 1 a: GET k; 1 a!: DEL k", "");
        row("by a script", "held", "1 a: EVAL x 1 k; 1 l: DEL k", "");
        row("nothing was there", "free", "1 a: DEL k", "");
        row("it may have been over", "held 1", "1 a: GET k; 2 a: DEL k", "");
        row("who knows", "", "1 a: DEL k", "");
        row("of two behind one socket, who looked", "held", "1 u: GET k; 2 u: DEL k", "");

        row("after a comparison that may have deleted it", "held", "1 a: DELIFEQ k v; 2 b: DEL k", "");
        row("after one that may have renewed it", "held", "1 a: SET k v IFEQ v PX 9000; 2 b: DEL k", "");

        row("two commands", "free", "1 a: SETNX k v; 2 a: EXPIRE k 10", "not atomic by a");
        row("in a transaction", "free", "1 a!: SETNX k v; 1 a!: EXPIRE k 10", "");
        row("much later", "free", "1 a: SETNX k v; 9 a: EXPIRE k 10", "renewed by a");
        row("behind a socket", "free", "1 u: SETNX k v; 2 u: EXPIRE k 10", "");

        row("the loser", "free", "1 a: SET k v NX PX 60000; 2 b: SETNX k w; 2 b: EXPIRE k 10", "loser by b");
        row("who came when it was over", "free", "1 a: SET k v NX PX 500; 2 b: SETNX k w; 2 b: EXPIRE k 10",
            "not atomic by b");
        row("who may have come when it was over", "free", "1 a: SET k v NX PX 500; 1.5 b: SETNX k w; 1.6 b: EXPIRE k 9",
            "");
        row("the holder itself, maybe", "held", "2 b: SETNX k w; 2 b: EXPIRE k 10", "");
        row("one of the two is not", "held", "2 b: SETNX k w; 2 b: EXPIRE k 10; 3 c: SETNX k w; 3 c: EXPIRE k 10",
            "loser by c");
        row("behind a socket, a loser", "free", "1 a: SET k v NX PX 60000; 2 u: SETNX k w; 2 u: EXPIRE k 10", "");

        row("renewed", "held", "1 a: PEXPIRE k 10000", "renewed by a");
        row("renewed by SET", "held", "1 a: SET k v XX PX 10000", "renewed by a");
        row("renewed after a look", "held", "1 a: GET k; 1 a: EXPIRE k 10", "renewed after a look by a");
        row("renewed by a script", "held", "1 a: EVAL x 1 k; 1 l: PEXPIRE k 10000", "");
        row("renewed until later", "free", "1 a: SET k v NX PX 500; 1.1 l: PEXPIRE k 9000; 2 b: DEL k", "deleted by b");
        row("renewed by who knows", "held", "1 a: EXPIRE k 9 GT; 2 a: DEL k", "");

        row("swapped", "held", "1 a: GETSET k v", "swapped by a");
        row("swapped by SET", "held", "1 a: SET k v GET", "swapped by a");
        row("nothing to swap", "free", "1 a: GETSET k v", "");
        row("a command that we do not know", "held", "1 a: RENAME x k; 2 a: DEL k", "");
    }
    void commands_areConcludedFrom()
    {
        QFETCH(QByteArray, beginning);
        QFETCH(QByteArray, commands);
        QFETCH(QByteArray, acts);
        std::optional<TracedLock::Beginning> begun;
        if (!beginning.isEmpty())
            begun = TracedLock::Beginning {beginning.startsWith("held")};
        if (const int seconds = beginning.mid(5).toInt())
            begun->deadline = base::Deadline(ourStart + std::chrono::seconds(seconds), 0ns);
        TracedLock lock(base::Key("k"), begun);
        QByteArrayList found;
        for (const QByteArray &line : commands.split(';')) {
            const TracedCommand command = commandFrom(line);
            if (const auto act = lock.take(command, ourStart + (command.at - serverStart)))
                found += nameOf(*act);
        }
        QCOMPARE(found.join("; "), acts);
    }

    void acquirer_isKnownAsLongAsItHolds()
    {
        TracedLock lock(base::Key("k"), TracedLock::Beginning {});
        const auto take = [&](const char *line) {
            const TracedCommand command = commandFrom(line);
            (void)lock.take(command, ourStart + (command.at - serverStart));
            return lock.acquirer();
        };
        QCOMPARE(take("1 a: SET k v NX PX 5000"), QByteArray("a:1"));
        QCOMPARE(take("2 b: SET k w NX PX 5000"), QByteArray("a:1"));
        QCOMPARE(take("7 b: GET k"), QByteArray());
        QCOMPARE(take("8 b: EVALSHA 1 k"), QByteArray());
        QCOMPARE(take("8 l: SET k w NX PX 5000"), QByteArray("b:1"));
        QCOMPARE(take("9 l: DEL k"), QByteArray());
        QCOMPARE(take("9 u: SET k w NX PX 5000"), QByteArray());
    }
};

LATCHKEY_TEST(TestTracedLock)

} // namespace tst_tracedlock

#include "tst_tracedlock.moc"

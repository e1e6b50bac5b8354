#include "core/redis/resp/keyslot.h"
#include "tests/support/clustersetup.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_keyslot {

using namespace latchkey;
using namespace latchkey::resp;

/// Tests of slots against CLUSTER KEYSLOT of a real server, and of the keys of commands.
class TestKeySlot final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void slot_isThatOfTheServer()
    {
        test::TestServer node(test::clusterNode());
        const std::vector<QByteArray> keys {"123456789",
                                            "",
                                            "lock:orders",
                                            "{user1000}.following",
                                            "foo{}{bar}",
                                            "foo{{bar}}zap",
                                            "foo{bar}{zap}",
                                            "a}b",
                                            "a}b{c}",
                                            "{",
                                            "}{",
                                            "{}",
                                            QByteArray("\0\xff\x80{\0}", 6),
                                            QByteArray("schlüssel")};
        for (const QByteArray &key : keys)
            QCOMPARE(qint64(slotOf(key)), node({"CLUSTER", "KEYSLOT", key}).toInteger());
    }

    void keys_areThoseOfTheCommand_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<QByteArray>("keys");
        QTest::addRow("the first argument") << QByteArray("SET k v NX") << QByteArray("k");
        QTest::addRow("all arguments") << QByteArray("DEL a b c") << QByteArray("a b c");
        QTest::addRow("a script") << QByteArray("EVALSHA 0123 2 a b v") << QByteArray("a b");
        QTest::addRow("a script without keys") << QByteArray("EVAL s 0 v") << QByteArray();
        QTest::addRow("behind a subcommand") << QByteArray("OBJECT IDLETIME k") << QByteArray("k");
        QTest::addRow("lower case") << QByteArray("memory usage k") << QByteArray("k");
        QTest::addRow("no key") << QByteArray("SCRIPT EXISTS 0123") << QByteArray();
        QTest::addRow("a channel") << QByteArray("PUBLISH channel text") << QByteArray();
        QTest::addRow("a name alone") << QByteArray("PING") << QByteArray();
    }
    void keys_areThoseOfTheCommand()
    {
        QFETCH(QByteArray, command);
        QFETCH(QByteArray, keys);
        Command words;
        for (const QByteArray &word : command.split(' '))
            words << word;
        QByteArrayList found;
        for (const QByteArray &key : keysOf(words))
            found += key;
        QCOMPARE(found.join(' '), keys);
    }
};

LATCHKEY_TEST(TestKeySlot)

} // namespace tst_keyslot

#include "tst_keyslot.moc"

#include "core/inspect/detection/servercontextreader.h"
#include "core/inspect/inspection/serverregistry.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_servercontextreader {

using namespace latchkey;
using detection::ServerContextReader;
using watching::Watcher;

/// Tests of the facts that recognition asks a real server for.
class TestServerContextReader final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<inspection::ServerRegistry> registry;
    std::shared_ptr<inspection::InspectedServer> inspected;
    std::unique_ptr<ServerContextReader> reader;

    /// Loads a script and returns its SHA1 digest.
    [[nodiscard]] QByteArray load(const QByteArray &script) const
    {
        return (*server)({"SCRIPT", "LOAD", script}).bytes();
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        registry = std::make_unique<inspection::ServerRegistry>(base::SystemClock::instance(), random);
        inspected = registry->open(server->endpoint(), false);
        inspected->start();
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
        reader = std::make_unique<ServerContextReader>(inspected->watcher());
    }
    void cleanup()
    {
        reader.reset();
        inspected.reset();
        registry.reset();
        server.reset();
    }

    void scripts_areAskedOnceForAllKeys()
    {
        const QByteArray loaded = load("return 1");
        const QByteArray absent(loaded.size(), '0');
        QSignalSpy answered(reader.get(), &ServerContextReader::answered);
        reader->requestScripts({absent, loaded}, "a");
        reader->requestScripts({absent, loaded}, "b");
        LATCHKEY_AWAIT(answered.count() == 1);
        QCOMPARE(answered.front().front().value<QSet<QByteArray>>(), QSet<QByteArray>({"a", "b"}));
        QCOMPARE(reader->known().scripts, std::optional(QSet<QByteArray> {loaded}));
    }

    /// The first reply is from before the script was loaded, and arrives after forgetScripts().
    void replyFromBeforeForgetting_isDropped()
    {
        const QByteArray digest = load("return 2");
        QVERIFY((*server)({"SCRIPT", "FLUSH"}).isOk());
        QSignalSpy answered(reader.get(), &ServerContextReader::answered);
        reader->requestScripts({digest}, "a");
        QCOMPARE((*server)({"PING"}).bytes(), QByteArray("PONG")); // The server has executed what was sent before.
        reader->forgetScripts();
        QCOMPARE(load("return 2"), digest);
        reader->requestScripts({digest}, "a");
        LATCHKEY_AWAIT(answered.count() > 0);
        QCOMPARE(reader->known().scripts, std::optional(QSet<QByteArray> {digest}));
        QCOMPARE(answered.count(), 1);
    }

    void subscribers_areCountedForEachChannel()
    {
        QSignalSpy answered(reader.get(), &ServerContextReader::answered);
        reader->requestSubscribers("quiet", "a");
        reader->requestSubscribers("quiet", "b");
        LATCHKEY_AWAIT(answered.count() == 1);
        QCOMPARE(answered.front().front().value<QSet<QByteArray>>(), QSet<QByteArray>({"a", "b"}));
        QCOMPARE(reader->known().subscribers.value("quiet", -1), 0);
    }

    void keyThatIsRemoved_doesNotWait()
    {
        QSignalSpy answered(reader.get(), &ServerContextReader::answered);
        reader->requestScripts({QByteArray(40, '0')}, "a");
        reader->requestScripts({QByteArray(40, '0')}, "b");
        reader->cancel("a");
        LATCHKEY_AWAIT(answered.count() == 1);
        QCOMPARE(answered.front().front().value<QSet<QByteArray>>(), QSet<QByteArray>({"b"}));
    }
};

LATCHKEY_TEST(TestServerContextReader)

} // namespace tst_servercontextreader

#include "tst_servercontextreader.moc"

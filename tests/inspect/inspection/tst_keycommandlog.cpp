#include "core/inspect/inspection/serverregistry.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_keycommandlog {

using namespace latchkey;
using namespace latchkey::inspection;
using base::Key;

/// The reports about one key in the communication with a real server.
class TestKeyCommandLog final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<ServerRegistry> registry;
    std::shared_ptr<InspectedServer> inspected;
    QStringList told; ///< `way command → reply`

    [[nodiscard]] bool isReported(const QString &line) const { return told.contains(line); }
    [[nodiscard]] bool isReported(int purpose, const char *command) const
    {
        const QString start = QStringLiteral("%1 %2").arg(purpose).arg(QLatin1String(command));
        return std::ranges::any_of(told, [&](const QString &line) { return line.startsWith(start); });
    }

    /// Arms the server and deletes the reported key.
    void deleteMine()
    {
        inspected->commandLog().setKey("mine");
        inspected->setArmed(true);
        std::optional<base::Result<watching::ChangeResult>> result;
        inspected->takeSnapshot(Key("mine"), [&](const base::Result<watching::KeySnapshot> &snapshot) {
            inspected->deleteIfUnchanged(*snapshot, [&](const auto &outcome) { result = outcome; });
        });
        LATCHKEY_AWAIT(result && result->has_value());
    }

private Q_SLOTS:
    void init()
    {
        told.clear();
        server = std::make_unique<test::TestServer>();
        registry = std::make_unique<ServerRegistry>(base::SystemClock::instance(), random);
        inspected = registry->open(server->endpoint(), false);
        connect(&inspected->commandLog(), &KeyCommandLog::replyReceived, this,
                [this](KeyCommandLog::Purpose purpose, const resp::Command &command,
                       const base::Result<resp::Reply> &reply) {
                    told += QStringLiteral("%1 %2 \u2192 %3")
                                .arg(static_cast<int>(purpose))
                                .arg(command.toText(), reply ? reply->toText() : reply.error().message());
                });
        QVERIFY((*server)({"SET", "mine", "x", "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "other", "y", "PX", "600000"}).isOk());
        inspected->start();
        LATCHKEY_AWAIT(inspected->store().liveCount() == 2);
    }
    void cleanup()
    {
        inspected.reset();
        registry.reset();
        server.reset();
    }

    void withoutAKey_nothingIsReported()
    {
        bool isRead = false;
        inspected->takeSnapshot(Key("mine"), [&](const auto &) { isRead = true; });
        LATCHKEY_AWAIT(isRead);
        QCOMPARE(told, QStringList());
    }

    void onlyTheKey_isReported()
    {
        inspected->commandLog().setKey("mine");
        int read = 0;
        for (const QByteArray key : {"other", "mine"})
            inspected->takeSnapshot(Key(key), [&](const auto &) { ++read; });
        LATCHKEY_AWAIT(read == 2);
        QVERIFY2(isReported(1, "DUMP mine") && isReported(1, "PTTL mine"), qPrintable(told.join(u'\n')));
        for (const QString &line : std::as_const(told))
            QVERIFY2(!line.contains(QLatin1String("other")), qPrintable(line));
        inspected->commandLog().setKey(std::nullopt);
        const auto before = told.size();
        inspected->takeSnapshot(Key("mine"), [&](const auto &) { ++read; });
        LATCHKEY_AWAIT(read == 3);
        QCOMPARE(told.size(), before);
    }

    void change_isReportedWithItsScript()
    {
        deleteMine();
        QVERIFY2(told.join(u'\n').contains(QLatin1String("change-if-unchanged 1 mine")), qPrintable(told.join(u'\n')));
    }

    /// With scripts denied: watched, changed in a transaction, and seen to be gone.
    void change_isReportedWithItsTransaction()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-@scripting"}).isOk());
        deleteMine();
        QVERIFY2(isReported(QStringLiteral("2 WATCH mine \u2192 OK")), qPrintable(told.join(u'\n')));
        QVERIFY(isReported(QStringLiteral("2 MULTI \u2192 OK")));
        QVERIFY(isReported(2, "DEL mine"));
        QVERIFY(isReported(2, "EXEC"));
        // In the original order.
        QVERIFY(told.indexOf(QStringLiteral("2 MULTI \u2192 OK"))
                > told.indexOf(QStringLiteral("2 WATCH mine \u2192 OK")));
    }

    void lostAnswer_isReported()
    {
        inspected->commandLog().setKey("queue");
        QVERIFY((*server)({"CLIENT", "PAUSE", "60000", "ALL"}).isOk());
        inspected->session().connection()->send({resp::Command {"LLEN", "queue"}}, std::chrono::seconds(60), this,
                                                [](const auto &) {});
        server->kill();
        LATCHKEY_AWAIT(isReported(0, "LLEN queue"));
        QVERIFY2(!told.first().endsWith(QLatin1String("\u2192 ")) && !told.first().contains(QLatin1String("nil")),
                 qPrintable(told.join(u'\n')));
    }
};

LATCHKEY_TEST(TestKeyCommandLog)

} // namespace tst_keycommandlog

#include "tst_keycommandlog.moc"

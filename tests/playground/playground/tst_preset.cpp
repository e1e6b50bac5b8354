#include "core/playground/playground/preset.h"
#include "tests/support/clientpoolfixture.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <algorithm>

namespace tst_preset {

using namespace latchkey;
using playground::ClientProcess;
using playground::Preset;
using State = ClientProcess::State;

/// The presets of the playground, with real processes and servers.
class TestPreset final : public QObject
{
    Q_OBJECT

    /// A playground as the window has it: the clients restart when the number of servers changes.
    struct Playground
    {
        Playground()
        {
            first.start();
            [&] { LATCHKEY_AWAIT(first.isReady()); }();
            clientPool.setServer(first.endpoint());
            serverPool.setFirst(&first);
            QObject::connect(&serverPool, &playground::ServerPool::sizeChanged, &serverPool,
                             [this] { clientPool.share(serverPool.endpoints()); });
        }
        /// The lease is shorter than that of the window, so that the tests do not wait for its end.
        void start(const char *id)
        {
            const auto found = std::ranges::find_if(playground::presets(),
                                                    [id](const Preset &each) { return qstrcmp(each.id, id) == 0; });
            preset = *found;
            preset.lease = std::chrono::seconds(3);
            runner.start(preset);
            LATCHKEY_AWAIT(runner.running() == nullptr);
        }
        [[nodiscard]] State state(std::size_t client) const { return clientPool.at(client).state(); }

        Preset preset {};
        privateserver::PrivateServer first;
        base::SystemRandom &random = base::SystemRandom::instance();
        playground::ClientPool clientPool {QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance()};
        playground::ServerPool serverPool {base::SystemClock::instance(), random};
        playground::PresetRunner runner {clientPool, serverPool};
    };

private Q_SLOTS:
    void everyPreset_hasAHolderAndAWaitingClient_data()
    {
        QTest::addColumn<QString>("id");
        for (const char *id : {"two-clients", "watchdog", "redlock"})
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    void everyPreset_hasAHolderAndAWaitingClient()
    {
        QFETCH(QString, id);
        Playground playground;
        (void)playground.clientPool.add(); // A client of the user, which the preset removes.
        playground.start(qPrintable(id));
        QCOMPARE(playground.clientPool.size(), std::size_t(2));
        LATCHKEY_AWAIT(playground.state(0) == State::Holding && playground.state(1) == State::Working);
        QCOMPARE(playground.serverPool.size(), id == u"redlock" ? 5 : 1);
        playground.clientPool.at(0).crash();
        LATCHKEY_AWAIT(playground.state(1) == State::Holding); // When the lease is over.
    }

    void pausedHolder_isOvertakenWithAGreaterFencingNumber()
    {
        Playground playground;
        playground.start("paused-holder");
        LATCHKEY_AWAIT(playground.state(1) == State::Holding);
        const ClientProcess &paused = playground.clientPool.at(0);
        QVERIFY(paused.isPaused());
        QVERIFY(paused.hold() && paused.hold()->fencing); // The paused client still believes that it holds the lock.
        QVERIFY(*paused.hold()->fencing < *playground.clientPool.at(1).hold()->fencing);
    }

    void anotherPreset_replacesTheFirst()
    {
        Playground playground;
        playground.start("redlock");
        playground.start("two-clients");
        QCOMPARE(playground.serverPool.size(), 1);
        QCOMPARE(playground.clientPool.size(), std::size_t(2));
        LATCHKEY_AWAIT(playground.state(0) == State::Holding);
        QCOMPARE(playground.clientPool.at(0).hold()->recipe, QStringLiteral("token"));
    }

    /// The holder of the former preset is gone, but its lease is not over for a long time.
    void anotherPreset_doesNotWaitForTheFormerLease()
    {
        constexpr auto longerThanAnyTest = std::chrono::hours(1);
        Playground playground;
        playground.preset = playground::presets().front();
        playground.preset.lease = longerThanAnyTest;
        for (int start = 0; start < 2; ++start) {
            playground.runner.start(playground.preset);
            LATCHKEY_AWAIT(playground.runner.running() == nullptr);
            LATCHKEY_AWAIT(playground.state(0) == State::Holding && playground.state(1) == State::Working);
        }
    }

    void userWhoIntervenes_endsThePreparation()
    {
        Playground playground;
        playground.runner.start(playground::presets().front());
        LATCHKEY_AWAIT(playground.clientPool.size() == 2);
        playground.clientPool.remove(playground.clientPool.at(1));
        QVERIFY(playground.runner.running() == nullptr);
    }
};

LATCHKEY_TEST(TestPreset)

} // namespace tst_preset

#include "tst_preset.moc"

#include "tests/support/otherclient.h"
#include "tests/support/testprogram.h"
#include "tests/ui/cards.h"

#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTest>

namespace tst_playgroundpage {

using namespace latchkey;
using playground::ClientProcess;
using test::Card;
using test::MainWindowFixture;
using test::openWithClients;
using test::wire;
using ui::playground::ClientCard;
using State = ClientProcess::State;
using namespace std::chrono_literals;

class TestPlaygroundPage final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void emptyPlayground_showsAHint()
    {
        MainWindowFixture fixture;
        QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
        auto *page = fixture.window.findChild<ui::playground::PlaygroundPage *>();
        const auto action = [&]() -> QPushButton * {
            for (auto *button : page->findChildren<QPushButton *>(QStringLiteral("emptyAction"))) {
                if (button->isVisible() && button->text() == u"Add two clients")
                    return button;
            }
            return nullptr;
        };
        LATCHKEY_AWAIT(action());
        QTest::mouseClick(action(), Qt::LeftButton);
        LATCHKEY_AWAIT(fixture.window.findChildren<ClientCard *>().size() == 2);
    }

    /// A hidden page without keys withdraws only its own requests, not those of other viewers.
    void hiddenPage_leavesOthersTheirAttention()
    {
        MainWindowFixture fixture;
        (void)openWithClients(fixture, 0);
        if (fixture.button("showServer").isChecked())
            fixture.click("showServer"); // The table there requests every key.
        auto &server = *fixture.workspace.playgroundServer();
        test::OtherClient other(server.endpoint());
        QVERIFY(other({"SET", "session:1", "v", "PX", "600000"}).isOk());
        const keys::KnownKeys &known = server.store().known();
        LATCHKEY_AWAIT(known.table.find("session:1"));
        const keys::KeyId id = *known.table.find("session:1");
        QVERIFY(known.value(id) == nullptr); // No viewer requests it.
        const QObject viewer;
        server.setVisibleKeys(viewer, {id});
        QTest::mouseClick(&fixture.widget<QToolButton>("inspectorButton"), Qt::LeftButton);
        LATCHKEY_AWAIT(known.value(id) != nullptr);
        server.setVisibleKeys(viewer, {});
    }

    void crashedHolder_runsOutInFrontOfTheUserAndTheNextAcquireWins()
    {
        MainWindowFixture fixture;
        const QList<Card> cards = openWithClients(fixture, 2);
        const Card &first = cards[0];
        const Card &second = cards[1];
        first.fill("lease", "1500ms");
        first.click("acquire");
        LATCHKEY_AWAIT(first.state() == u"holding");
        LATCHKEY_AWAIT(first.text("belief").endsWith(QStringLiteral(" left")));
        LATCHKEY_AWAIT(first.text("truth").startsWith(QStringLiteral("held by this client, ")));

        second.click("acquire");
        LATCHKEY_AWAIT(second.text("clientMessage") == u"Busy: another client holds lock:demo.");
        LATCHKEY_AWAIT(second.text("truth").startsWith(QStringLiteral("held by client 1, ")));

        first.click("crash");
        LATCHKEY_AWAIT(first.state() == u"crashed");
        QCOMPARE(first.text("belief"), QStringLiteral("nothing: it crashed while it held the lock"));
        QVERIFY(!first.button("acquire").isEnabled() && !first.button("release").isEnabled()
                && !first.button("crash").isEnabled());
        LATCHKEY_AWAIT(first.text("truth") == u"the key does not exist");

        second.click("acquire");
        LATCHKEY_AWAIT(second.state() == u"holding");
        second.click("release");
        LATCHKEY_AWAIT(second.text("clientMessage") == u"Released.");
    }

    void pausedHolder_wakesUpBelieving()
    {
        MainWindowFixture fixture;
        const QList<Card> cards = openWithClients(fixture, 2);
        cards[0].fill("lease", "500ms");
        cards[0].click("acquire");
        LATCHKEY_AWAIT(cards[0].state() == u"holding");
        cards[0].click("pauseClient");
        LATCHKEY_AWAIT(cards[0].state() == u"paused");
        cards[1].fill("wait", "20s");
        cards[1].click("acquire");
        LATCHKEY_AWAIT(cards[1].state() == u"holding");
        LATCHKEY_AWAIT(cards[0].text("truth").startsWith(QStringLiteral("held by client 2, ")));
        QCOMPARE(cards[0].card.property("tone").toString(), QStringLiteral("conflict"));
        QVERIFY(cards[0].text("belief").startsWith(QStringLiteral("holds it, but the lease ended ")));

        cards[0].click("pauseClient");
        LATCHKEY_AWAIT(cards[0].state() == u"holding");
        cards[0].click("release");
        LATCHKEY_AWAIT(cards[0].text("clientMessage").startsWith(QStringLiteral("No longer the owner")));
        LATCHKEY_AWAIT(cards[1].text("truth").startsWith(QStringLiteral("held by this client, ")));
    }

    void pausedRenewingHolder_wakesUpAndLearnsThatItHasLost()
    {
        MainWindowFixture fixture;
        const QList<Card> cards = openWithClients(fixture, 2);
        cards[0].chooseRecipe("renewing");
        cards[0].fill("lease", "600ms");
        cards[0].click("acquire");
        LATCHKEY_AWAIT(cards[0].state() == u"holding");
        const auto end = base::SystemClock::instance().now() + 2 * 600ms;
        LATCHKEY_AWAIT(base::SystemClock::instance().now() > end);
        LATCHKEY_AWAIT(cards[0].text("belief").endsWith(QStringLiteral(" left")));

        cards[0].click("pauseClient");
        cards[1].fill("wait", "20s");
        cards[1].click("acquire");
        LATCHKEY_AWAIT(cards[1].state() == u"holding");
        cards[0].click("pauseClient");
        LATCHKEY_AWAIT(cards[0].text("clientMessage").startsWith(QStringLiteral("Lost: ")));
        LATCHKEY_AWAIT(cards[0].text("belief").startsWith(QStringLiteral("it has lost the lock: ")));
        QVERIFY(cards[0].button("acquire").isEnabled() && !cards[0].button("release").isEnabled());
    }

    /// No other client holds the lock, so the message must not say so.
    void missingReplica_isToldInPlaceOfAnotherHolder()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        card.chooseRecipe("token-wait");
        card.fill("lease", "300ms"); // Half of it limits the time of WAIT.
        card.click("acquire");
        LATCHKEY_AWAIT(!card.text("clientMessage").isEmpty());
        QCOMPARE(card.text("clientMessage"),
                 QStringLiteral("No replica confirmed the lock within 150ms, so it was released."));
    }

    void everyRecipe_canBeChosen_data()
    {
        QTest::addColumn<QString>("id");
        for (const locks::Recipe &recipe : locks::recipes()) {
            if (!recipe.needsReplica) // The servers of the Playground have none.
                QTest::addRow("%s", qPrintable(recipe.id)) << recipe.id;
        }
    }
    void everyRecipe_canBeChosen()
    {
        QFETCH(QString, id);
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        const locks::Recipe &recipe = *locks::findRecipe(id).value();
        card.chooseRecipe(id.toLatin1().constData());
        const QString explanation = card.card.findChild<QComboBox *>(QStringLiteral("recipe"))->toolTip();
        QVERIFY2(explanation.contains(recipe.summary.toString()) && explanation.contains(recipe.flaw.toString()),
                 qPrintable(explanation));
        card.click("acquire");
        LATCHKEY_AWAIT(card.state() == u"holding");
        const bool canExtend = recipe.canExtend;
        QCOMPARE(card.button("extend").isEnabled(), canExtend);
        if (canExtend) {
            card.fill("lease", "90s");
            card.click("extend");
            LATCHKEY_AWAIT(card.text("clientMessage") == u"Extended.");
            LATCHKEY_AWAIT(card.text("belief") == u"holds it, 1 min 28 s left"
                           || card.text("belief").contains(QStringLiteral("1 min ")));
        }
        card.click("release");
        LATCHKEY_AWAIT(card.text("clientMessage") == u"Released.");
    }

    void badInput_isOneSentenceOnTheCard_data()
    {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("message");
        QTest::addRow("lease of zero") << QByteArray("lease") << QByteArray("0s")
                                       << QStringLiteral("A lease must be longer than zero, not 0ms");
        QTest::addRow("negative lease") << QByteArray("lease") << QByteArray("-5s")
                                        << QStringLiteral("A lease must be longer than zero, not -5s");
        QTest::addRow("unit") << QByteArray("lease") << QByteArray("5w")
                              << QStringLiteral(
                                     "Unknown unit \"w\" in the duration \"5w\"; the units are ms, s, m, h and d");
        QTest::addRow("no key") << QByteArray("clientKey") << QByteArray("") << QStringLiteral("The key is empty.");
        QTest::addRow("wait") << QByteArray("wait") << QByteArray("soon")
                              << QStringLiteral("\"soon\" is not a duration; write it like 500ms, 5s or 2m");
    }
    void badInput_isOneSentenceOnTheCard()
    {
        QFETCH(QByteArray, field);
        QFETCH(QByteArray, text);
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        card.fill(field.constData(), text.constData());
        card.click("acquire");
        QTEST(card.text("clientMessage"), "message");
        QCOMPARE(card.card.client().state(), State::Idle);
    }

    void removedClient_takesItsProcessAlong()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        const qint64 process = card.card.client().processId();
        QVERIFY(QFileInfo::exists(QStringLiteral("/proc/%1").arg(process)));
        card.click("removeClient");
        LATCHKEY_AWAIT(fixture.window.findChildren<ClientCard *>().isEmpty());
        LATCHKEY_AWAIT(!QFileInfo::exists(QStringLiteral("/proc/%1").arg(process)));
    }

    void commandLog_showsTheExchange()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        card.chooseRecipe("auto-release");
        card.click("acquire");
        LATCHKEY_AWAIT(card.state() == u"holding");
        LATCHKEY_AWAIT(wire(fixture).contains(QStringLiteral("client 1  SET lock:demo locking NX PX 10000 → OK")));
    }

    void waitingClient_doesNotFlushTheWire_data()
    {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addRow("a constant") << QByteArray("auto-release");
        QTest::addRow("a new token with each try") << QByteArray("token");
    }
    void waitingClient_doesNotFlushTheWire()
    {
        QFETCH(QByteArray, recipe);
        MainWindowFixture fixture;
        const QList<Card> cards = openWithClients(fixture, 2);
        for (const Card &card : cards)
            card.chooseRecipe(recipe.constData());
        cards[0].fill("lease", "60s");
        cards[0].click("acquire");
        LATCHKEY_AWAIT(cards[0].state() == u"holding");
        cards[1].fill("wait", "60s");
        cards[1].click("acquire");
        const auto tries = [&] {
            for (const QString &line : wire(fixture)) {
                if (line.startsWith(QStringLiteral("client 2  ")))
                    return line.section(u'\u00d7', 1).trimmed().toInt();
            }
            return 0;
        };
        LATCHKEY_AWAIT(tries() >= 5);
        QCOMPARE(wire(fixture).size(), 2);
        cards[0].click("release");
        LATCHKEY_AWAIT(cards[1].state() == u"holding");
        // The reply to the release of the first client may come later.
        LATCHKEY_AWAIT(!wire(fixture).filter(QRegularExpression(QStringLiteral("^client 2  .*→ OK$"))).isEmpty());
    }

    void keyboard_staysOnItsCard()
    {
        MainWindowFixture fixture;
        const QList<Card> cards = openWithClients(fixture, 2);
        fixture.window.activateWindow();
        LATCHKEY_AWAIT(fixture.window.isActiveWindow());
        cards[0].button("acquire").setFocus();
        QTest::keyClick(&cards[0].button("acquire"), Qt::Key_Space);
        LATCHKEY_AWAIT(cards[0].card.client().state() == State::Holding);
        LATCHKEY_AWAIT(QApplication::focusWidget() == &cards[0].button("release"));
        QTest::keyClick(&cards[0].button("release"), Qt::Key_Space);
        LATCHKEY_AWAIT(cards[0].card.client().state() == State::Idle);
        LATCHKEY_AWAIT(QApplication::focusWidget() == &cards[0].button("acquire"));
        cards[0].button("crash").setFocus();
        QTest::keyClick(&cards[0].button("crash"), Qt::Key_Space);
        LATCHKEY_AWAIT(cards[0].card.client().state() == State::Dead);
        // A widget on which Space has no effect.
        LATCHKEY_AWAIT(QApplication::focusWidget() == &cards[0].card);
    }

    /// The demonstration gives orders too; the fields of the card show them.
    void orderFromElsewhere_isShownInTheFields()
    {
        MainWindowFixture fixture;
        fixture.workspace.openDemo();
        QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
        LATCHKEY_AWAIT(fixture.window.findChildren<ClientCard *>().size() == 5);
        std::optional<Card> busy;
        const auto isBusy = [&] {
            for (ClientCard *card : fixture.window.findChildren<ClientCard *>()) {
                const auto &report = card->client().lastReport();
                if (report && report->event == playground::ClientReport::Event::Busy)
                    busy.emplace(card);
            }
            return busy.has_value();
        };
        LATCHKEY_AWAIT(isBusy());
        const playground::AcquireOrder &attempt = *busy->card.client().attempt();
        QCOMPARE(busy->card.findChild<QLineEdit *>(QStringLiteral("clientKey"))->text().toUtf8(),
                 attempt.options.key.bytes());
        QVERIFY(attempt.options.key.bytes() != "lock:demo");
        QCOMPARE(busy->card.findChild<QComboBox *>(QStringLiteral("recipe"))->currentData().toString(), attempt.recipe);
    }

    void demo_startsImmediately()
    {
        MainWindowFixture fixture;
        fixture.workspace.openDemo();
        LATCHKEY_AWAIT(fixture.workspace.inspected() && fixture.rows() > 10);
        LATCHKEY_AWAIT(fixture.workspace.clientPool().size() == 5);
        QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
        QCOMPARE(fixture.window.findChildren<ClientCard *>().size(), 5);
        const auto holding = [&] {
            for (std::size_t i = 0; i < fixture.workspace.clientPool().size(); ++i) {
                if (fixture.workspace.clientPool().at(i).state() == State::Holding)
                    return true;
            }
            return false;
        };
        LATCHKEY_AWAIT(holding());
    }
};

LATCHKEY_WINDOW_TEST(TestPlaygroundPage)

} // namespace tst_playgroundpage

#include "tst_playgroundpage.moc"

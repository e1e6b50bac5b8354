#include "tests/ui/cards.h"

#include <QScrollArea>
#include <QTest>

using namespace latchkey;
using test::Card;
using test::openWithClients;
using test::WindowBench;
using ui::clients::ClientCard;

/// The cards as things on a page: where they stand, what they show of a key, who has the keyboard, what they cost.
class TestClientCards final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keyOfAClient_isNotChangedByBeingShown_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<bool>("canBeEdited");
        QTest::addRow("a backslash") << QByteArray(R"(App\Jobs:a\\b)") << true;
        QTest::addRow("Chinese") << QByteArray("\xe9\x94\x81:\xe4\xb8\x80") << true;
        QTest::addRow("not UTF-8") << QByteArray("lock:\xff\x00\\xff", 11) << false;
        QTest::addRow("a line break") << QByteArray("lock:\n") << false;
        QTest::addRow("turns the direction of writing") << QByteArray("lock:\xe2\x80\xae") << false;
        QTest::addRow("64 KiB") << QByteArray(65'536, 'k') << false;
    }
    void keyOfAClient_isNotChangedByBeingShown()
    {
        QFETCH(QByteArray, key);
        WindowBench bench;
        const Card card = openWithClients(bench, 1).front();
        locks::LockOptions options;
        options.key = base::Key(key);
        card.card.client().acquire(QStringLiteral("auto-release"), options); // As the demonstration would.
        auto *field = card.card.findChild<QLineEdit *>(QStringLiteral("clientKey"));
        for (int round = 0; round < 3; ++round) {
            LATCHKEY_AWAIT(card.state() == u"holding");
            QCOMPARE(card.card.client().hold()->key.bytes(), key);
            QTEST(!field->isReadOnly(), "canBeEdited");
            card.click("release");
            LATCHKEY_AWAIT(card.state() == u"idle");
            QCOMPARE(card.card.key().bytes(), key);
            card.click("acquire");
        }
        LATCHKEY_AWAIT(card.state() == u"holding");
        card.click("release");
        LATCHKEY_AWAIT(card.state() == u"idle");
        if (field->isReadOnly())
            field->actions().constFirst()->trigger();
        QVERIFY(!field->isReadOnly());
        field->selectAll();
        QTest::keyClicks(field, QStringLiteral("another"));
        QCOMPARE(card.card.key().bytes(), QByteArray("another"));
    }

    void cards_keepTheirPlaces()
    {
        WindowBench bench;
        const QList<Card> cards = openWithClients(bench, 3);
        const auto place = [](const ClientCard &card) { return card.geometry(); };
        LATCHKEY_AWAIT(place(cards[2].card).top() > place(cards[0].card).top()
                       || place(cards[2].card).left() > place(cards[0].card).left());
        QRect last;
        int unmoved = 0; // The layouts take a few turns, and say nothing when they are done.
        LATCHKEY_AWAIT(
            (unmoved = place(cards[0].card) == last ? unmoved + 1 : 0, last = place(cards[0].card), unmoved >= 10));
        const QRect first = place(cards[0].card);
        const QRect second = place(cards[1].card);
        const QRect third = place(cards[2].card);
        cards[1].click("removeClient");
        LATCHKEY_AWAIT(bench.window.findChildren<ClientCard *>().size() == 2);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QCOMPARE(place(cards[0].card), first);
        QCOMPARE(place(cards[2].card), third);
        bench.click("addClient");
        const ClientCard *successor = bench.window.findChildren<ClientCard *>().back();
        LATCHKEY_AWAIT(place(*successor) == second);
        QCOMPARE(place(cards[2].card), third);
    }

    void smallestWindow_showsCardsWhole()
    {
        WindowBench bench;
        bench.window.resize(960, 560);
        const QList<Card> cards = openWithClients(bench, 2);
        QCOMPARE(bench.window.size(), QSize(960, 560));
        const auto *viewport = bench.widget<QScrollArea>("pageScroll").viewport();
        for (const Card &card : cards) {
            LATCHKEY_AWAIT(card.card.width() > 100 && card.card.geometry().right() < viewport->width());
            for (const QWidget *child : card.card.findChildren<QWidget *>(Qt::FindDirectChildrenOnly)) {
                if (child->isVisible())
                    QVERIFY2(card.card.rect().contains(child->geometry()), qPrintable(child->objectName()));
            }
            for (const auto *button : card.card.findChildren<QPushButton *>())
                QVERIFY2(button->width() >= button->minimumSizeHint().width(), qPrintable(button->text()));
        }
    }

    void addedClient_isSeenAndHasTheKeyboard()
    {
        WindowBench bench;
        bench.window.resize(960, 560);
        bench.window.activateWindow();
        LATCHKEY_AWAIT(bench.window.isActiveWindow());
        (void)openWithClients(bench, 3);
        const ClientCard *added = bench.window.findChildren<ClientCard *>().back();
        const QWidget *viewport = bench.widget<QScrollArea>("pageScroll").viewport();
        const auto isSeen = [&] {
            return viewport->rect().contains(QRect(added->mapTo(viewport, QPoint(0, 0)), QSize(10, 100)));
        };
        LATCHKEY_AWAIT(isSeen());
        QVERIFY(added->isAncestorOf(QApplication::focusWidget()));
    }

    void hiddenPage_doesNothingPerTick()
    {
        WindowBench bench;
        const Card card = openWithClients(bench, 1).front();
        card.fill("lease", "60s");
        card.click("acquire");
        LATCHKEY_AWAIT(card.text("belief").startsWith(QStringLiteral("holds it for another ")));
        QTest::mouseClick(&bench.widget<QToolButton>("inspectorButton"), Qt::LeftButton);
        const QString frozen = card.text("belief");
        int ticks = 0;
        connect(&bench.workspace.playgroundServer()->watcher(), &keyspace::Watcher::ticked, this, [&] { ++ticks; });
        LATCHKEY_AWAIT(ticks > 45); // More than a second, after which it would say another number.
        QCOMPARE(card.text("belief"), frozen);
        QTest::mouseClick(&bench.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
        LATCHKEY_AWAIT(card.text("belief") != frozen);
    }

    void page_namesTheServerThatItsClientsWorkOn()
    {
        WindowBench bench;
        (void)openWithClients(bench, 2);
        QStringList labels;
        for (const QLabel *label : bench.window.findChildren<QLabel *>())
            labels += label->text();
        QVERIFY(labels.contains(QStringLiteral("2 clients on the private server ")
                                + bench.workspace.playgroundServer()->endpoint().display()));
    }
};

QTEST_MAIN(TestClientCards)
#include "tst_clientcards.moc"

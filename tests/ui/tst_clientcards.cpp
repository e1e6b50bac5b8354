#include "tests/support/otherclient.h"
#include "tests/support/testprogram.h"
#include "tests/ui/cards.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/pages/playground/countdownbar.h"
#include "ui/pages/playground/lockform.h"
#include "ui/pages/playground/resourceview.h"
#include "ui/pages/playground/stablelabel.h"
#include "ui/views/commandlog/commandlogview.h"
#include "ui/views/diagram/diagramview.h"

#include <QCheckBox>

#include <QScrollArea>
#include <QTest>

namespace tst_clientcards {

using namespace latchkey;
using test::Card;
using test::MainWindowFixture;
using test::openWithClients;
using ui::commandlog::CommandLogView;
using ui::playground::ClientCard;
using ui::playground::StableLabel;

/// Tests of the cards as widgets: position, display of keys, keyboard focus, and cost.
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
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        locks::LockOptions options;
        options.key = base::Key(key);
        card.card.client().acquire(QStringLiteral("auto-release"), options); // As the demonstration does.
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
        MainWindowFixture fixture;
        const QList<Card> cards = openWithClients(fixture, 3);
        const auto place = [](const ClientCard &card) { return card.geometry(); };
        LATCHKEY_AWAIT(place(cards[2].card).top() > place(cards[0].card).top()
                       || place(cards[2].card).left() > place(cards[0].card).left());
        QRect last;
        int unmoved = 0; // Layouts take several turns of the event loop and do not report their end.
        LATCHKEY_AWAIT(
            (unmoved = place(cards[0].card) == last ? unmoved + 1 : 0, last = place(cards[0].card), unmoved >= 10));
        const QRect first = place(cards[0].card);
        const QRect second = place(cards[1].card);
        const QRect third = place(cards[2].card);
        cards[1].click("removeClient");
        LATCHKEY_AWAIT(fixture.window.findChildren<ClientCard *>().size() == 2);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QCOMPARE(place(cards[0].card), first);
        QCOMPARE(place(cards[2].card), third);
        fixture.click("addClient");
        const ClientCard *successor = fixture.window.findChildren<ClientCard *>().back();
        LATCHKEY_AWAIT(place(*successor) == second);
        QCOMPARE(place(cards[2].card), third);
    }

    void smallestWindow_showsCardsWhole()
    {
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        const QList<Card> cards = openWithClients(fixture, 2);
        QCOMPARE(fixture.window.size(), QSize(960, 560));
        const auto *viewport = fixture.widget<QScrollArea>("pageScroll").viewport();
        for (const Card &card : cards) {
            LATCHKEY_AWAIT(card.card.width() > 100 && card.card.geometry().right() < viewport->width());
            for (const QWidget *child : card.card.findChildren<QWidget *>(Qt::FindDirectChildrenOnly)) {
                if (child->isVisible())
                    QVERIFY2(card.card.rect().contains(child->geometry()), qPrintable(child->objectName()));
            }
            for (const auto *button : card.card.findChildren<QPushButton *>())
                QVERIFY2(!button->isVisible() || button->width() >= button->minimumSizeHint().width(),
                         qPrintable(button->text()));
        }
    }

    void smallestWindow_showsBeliefAndTruthWithoutScrolling()
    {
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        const Card card = openWithClients(fixture, 1).front();
        const auto *viewport = fixture.widget<QScrollArea>("pageScroll").viewport();
        const auto isSeen = [&](const char *name) {
            const auto *label = card.card.findChild<QLabel *>(QLatin1String(name));
            return viewport->rect().contains(QRect(label->mapTo(viewport, QPoint(0, 0)), label->size()));
        };
        LATCHKEY_AWAIT(isSeen("belief") && isSeen("truth"));
        card.chooseRecipe("auto-release"); // A recipe with a flaw text.
        card.click("acquire");
        LATCHKEY_AWAIT(card.state() == u"holding" && isSeen("belief") && isSeen("truth") && isSeen("flaw"));
        LATCHKEY_AWAIT(card.card.height() <= viewport->height()); // The whole card fits.
    }

    void addedClient_isSeenAndHasTheKeyboard()
    {
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        fixture.window.activateWindow();
        LATCHKEY_AWAIT(fixture.window.isActiveWindow());
        (void)openWithClients(fixture, 3);
        const ClientCard *added = fixture.window.findChildren<ClientCard *>().back();
        const QWidget *viewport = fixture.widget<QScrollArea>("pageScroll").viewport();
        const auto isSeen = [&] {
            return viewport->rect().contains(QRect(added->mapTo(viewport, QPoint(0, 0)), QSize(10, 100)));
        };
        LATCHKEY_AWAIT(isSeen());
        QVERIFY(added->isAncestorOf(QApplication::focusWidget()));
    }

    void cardOfAClientAtWork_showsTheLessonAndNotTheForm()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        card.chooseRecipe("auto-release");
        auto *form = card.card.findChild<ui::playground::LockForm *>();
        auto *flaw = card.card.findChild<QLabel *>(QStringLiteral("flaw"));
        QVERIFY(form->isVisible() && !card.button("foldedForm").isVisible());
        QVERIFY(flaw->isVisible() && flaw->text().startsWith(QStringLiteral("Flaw: ")));
        card.click("acquire");
        LATCHKEY_AWAIT(card.state() == u"holding");
        QVERIFY(!form->isVisible() && flaw->isVisible());
        QCOMPARE(card.button("foldedForm").text(), QStringLiteral("auto-release \u00b7 lock:demo \u00b7 10s"));
        const auto bars = card.card.findChildren<ui::playground::CountdownBar *>();
        QCOMPARE(bars.size(), 2);
        LATCHKEY_AWAIT(bars[0]->share() && *bars[0]->share() > 0.5 && bars[1]->share() && *bars[1]->share() > 0.5);
        const double before = *bars[1]->share();
        LATCHKEY_AWAIT(*bars[1]->share() < before - 0.02);
        card.click("foldedForm");
        QVERIFY(form->isVisible() && !card.card.findChild<QComboBox *>(QStringLiteral("recipe"))->isEnabled());
        card.click("release");
        LATCHKEY_AWAIT(card.state() == u"idle");
        QVERIFY(form->isVisible() && !card.button("foldedForm").isVisible());
        card.chooseRecipe("token");
        QVERIFY(!flaw->isVisible());
    }

    void borderOfAHolderPastItsLease_isNotGreen()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        card.fill("lease", "2s"); // Long enough to observe the hold on a slow machine.
        card.click("acquire");
        LATCHKEY_AWAIT(card.card.property("tone").toString() == u"holding");
        LATCHKEY_AWAIT(card.card.client().hold()->validUntil < base::SystemClock::instance().now());
        LATCHKEY_AWAIT(card.card.property("tone").toString() != u"holding");
        LATCHKEY_AWAIT(card.card.property("tone").toString() == u"conflict"); // The key has expired, but the client
                                                                              // believes to hold the lock.
    }

    void deadClient_canBeStartedAgain()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        card.click("acquire");
        LATCHKEY_AWAIT(card.state() == u"holding");
        QVERIFY(!card.button("restart").isEnabled());
        LATCHKEY_AWAIT(card.text("clientMessage").startsWith(QStringLiteral("Acquired")));
        const qint64 process = card.card.client().processId();
        const QRect rect = card.card.geometry();
        card.click("crash");
        LATCHKEY_AWAIT(card.button("restart").isEnabled());
        card.click("restart");
        LATCHKEY_AWAIT(card.state() == u"idle");
        QVERIFY(card.card.client().processId() != process);
        QCOMPARE(card.text("clientMessage"), QString()); // The message about the dead process is removed.
        QCOMPARE(card.card.geometry(), rect);
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("held by client 1, which has crashed, ")));
    }

    void automaticClient_acquiresReleasesAndWrites()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        card.chooseRecipe("fenced");
        card.fill("work", "50ms");
        card.card.findChild<QCheckBox *>(QStringLiteral("automatic"))->setChecked(true);
        QCOMPARE(card.button("acquire").text(), QStringLiteral("Start"));
        int acquired = 0;
        connect(&card.card.client(), &playground::ClientProcess::reported, this,
                [&](const playground::ClientReport &report) {
                    acquired += report.event == playground::ClientReport::Event::Acquired ? 1 : 0;
                });
        card.click("acquire");
        LATCHKEY_AWAIT(acquired >= 2);
        bool isWritten = false;
        for (const QLabel *label : fixture.window.findChildren<QLabel *>())
            isWritten = isWritten || label->text().contains(QStringLiteral("largest fencing number 1"));
        QVERIFY(isWritten);
        card.click("release");
        QCOMPARE(card.button("acquire").text(), QStringLiteral("Start"));
        LATCHKEY_AWAIT(card.state() == u"idle" || card.state() == u"holding");
    }

    void twoInside_areReportedInAProminentLine()
    {
        MainWindowFixture fixture;
        const QList<Card> cards = openWithClients(fixture, 2);
        auto *line = fixture.window.findChild<QLabel *>(QStringLiteral("conflict"));
        auto *resource = fixture.window.findChild<ui::playground::ResourceView *>();
        for (const Card &card : cards)
            card.chooseRecipe("auto-release");
        cards[0].fill("lease", "300ms");
        cards[0].click("acquire");
        LATCHKEY_AWAIT(cards[0].state() == u"holding");
        LATCHKEY_AWAIT(resource->accessibleDescription().startsWith(QStringLiteral("Inside lock:demo: client 1")));
        QVERIFY(!line->isVisible() && !resource->isViolated());
        cards[1].fill("wait", "20s");
        cards[1].click("acquire");
        LATCHKEY_AWAIT(cards[1].state() == u"holding");
        QVERIFY(line->isVisible());
        QCOMPARE(line->text(), QStringLiteral("Client 1 and client 2 both believe that they hold lock:demo"));
        QVERIFY(resource->isViolated());
        cards[0].click("release");
        LATCHKEY_AWAIT(!line->isVisible());
        QVERIFY(!resource->isViolated());
    }

    void insiderWithoutItsLock_isNeverGreen()
    {
        MainWindowFixture fixture;
        const QList<Card> cards = openWithClients(fixture, 1);
        auto *resource = fixture.window.findChild<ui::playground::ResourceView *>();
        const auto says = [&](const char *text, const char *tone) {
            return resource->accessibleDescription() == QLatin1String(text)
                && resource->property("tone").toString() == QLatin1String(tone);
        };
        cards[0].chooseRecipe("auto-release");
        cards[0].fill("lease", "2s");
        cards[0].click("acquire");
        LATCHKEY_AWAIT(says("Inside lock:demo: client 1", "good"));
        LATCHKEY_AWAIT(says("Inside lock:demo: client 1 (lease over)", "late"));
        cards[0].click("release");
        LATCHKEY_AWAIT(says("No client inside", ""));
        // Another client deletes the lock long before the end of its lease.
        cards[0].fill("lease", "10m");
        cards[0].click("acquire");
        LATCHKEY_AWAIT(says("Inside lock:demo: client 1", "good"));
        test::OtherClient other(fixture.workspace.playgroundServer()->endpoint());
        QVERIFY(other({"DEL", "lock:demo"}).isInteger(1));
        LATCHKEY_AWAIT(says("Inside lock:demo: client 1 (key gone)", "late"));
    }

    void presenter_seesTheDiagramTheResourceAndNothingElse()
    {
        MainWindowFixture fixture;
        (void)openWithClients(fixture, 1);
        auto &diagram = fixture.widget<ui::diagram::DiagramView>("diagram");
        auto *rail = fixture.window.findChild<ui::shell::NavigationRail *>();
        const double scale = diagram.scale();
        const int letters =
            QFontInfo(fixture.window.findChild<QLabel *>(QStringLiteral("insideWho"))->font()).pixelSize();
        fixture.click("present");
        QVERIFY(!rail->isVisible() && !fixture.button("addClient").isVisible());
        QVERIFY(diagram.isVisible() && fixture.window.findChild<ui::playground::ResourceView *>()->isVisible());
        QVERIFY(diagram.scale() > 1.5 * scale);
        const auto *inside = fixture.window.findChild<QLabel *>(QStringLiteral("insideWho"));
        LATCHKEY_AWAIT(QFontInfo(inside->font()).pixelSize() > 1.5 * letters);
        // Presenting can be left by mouse and by keyboard.
        QVERIFY(fixture.button("leavePresenting").isVisible());
        fixture.click("leavePresenting");
        QVERIFY(rail->isVisible() && !fixture.button("leavePresenting").isVisible());
        LATCHKEY_AWAIT(QFontInfo(inside->font()).pixelSize() == letters);
        fixture.click("present");
        QTest::keyClick(&diagram, Qt::Key_Escape);
        QVERIFY(rail->isVisible() && fixture.button("addClient").isVisible());
        QCOMPARE(diagram.scale(), scale);
    }

    void controlAndPlus_enlargeAllOfIt()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        auto *page = fixture.window.findChild<ui::playground::PlaygroundPage *>();
        const auto *belief = card.card.findChild<QLabel *>(QStringLiteral("belief"));
        auto &diagram = fixture.widget<ui::diagram::DiagramView>("diagram");
        const int belief1 = QFontInfo(belief->font()).pixelSize();
        const double diagram1 = diagram.textFont().pointSizeF();
        for (int i = 0; i < 4; ++i)
            QTest::keyClick(page, Qt::Key_Plus, Qt::ControlModifier);
        QVERIFY2(fixture.appearance.textScale() > 1.4, qPrintable(QString::number(fixture.appearance.textScale())));
        LATCHKEY_AWAIT(QFontInfo(belief->font()).pixelSize() > 1.3 * belief1);
        LATCHKEY_AWAIT(diagram.textFont().pointSizeF() > 1.3 * diagram1);
        QTest::keyClick(page, Qt::Key_0, Qt::ControlModifier);
        LATCHKEY_AWAIT(QFontInfo(belief->font()).pixelSize() == belief1);
    }

    void hiddenPage_doesNothingPerTick()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        card.fill("lease", "60s");
        card.click("acquire");
        LATCHKEY_AWAIT(card.text("belief").endsWith(QStringLiteral(" left")));
        QTest::mouseClick(&fixture.widget<QToolButton>("inspectorButton"), Qt::LeftButton);
        const QString frozen = card.text("belief");
        int ticks = 0;
        connect(&fixture.workspace.playgroundServer()->watcher(), &watching::Watcher::ticked, this, [&] { ++ticks; });
        LATCHKEY_AWAIT(ticks > 45); // More than a second, so that a running countdown would have changed.
        QCOMPARE(card.text("belief"), frozen);
        QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
        LATCHKEY_AWAIT(card.text("belief") != frozen);
    }

    void saying_keepsTheRoomThatItHasNeeded()
    {
        ui::theme::Appearance appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()));
        QWidget window;
        auto *saying = new StableLabel(QStringLiteral("belief"), &window, 1);
        window.resize(200, 400);
        window.show(); // A hidden widget receives no resize events.
        saying->resize(200, 1);
        saying->setText(QStringLiteral("short"));
        const int least = saying->height();
        saying->setText(QStringLiteral("far too long for a single line of this width").repeated(3));
        const int most = saying->height();
        QVERIFY(most >= 3 * least);
        saying->setText(QStringLiteral("short"));
        QCOMPARE(saying->height(), most);
        // In the window, the font changes temporarily during styling.
        ui::widgets::restyle(saying->label(), "tone", QStringLiteral("critical"));
        int turns = 0;
        QTimer timer;
        timer.callOnTimeout([&] { ++turns; });
        timer.start(0);
        LATCHKEY_AWAIT(turns > 3);
        QCOMPARE(saying->height(), most);
        saying->resize(300, most);
        QCOMPARE(saying->height(), least);
        QFont large = saying->label().font();
        large.setPointSizeF(large.pointSizeF() * 2);
        saying->label().setFont(large);
        LATCHKEY_AWAIT(saying->height() > least);
    }

    /// Otherwise the second attempt would be counted with the first.
    void wireLog_keepsTheOrderOfWhatItShowsTogether()
    {
        ui::theme::Appearance appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()));
        CommandLogView log(appearance);
        const QString client = QStringLiteral("a");
        const QString command = QStringLiteral("SET k v NX");
        const QString reply = QStringLiteral("OK");
        log.closeOperation(client);
        log.add(client, command, reply);
        log.add(client, command, reply);
        log.closeOperation(client);
        log.add(client, command, reply);
        LATCHKEY_AWAIT(log.model()->rowCount() == 2);
        QVERIFY(log.model()->index(0, 0).data().toString().endsWith(QStringLiteral("\u00d7 2")));
    }

    void page_namesTheServerThatItsClientsWorkOn()
    {
        MainWindowFixture fixture;
        (void)openWithClients(fixture, 2);
        QStringList labels;
        for (const QLabel *label : fixture.window.findChildren<QLabel *>())
            labels += label->text();
        QVERIFY(labels.contains(QStringLiteral("2 clients on the private server ")
                                + fixture.workspace.playgroundServer()->endpoint().display()));
    }
};

LATCHKEY_WINDOW_TEST(TestClientCards)

} // namespace tst_clientcards

#include "tst_clientcards.moc"

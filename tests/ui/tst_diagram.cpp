#include "tests/support/await.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"
#include "ui/views/diagram/diagramlegend.h"
#include "ui/views/diagram/diagrampanel.h"
#include "ui/views/diagram/diagrampicture.h"

#include <QApplication>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QPaintEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <QWindow>

namespace tst_diagram {

using namespace latchkey;
using sequence::Mark;
using sequence::Message;
using sequence::Sequence;
using ui::diagram::DiagramLayout;
using ui::diagram::DiagramPanel;
using ui::diagram::DiagramView;
using namespace std::chrono_literals;

namespace {

base::MonotonicTime at(std::chrono::milliseconds time)
{
    return base::MonotonicTime(5h + time);
}

void say(Sequence &sequence, std::size_t client, std::chrono::milliseconds sent, const QString &command)
{
    sequence.closeAttempt(client);
    sequence.add(Message {client, 0, {}, at(sent), at(sent + 1ms), command, base::Text(QLatin1String("OK")), false, 1});
}

Sequence withClients(int count)
{
    Sequence sequence;
    sequence.addServer(QStringLiteral("server"));
    for (int i = 1; i <= count; ++i)
        sequence.addClient(QStringLiteral("client %1").arg(i));
    return sequence;
}

/// A diagram in its own window with a stopped clock.
struct Fixture
{
    explicit Fixture(int clients)
        : appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()))
        , sequence(withClients(clients))
        , panel(clock, appearance)
    {
        clock.advance(10s);
        panel.resize(700, 420);
        panel.setSequence(&sequence);
        panel.show();
    }

    [[nodiscard]] DiagramView &view() { return panel.view(); }
    [[nodiscard]] QImage picture()
    {
        view().refresh();
        return view().viewport()->grab().toImage();
    }
    /// Returns the number of pixels of this colour, without the legend.
    [[nodiscard]] int pixelsLike(const QColor &colour)
    {
        const QImage image = picture();
        int count = 0;
        const int height = image.height() - static_cast<int>(view().diagramLayout().legendHeight()) - 1;
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < image.width(); ++x)
                count += image.pixelColor(x, y) == colour ? 1 : 0;
        }
        return count;
    }
    void settle()
    {
        view().refresh();
        [&] { LATCHKEY_AWAIT(view().verticalScrollBar()->maximum() > 0); }();
    }

    ui::theme::Appearance appearance;
    test::ManualClock clock;
    Sequence sequence;
    DiagramPanel panel;
};

} // namespace

class TestDiagram final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lines_standInOrderAndTimeTakesRoom()
    {
        Sequence sequence = withClients(2);
        say(sequence, 1, 0ms, QStringLiteral("A"));
        say(sequence, 2, 1ms, QStringLiteral("B"));
        say(sequence, 1, 2001ms, QStringLiteral("C"));
        say(sequence, 1, 1h, QStringLiteral("D"));
        const DiagramLayout layout(sequence, {10, 600});
        const double close = layout.topOf(1) - layout.topOf(0) - layout.heightOf(0);
        const double later = layout.topOf(2) - layout.topOf(1) - layout.heightOf(1);
        const double muchLater = layout.topOf(3) - layout.topOf(2) - layout.heightOf(2);
        QVERIFY2(close >= 0 && close < 5, qPrintable(QString::number(close)));
        QVERIFY2(later > close + 20, qPrintable(QString::number(later)));
        QVERIFY2(muchLater > later && muchLater < 100, qPrintable(QString::number(muchLater)));
        QVERIFY(!layout.cutBefore(2));
        QVERIFY(layout.cutBefore(3));
        // A later time is never higher up.
        double last = 0;
        for (auto time = -1000ms; time < 10s; time += 10ms) {
            const double y = layout.yAt(at(time));
            QVERIFY2(y >= last, qPrintable(QString::number(y)));
            last = y;
        }
        QCOMPARE(layout.rowAt(layout.topOf(2) + 1), std::optional(std::size_t(2)));
        QVERIFY(layout.pixelTime(at(1h + 1s)));
        QVERIFY(!layout.pixelTime(at(2h)));
    }

    void timeAdvances_whileALockIsHeld()
    {
        Sequence sequence = withClients(2);
        say(sequence, 1, 0ms, QStringLiteral("SET k x NX"));
        sequence.believe(1, base::Key("k"), at(1ms), at(10s));
        const DiagramLayout live(sequence, {16, 600});
        double last = live.yAt(at(6s));
        for (auto time = 7000ms; time < 10min; time += 1s) {
            QVERIFY(live.yAt(at(time)) > last);
            QVERIFY(*live.pixelTime(at(time)) >= *live.pixelTime(at(time - 1s)));
            last = live.yAt(at(time));
        }
        QVERIFY2(last < 60 * 16, qPrintable(QString::number(last))); // Less than the height of a screen.
        // The next event does not change its height.
        sequence.add(Mark {0, Mark::Kind::LeaseEnded, {}, at(10s), {}});
        const DiagramLayout marked(sequence, {16, 600});
        QVERIFY(marked.topOf(1) >= live.yAt(at(10s)));
        QVERIFY(marked.yAt(at(10s)) > marked.topOf(1) && marked.yAt(at(10s)) < marked.topOf(1) + marked.heightOf(1));
        say(sequence, 2, 1h, QStringLiteral("GET k"));
        const DiagramLayout later(sequence, {16, 600});
        QCOMPARE(later.yAt(at(5s)), live.yAt(at(5s)));
        QVERIFY(later.topOf(2) >= marked.yAt(at(1h)));
        QCOMPARE(later.cutBefore(2), std::optional<std::chrono::nanoseconds>(1h - 10s));
    }

    void lanes_shareTheWidth_data()
    {
        QTest::addColumn<int>("clients");
        QTest::addColumn<double>("width");
        QTest::addColumn<bool>("fits");
        QTest::addColumn<bool>("areNamesStaggered");
        QTest::addRow("two, wide") << 2 << 1200.0 << true << false;
        QTest::addRow("two, narrow") << 2 << 480.0 << true << false;
        QTest::addRow("five, narrow") << 5 << 480.0 << true << true;
        QTest::addRow("twenty, wide") << 20 << 1200.0 << true << true;
        QTest::addRow("twenty, narrow") << 20 << 480.0 << false << true;
    }
    void lanes_shareTheWidth()
    {
        QFETCH(int, clients);
        QFETCH(double, width);
        QFETCH(bool, fits);
        const Sequence sequence = withClients(clients);
        const DiagramLayout layout(sequence, {16, width});
        QCOMPARE(layout.width() <= width + 0.01, fits);
        QTEST(layout.areNamesStaggered(), "areNamesStaggered");
        for (std::size_t i = 2; i < sequence.lanes().size(); ++i)
            QVERIFY(layout.xOf(i) - layout.xOf(i - 1) >= 2 * 16);
        // The server is at the right of all clients, with room for the messages.
        QVERIFY(layout.xOf(0) - layout.xOf(sequence.lanes().size() - 1) >= 10 * 16 - 0.01);
        QVERIFY(layout.xOf(0) < layout.width());
    }

    /// All lanes of Redlock on five servers are visible beside two cards, without the times.
    void lanesNeedTheRoom_ofTheTimes_data()
    {
        QTest::addColumn<double>("lines");
        QTest::addColumn<bool>("hasTimes");
        QTest::newRow("room") << 32.0 << true;
        QTest::newRow("narrow") << 27.0 << false;
    }
    void lanesNeedTheRoom_ofTheTimes()
    {
        QFETCH(double, lines);
        Sequence sequence = withClients(2);
        for (int server = 2; server <= 5; ++server)
            (void)sequence.addServer(QStringLiteral("server"));
        const DiagramLayout layout(sequence, {16, 16 * lines});
        QVERIFY(layout.width() <= 16 * lines + 0.01);
        QTEST(layout.gutter() > 0, "hasTimes");
    }

    void timeOfALine_isWhereTheLineIs()
    {
        Sequence sequence = withClients(1);
        for (int i = 0; i < 50; ++i)
            say(sequence, 1, i * 137ms, QStringLiteral("C%1").arg(i));
        const DiagramLayout layout(sequence, {16, 600});
        for (std::size_t i = 0; i < layout.rowCount(); ++i) {
            const double y = layout.yAt(timeOf(sequence.rows()[i]));
            QVERIFY2(y >= layout.topOf(i) && y <= layout.topOf(i) + layout.heightOf(i), qPrintable(QString::number(i)));
        }
        const auto [first, last] = layout.rowsBetween(layout.topOf(10) + 1, layout.topOf(12) + 1);
        QCOMPARE(first, std::size_t(10));
        QCOMPARE(last, std::size_t(13));
    }

    void overlap_isRedAcrossAllLanesAndStatedInALine()
    {
        Fixture fixture(2);
        const QColor red = fixture.appearance.theme().critical;
        say(fixture.sequence, 1, 9000ms, QStringLiteral("SET k a NX"));
        fixture.sequence.believe(1, base::Key("k"), at(9001ms), at(30min));
        auto *line = fixture.panel.findChild<QLabel *>(QStringLiteral("conflict"));
        fixture.panel.refresh();
        QVERIFY(!line->isVisible());
        QCOMPARE(fixture.pixelsLike(red), 0);
        say(fixture.sequence, 2, 9300ms, QStringLiteral("SET k b NX"));
        fixture.sequence.believe(2, base::Key("k"), at(9301ms), at(30min));
        fixture.panel.refresh();
        QVERIFY(line->isVisible());
        QCOMPARE(line->text(), QStringLiteral("Client 1 and client 2 both believe that they hold k"));
        QVERIFY2(fixture.pixelsLike(red) > 700, qPrintable(QString::number(fixture.pixelsLike(red))));
        fixture.sequence.stopBelieving(1, at(9900ms));
        fixture.panel.refresh();
        QVERIFY(!line->isVisible());
    }

    void crashAndBeliefPastItsLease_areRed()
    {
        Fixture fixture(1);
        const QColor red = fixture.appearance.theme().critical;
        say(fixture.sequence, 1, 8000ms, QStringLiteral("SET k a NX PX 1000"));
        fixture.sequence.believe(1, base::Key("k"), at(8001ms), at(30min));
        QCOMPARE(fixture.pixelsLike(red), 0);
        fixture.sequence.believe(1, base::Key("k"), at(8001ms), at(9000ms));
        QVERIFY(fixture.pixelsLike(red) > 50);
        fixture.sequence.believe(1, base::Key("k"), at(8001ms), at(30min));
        QCOMPARE(fixture.pixelsLike(red), 0);
        fixture.sequence.add(Mark {1, Mark::Kind::Crashed, {}, at(9500ms), {}});
        QVERIFY(fixture.pixelsLike(red) > 200);
    }

    void sentenceAboutAnOverlap_standsAboveIt()
    {
        Sequence sequence = withClients(2);
        say(sequence, 1, 0ms, QStringLiteral("SET k a NX"));
        sequence.believe(1, base::Key("k"), at(2ms), at(30min));
        say(sequence, 2, 1s, QStringLiteral("SET k b NX"));
        sequence.believe(2, base::Key("k"), at(1001ms), at(30min)); // Immediately after the reply.
        say(sequence, 2, 2s, QStringLiteral("GET k"));
        const DiagramLayout layout(sequence, {16, 600});
        const double note = layout.noteOf(0);
        QVERIFY(note - 0.6 * 16 >= layout.topOf(1) + layout.heightOf(1));
        QVERIFY(note + 0.6 * 16 <= layout.yAt(sequence.overlaps().front().from));
        QVERIFY(layout.yAt(sequence.overlaps().front().from) < layout.topOf(2));
    }

    void beliefInALockThatHasLapsed_isRed()
    {
        Fixture fixture(1);
        const QColor red = fixture.appearance.theme().critical;
        say(fixture.sequence, 1, 5000ms, QStringLiteral("SET k a NX PX 600000"));
        fixture.sequence.believe(1, base::Key("k"), at(5001ms), at(10min));
        fixture.sequence.recordKey(0, base::Key("k"), true, 1, at(5010ms), at(6s)); // As in a story that plays faster.
        QCOMPARE(fixture.pixelsLike(red), 0);
        fixture.sequence.recordKey(0, base::Key("k"), false, {}, at(6010ms));
        QVERIFY(fixture.pixelsLike(red) > 50);
        QVERIFY(fixture.pixelsLike(fixture.appearance.theme().warning) > 200); // The mark is painted.
    }

    void laneOfADeadClient_staysDead()
    {
        Fixture fixture(1);
        say(fixture.sequence, 1, 9000ms, QStringLiteral("PING"));
        fixture.sequence.add(Mark {1, Mark::Kind::Crashed, {}, at(9100ms), {}});
        fixture.sequence.setAbsent(1, sequence::Absence::Kind::Dead, at(9100ms));
        const auto &theme = fixture.appearance.theme();
        const QColor solid = ui::theme::tint(ui::diagram::laneColour(1, theme), theme.surface, 0.55);
        const QImage image = fixture.picture();
        const DiagramLayout &layout = fixture.view().diagramLayout();
        const int x = static_cast<int>(layout.xOf(1));
        const int crash = static_cast<int>(layout.headingHeight() + layout.topOf(1) + layout.heightOf(1));
        int above = 0;
        int below = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int near = x - 1; near <= x + 1; ++near) {
                if (image.pixelColor(near, y) == solid)
                    ++(y < crash ? above : below);
            }
        }
        QVERIFY(above > 20);
        QCOMPARE(below, 0);
    }

    void lockWithoutALease_staysForever_data()
    {
        QTest::addColumn<bool>("hasLease");
        QTest::addColumn<bool>("isStuck");
        QTest::addRow("a lease") << true << false;
        QTest::addRow("no lease") << false << true;
    }
    void lockWithoutALease_staysForever()
    {
        QFETCH(bool, hasLease);
        Fixture fixture(1);
        const QColor endless = fixture.appearance.theme().endless;
        say(fixture.sequence, 1, 8000ms, QStringLiteral("SET k a NX"));
        const auto ends = hasLease ? at(30min) : base::MonotonicTime::max();
        fixture.sequence.recordKey(0, base::Key("k"), true, 1, at(8001ms), ends);
        QCOMPARE(fixture.pixelsLike(endless), 0);
        fixture.sequence.end(at(9s));
        QTEST(fixture.pixelsLike(endless) > 200, "isStuck");
    }

    void replyThatDidNotArrive_endsInACross()
    {
        Fixture fixture(1);
        const QColor red = fixture.appearance.theme().critical;
        Message message {1,     0, {}, at(9s), at(9001ms), QStringLiteral("INCR n"), base::Text(QLatin1String("?")),
                         false, 1};
        fixture.sequence.add(message);
        QCOMPARE(fixture.pixelsLike(red), 0);
        message.isReplyLost = true;
        fixture.sequence.add(message);
        QVERIFY(fixture.pixelsLike(red) > 20);
    }

    void serverThatIsKilledOrFrozen_isMarked()
    {
        Fixture fixture(1);
        const auto &theme = fixture.appearance.theme();
        fixture.sequence.addServerEvent(0, sequence::ServerEvent::Suspended, at(8s));
        QVERIFY(fixture.pixelsLike(theme.warning) > 200);
        QCOMPARE(fixture.pixelsLike(theme.critical), 0);
        fixture.sequence.addServerEvent(0, sequence::ServerEvent::Killed, at(9s));
        QVERIFY(fixture.pixelsLike(theme.critical) > 200);
    }

    void legend_hasAllSignsWhereItIsNarrow()
    {
        Fixture fixture(1);
        const QFont text = fixture.view().textFont();
        const auto height = [&](double width) { return ui::diagram::DiagramLegend::height(text, width); };
        QCOMPARE(height(10), 4 * height(5000)); // At least one sign per line.
        fixture.panel.resize(300, 420);
        QVERIFY(fixture.view().diagramLayout().legendHeight() > 1.5 * height(5000));
        fixture.view().setScale(4); // The legend must not cover the diagram.
        QVERIFY(fixture.view().diagramLayout().legendHeight() < 7 * height(5000));
    }

    void legend_isSmallWhileTheTextIsLarge()
    {
        Fixture fixture(1);
        fixture.panel.setPresented(true);
        fixture.panel.resize(420, 520);
        const QFont application = QApplication::font();
        for (const double scale : {1.0, 1.5, 2.0, 3.0}) {
            fixture.view().setScale(scale);
            const double usual = ui::diagram::DiagramLegend::height(application, fixture.view().viewport()->width());
            const double most = std::max(usual, fixture.view().viewport()->height() / 6.0);
            const double height = fixture.view().diagramLayout().legendHeight();
            QVERIFY2(height <= most + 1, qPrintable(QStringLiteral("%1: %2 of %3").arg(scale).arg(height).arg(most)));
        }
    }

    void story_isSavedAsConfigured()
    {
        Fixture fixture(1);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("s.json"));
        fixture.panel.setStoryMaker([] { return ui::diagram::StoryFile {"told", {}}; });
        LATCHKEY_VERIFY_RESULT(fixture.panel.saveAs(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("told"));
        // Stories get the name that a double click opens.
        fixture.panel.findChild<QPushButton *>(QStringLiteral("saveDiagram"))->click();
        auto *dialog = fixture.panel.findChild<QFileDialog *>();
        for (const auto &[kind, suffix] : {std::pair("Story (*.json)", "latchkey-story.json"),
                                           std::pair("Image (*.png)", "png"), std::pair("Text (*.txt)", "txt")}) {
            Q_EMIT dialog->filterSelected(QString::fromLatin1(kind));
            QCOMPARE(dialog->defaultSuffix(), QString::fromLatin1(suffix));
        }
        dialog->reject();
        fixture.panel.setStoryMaker([]() -> base::Result<ui::diagram::StoryFile> {
            return base::failure(base::ErrorKind::Usage, base::Text(QStringLiteral("no")));
        });
        QCOMPARE(fixture.panel.saveAs(path).error().message(), QStringLiteral("no"));
    }

    void diagram_followsUntilTheUserScrollsUp()
    {
        Fixture fixture(2);
        for (int i = 0; i < 40; ++i)
            say(fixture.sequence, 1, i * 100ms, QStringLiteral("PING %1").arg(i));
        fixture.settle();
        QScrollBar *bar = fixture.view().verticalScrollBar();
        LATCHKEY_AWAIT(bar->value() == bar->maximum());
        const int before = bar->maximum();
        say(fixture.sequence, 2, 9s, QStringLiteral("PING"));
        fixture.view().refresh();
        LATCHKEY_AWAIT(bar->maximum() > before && bar->value() == bar->maximum());

        QSignalSpy changes(&fixture.view(), &DiagramView::followingChanged);
        QWheelEvent up(QPointF(200, 200), fixture.view().mapToGlobal(QPointF(200, 200)), {}, {0, 120}, Qt::NoButton,
                       Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(fixture.view().viewport(), &up);
        QCOMPARE(changes.size(), 1);
        const int kept = bar->value();
        say(fixture.sequence, 2, 9500ms, QStringLiteral("PONG"));
        const int maximum = bar->maximum();
        fixture.view().refresh();
        LATCHKEY_AWAIT(bar->maximum() > maximum);
        QCOMPARE(bar->value(), kept);
        QTest::keyClick(&fixture.view(), Qt::Key_End);
        QVERIFY(fixture.view().isFollowing());
        QCOMPARE(bar->value(), bar->maximum());
        QTest::mouseClick(fixture.panel.findChild<QPushButton *>(QStringLiteral("followDiagram")), Qt::LeftButton);
        QVERIFY(!fixture.view().isFollowing());
        QTest::keyClick(&fixture.view(), Qt::Key_Home);
        QCOMPARE(bar->value(), 0);
    }

    void zoom_makesAllOfItLarger()
    {
        Fixture fixture(2);
        say(fixture.sequence, 1, 9s, QStringLiteral("PING"));
        const double before = fixture.view().diagramLayout().heightOf(0);
        QWheelEvent turn(QPointF(200, 200), fixture.view().mapToGlobal(QPointF(200, 200)), {}, {0, 240}, Qt::NoButton,
                         Qt::ControlModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(fixture.view().viewport(), &turn);
        QVERIFY(fixture.view().diagramLayout().heightOf(0) > before * 1.2);
        QTest::keyClick(&fixture.view(), Qt::Key_Minus);
        QTest::keyClick(&fixture.view(), Qt::Key_Minus);
        QVERIFY(qAbs(fixture.view().diagramLayout().heightOf(0) - before) < 4);
        for (int i = 0; i < 60; ++i)
            fixture.view().zoom(2);
        QCOMPARE(fixture.view().scale(), 4.0);
    }

    void clickOnAnArrow_showsTheWholeMessage()
    {
        Fixture fixture(2);
        const QString command = QStringLiteral("SET k %1 NX PX 5000").arg(QString(200, u'x'));
        say(fixture.sequence, 1, 9s, command);
        auto *wire = fixture.panel.findChild<QPlainTextEdit *>(QStringLiteral("wholeWire"));
        QVERIFY(!wire->isVisible());
        (void)fixture.picture();
        const DiagramLayout &layout = fixture.view().diagramLayout();
        QTest::mouseClick(
            fixture.view().viewport(), Qt::LeftButton, {},
            QPoint(300, static_cast<int>(layout.headingHeight() + layout.topOf(0) + layout.commandOffset())));
        QVERIFY(wire->isVisible());
        QCOMPARE(wire->toPlainText(), QStringLiteral("client 1\n%1\n\u2192 OK").arg(command));
        say(fixture.sequence, 2, 9500ms, QStringLiteral("GET <b>k</b>"));
        QTest::keyClick(&fixture.view(), Qt::Key_Down);
        QCOMPARE(wire->toPlainText(), QStringLiteral("client 2\nGET <b>k</b>\n\u2192 OK"));
        QVERIFY(fixture.view().accessibleDescription().contains(QStringLiteral("GET <b>k</b>")));
    }

    void chosenLine_staysChosenWhileOlderOnesGo()
    {
        Fixture fixture(1);
        for (std::size_t i = 0; i < Sequence::maxRows; ++i)
            say(fixture.sequence, 1, std::chrono::milliseconds(i), QStringLiteral("PING %1").arg(i));
        QTest::keyClick(&fixture.view(), Qt::Key_Down); // Selects the last row.
        QCOMPARE(fixture.view().current(), std::optional(Sequence::maxRows - 1));
        for (std::size_t i = 0; i < 10; ++i)
            say(fixture.sequence, 1, std::chrono::milliseconds(5000 + i), QStringLiteral("PING"));
        QCOMPARE(fixture.view().current(), std::optional(Sequence::maxRows - 11));
        fixture.panel.refresh();
        bool isSaid = false;
        for (const auto *label : fixture.panel.findChildren<QLabel *>())
            isSaid = isSaid || label->text() == u"The last 4000 lines; 10 earlier ones were discarded.";
        QVERIFY(isSaid);
    }

    void pictures_haveAllOfIt()
    {
        Fixture fixture(2);
        for (int i = 0; i < 60; ++i)
            say(fixture.sequence, 1 + std::size_t(i % 2), i * 100ms, QStringLiteral("SET lock:%1 x NX").arg(i));
        const QTemporaryDir folder;
        const auto path = [&](const char *name) { return folder.filePath(QLatin1String(name)); };
        for (const char *name : {"d.svg", "d.png", "d.txt"})
            LATCHKEY_VERIFY_RESULT(fixture.panel.saveAs(path(name)));
        QFile svg(path("d.svg"));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray drawn = svg.readAll();
        QVERIFY(QSvgRenderer(drawn).isValid());
        QVERIFY(drawn.contains("SET lock:0 x NX") && drawn.contains("SET lock:59 x NX"));
        const QImage png(path("d.png"));
        QVERIFY(png.height() > 2 * 60 * 3 * QFontMetrics(fixture.view().textFont()).height());
        QFile text(path("d.txt"));
        QVERIFY(text.open(QIODevice::ReadOnly));
        QCOMPARE(text.readAll().count('\n'), 60);

        const auto failed = fixture.panel.saveAs(QStringLiteral("/nowhere/d.svg"));
        QVERIFY(!failed && failed.error().message().startsWith(QStringLiteral("cannot write /nowhere/d.svg")));
        for (int i = 0; i < 1000; ++i)
            say(fixture.sequence, 1, 6s + i * 1ms, QStringLiteral("PING %1").arg(i));
        const auto tooHigh = fixture.panel.saveAs(path("e.png"));
        QVERIFY(!tooHigh && tooHigh.error().message().contains(QStringLiteral("save it as SVG")));
        QVERIFY(!QFile::exists(path("e.png")));
    }

    void names_arePaintedForNewClientsAndNotWithEachLine()
    {
        Fixture fixture(20);
        for (int i = 0; i < 40; ++i)
            say(fixture.sequence, 1, i * 100ms, QStringLiteral("PING %1").arg(i));
        fixture.settle();
        struct Painted final : QObject
        {
            bool eventFilter(QObject *, QEvent *event) override
            {
                if (event->type() == QEvent::Paint)
                    region += static_cast<QPaintEvent *>(event)->region();
                return false;
            }
            QRegion region;
        } painted;
        const QWidget &viewport = *fixture.view().viewport();
        const double heading = fixture.view().diagramLayout().headingHeight();
        LATCHKEY_AWAIT(viewport.isVisible() && fixture.panel.windowHandle()->isExposed());
        fixture.view().viewport()->installEventFilter(&painted);
        // Waits for earlier repaints.
        fixture.clock.advance(50s);
        LATCHKEY_AWAIT(!painted.region.isEmpty());
        painted.region = {};
        say(fixture.sequence, 2, 60s, QStringLiteral("PONG"));
        fixture.view().refresh();
        LATCHKEY_AWAIT(!painted.region.isEmpty());
        const QRect line = painted.region.boundingRect();
        QVERIFY2(line.top() > heading, qPrintable(QString::number(line.top())));
        QVERIFY(line.bottom() < viewport.height() - fixture.view().diagramLayout().legendHeight());

        fixture.sequence.removeClient(3, at(61s));
        fixture.view().refresh();
        LATCHKEY_AWAIT(painted.region.boundingRect() == viewport.rect());
        QScrollBar *across = fixture.view().horizontalScrollBar();
        QVERIFY(across->maximum() > 0);
        painted.region = {};
        across->setValue(across->maximum());
        LATCHKEY_AWAIT(painted.region.boundingRect() == viewport.rect());

        // The partial paintings equal a complete painting.
        fixture.clock.advance(1h);
        int turns = 0;
        QTimer timer;
        timer.callOnTimeout([&] { ++turns; });
        timer.start(10ms);
        LATCHKEY_AWAIT(
            (painted.region = {}, turns = 0, test::waitFor([&] { return turns > 20; }), painted.region.isEmpty()));
        const QImage shown = fixture.panel.screen()->grabWindow(fixture.panel.winId()).toImage();
        QVERIFY(!shown.isNull());
        const QImage whole = fixture.panel.grab().toImage();
        QCOMPARE(shown.convertToFormat(QImage::Format_RGB32), whole.convertToFormat(QImage::Format_RGB32));
    }

    void hiddenDiagram_paintsNothing()
    {
        Fixture fixture(1);
        say(fixture.sequence, 1, 9900ms, QStringLiteral("PING"));
        struct Painted final : QObject
        {
            bool eventFilter(QObject *, QEvent *event) override
            {
                count += event->type() == QEvent::Paint ? 1 : 0;
                return false;
            }
            int count = 0;
        } painted;
        fixture.view().viewport()->installEventFilter(&painted);
        fixture.view().refresh();
        LATCHKEY_AWAIT(painted.count > 3); // The time moves the diagram.
        fixture.panel.hide();
        painted.count = 0;
        int turns = 0;
        QTimer timer;
        timer.callOnTimeout([&] { ++turns; });
        timer.start(10ms);
        fixture.view().refresh();
        LATCHKEY_AWAIT(turns > 20);
        QCOMPARE(painted.count, 0);
        fixture.panel.show();
        LATCHKEY_AWAIT(painted.count > 0);
        fixture.clock.advance(50s); // The largest height without a new event.
        LATCHKEY_AWAIT((painted.count = 0, turns = 0, test::waitFor([&] { return turns > 20; }), painted.count == 0));
    }
};

LATCHKEY_WINDOW_TEST(TestDiagram)

} // namespace tst_diagram

#include "tst_diagram.moc"

#include "tests/support/await.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"
#include "ui/views/timeline/lanepainter.h"
#include "ui/views/timeline/timelineview.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

namespace tst_timeline {

using namespace latchkey;
using namespace latchkey::ui::timeline;
namespace theme = latchkey::ui::theme;
using events::Ending;
using events::KeyEvent;
using history::History;
using history::Hold;
using Type = KeyEvent::Type;
using namespace std::chrono_literals;

namespace {

keys::RawValue string(const QByteArray &value)
{
    return {keys::KeyType::String, value.size(), {value}};
}

/// Counts the paint events of a widget.
class Paints final : public QObject
{
public:
    explicit Paints(QWidget &widget) { widget.installEventFilter(this); }

    int count = 0;

private:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        count += event->type() == QEvent::Paint;
        return QObject::eventFilter(watched, event);
    }
};

} // namespace

class TestTimeline final : public QObject
{
    Q_OBJECT

    test::ManualClock clock;
    std::unique_ptr<theme::Appearance> appearance;
    std::unique_ptr<History> history;
    std::unique_ptr<TimelineView> view;

    void happens(Type what, const QByteArray &key, const QByteArray &holder = {}, Ending ending = Ending::None)
    {
        KeyEvent keyEvent;
        keyEvent.key = key;
        keyEvent.type = what;
        keyEvent.ending = ending;
        keyEvent.notBefore = clock.now() - 1ms;
        keyEvent.notAfter = clock.now();
        keyEvent.source = events::Source::Notification;
        if (what != Type::Ended) {
            keyEvent.deadline = base::Deadline(clock.now() + 10s, 1ms);
            keyEvent.after = string(holder);
        }
        history->take(keyEvent);
    }
    void hold(const QByteArray &key, const QByteArray &holder, std::chrono::milliseconds time,
              Ending ending = Ending::Deleted)
    {
        happens(Type::Appeared, key, holder);
        clock.advance(time);
        happens(Type::Ended, key, {}, ending);
    }
    void show()
    {
        view = std::make_unique<TimelineView>(*history, clock, *appearance);
        view->resize(900, 260);
        view->show();
        QVERIFY(QTest::qWaitForWindowExposed(view.get()));
        (void)view->grab(); // The lanes are collected while painting.
    }
    void key(Qt::Key which) { QTest::keyClick(view.get(), which); }
    void wheel(QPoint turned, Qt::KeyboardModifiers modifiers)
    {
        const QPointF middle(view->viewport()->width() / 2.0, 100);
        QWheelEvent event(middle, view->viewport()->mapToGlobal(middle), {}, turned, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view->viewport(), &event);
    }

private Q_SLOTS:
    void initTestCase() { appearance = std::make_unique<theme::Appearance>(*qApp); }
    void init()
    {
        history = std::make_unique<History>(
            [](const QByteArray &, const keys::RawValue &value) { return std::optional(value.bytes()); });
    }
    void cleanup()
    {
        view.reset();
        history.reset();
    }

    /// The lane of the selected lock is scrolled into view once; the user can scroll elsewhere afterwards.
    void chosenLock_isScrolledTo()
    {
        for (int i = 0; i < 60; ++i)
            hold("lock:" + QByteArray::number(100 + i), "a", 10ms);
        show();
        QScrollBar *bar = view->verticalScrollBar();
        QCOMPARE(bar->value(), 0);
        view->setChosenKey(QByteArray("lock:150"));
        const int there = bar->value();
        QVERIFY2(there > 0 && there < bar->maximum(), QByteArray::number(there).constData());
        bar->setValue(0);
        hold("lock:000", "a", 10ms);
        (void)view->grab();
        QCOMPARE(bar->value(), 0);
        // A lock without a hold is scrolled to when its first hold appears.
        view->setChosenKey(QByteArray("lock:999"));
        QCOMPARE(bar->value(), 0);
        hold("lock:999", "a", 10ms);
        (void)view->grab();
        QCOMPARE(bar->value(), bar->maximum());
        view->setChosenKey(std::nullopt);
        QCOMPARE(bar->value(), bar->maximum());
    }

    void scale_keepsTheTimeUnderThePointer()
    {
        TimeScale scale(clock.now(), 10ms);
        const auto time = scale.timeAt(300);
        QCOMPARE(time - clock.now(), 3s);
        scale.zoom(4, 300);
        QVERIFY(qAbs(scale.xAt(time) - 300) < 0.01);
        QCOMPARE(scale.perPixel(), std::chrono::nanoseconds(2'500'000));
        scale.scroll(100);
        QVERIFY(qAbs(scale.xAt(time) - 200) < 0.01);
        for (int i = 0; i < 100; ++i)
            scale.zoom(10, 300);
        QCOMPARE(scale.perPixel(), TimeScale::finest);
        for (int i = 0; i < 100; ++i)
            scale.zoom(0.1, 300);
        QCOMPARE(scale.perPixel(), TimeScale::coarsest);
    }

    void scaleSteps_readWell_data()
    {
        QTest::addColumn<qint64>("microsecondsPerPixel");
        QTest::addColumn<qint64>("step");
        QTest::addRow("milliseconds") << qint64(50) << qint64(5);
        QTest::addRow("seconds") << qint64(50'000) << qint64(5000);
        QTest::addRow("minutes") << qint64(1'000'000) << qint64(120'000);
        QTest::addRow("hours") << qint64(60'000'000) << qint64(7'200'000);
    }
    void scaleSteps_readWell()
    {
        QFETCH(qint64, microsecondsPerPixel);
        QFETCH(qint64, step);
        QCOMPARE(TimeScale(clock.now(), std::chrono::microseconds(microsecondsPerPixel)).step(90),
                 std::chrono::milliseconds(step));
    }

    /// Thousands of holds need no more boxes than there are pixels.
    void narrowHolds_areJoined()
    {
        for (int i = 0; i < 900; ++i)
            hold("k", QByteArray::number(i), 1ms);
        const auto &holds = history->holds({"k", 0});
        QVERIFY(layOut(holds, 100ms).size() <= 10);
        const auto fine = layOut(holds, 50us);
        QCOMPARE(fine.size(), std::size_t(900));
        std::size_t all = 0;
        for (const LaneBox &box : layOut(holds, 10ms))
            all += box.count;
        QCOMPARE(all, std::size_t(900));
    }

    void boxesOnScreen_areFound()
    {
        const auto start = clock.now();
        for (int i = 0; i < 10; ++i) {
            hold("k", "a", 500ms);
            clock.advance(500ms);
        }
        const auto boxes = layOut(history->holds({"k", 0}), 1ms);
        QCOMPARE(visibleBoxes(boxes, start + 2600ms, start + 4100ms), std::pair(std::size_t(3), std::size_t(5)));
        QCOMPARE(visibleBoxes(boxes, start - 5s, start - 1s), std::pair(std::size_t(0), std::size_t(0)));
        happens(Type::Appeared, "k", "b"); // This hold does not end.
        const auto more = layOut(history->holds({"k", 0}), 1ms);
        QCOMPARE(visibleBoxes(more, start + 1h, start + 2h), std::pair(std::size_t(10), std::size_t(11)));
    }

    void endMarks_differByCause()
    {
        QList<EndMark> marks;
        for (const Ending ending :
             {Ending::Deleted, Ending::Expired, Ending::Evicted, Ending::Flushed, Ending::Unknown}) {
            hold("k", "a", 1s, ending);
            const EndMark mark = endMark(history->holds({"k", 0}).back());
            QVERIFY(!marks.contains(mark));
            QVERIFY(!endMarkText(mark).isEmpty());
            marks += mark;
        }
        Hold ours = history->holds({"k", 0}).front();
        ours.endSource = events::Source::OwnCommand;
        QVERIFY(!marks.contains(endMark(ours)));
        // The marks differ in shape: no two are equal in black and white.
        QList<QImage> pictures;
        for (const EndMark mark : marks) {
            QImage picture(24, 24, QImage::Format_Grayscale8);
            picture.fill(Qt::white);
            QPainter painter(&picture);
            paintEndMark(painter, mark, {12, 12}, 12, theme::theme(theme::Scheme::Light));
            painter.end();
            QVERIFY(!pictures.contains(picture));
            pictures += picture;
        }
    }

    void holdsThatOverlap_areRed()
    {
        happens(Type::Appeared, "k", "ann");
        clock.advance(20s);
        const auto redIn = [](const QImage &picture) {
            const QColor red = theme::theme(theme::Scheme::Light).critical;
            int count = 0;
            for (int y = 0; y < picture.height(); ++y) {
                for (int x = 0; x < picture.width(); ++x)
                    count += picture.pixelColor(x, y) == red ? 1 : 0;
            }
            return count;
        };
        appearance->setMode(theme::Appearance::Mode::Light);
        show();
        QCOMPARE(redIn(view->grab().toImage()), 0);
        happens(Type::HandedOver, "k", "bob");
        clock.advance(5s);
        QVERIFY(redIn(view->grab().toImage()) > 100);
    }

    void keyboard_reachesEverything()
    {
        hold("a", "ann", 2s);
        clock.advance(1s);
        hold("a", "bob", 2s);
        hold("b", "cat", 2s);
        show();
        const QSignalSpy chosen(view.get(), &TimelineView::holdChosen);
        key(Qt::Key_Enter);
        QCOMPARE(chosen.count(), 0);
        key(Qt::Key_Down);
        QVERIFY(view->current());
        QCOMPARE(view->current()->key, QByteArray("a"));
        key(Qt::Key_Left);
        QCOMPARE(*view->current()->holder, QByteArray("ann"));
        key(Qt::Key_Left); // There is no earlier hold.
        QCOMPARE(*view->current()->holder, QByteArray("ann"));
        key(Qt::Key_Right);
        QCOMPARE(*view->current()->holder, QByteArray("bob"));
        QVERIFY(view->accessibleDescription().contains(QStringLiteral("bob")));
        key(Qt::Key_Down);
        QCOMPARE(view->current()->key, QByteArray("b"));
        key(Qt::Key_Up);
        QCOMPARE(view->current()->key, QByteArray("a"));
        key(Qt::Key_Enter);
        QCOMPARE(chosen.count(), 1);
        const auto before = view->scale().perPixel();
        key(Qt::Key_Plus);
        QVERIFY(view->scale().perPixel() < before);
        key(Qt::Key_Minus);
        key(Qt::Key_Minus);
        QVERIFY(view->scale().perPixel() > before);
        QVERIFY(view->isFollowing());
        key(Qt::Key_Home);
        QVERIFY(!view->isFollowing());
        const auto left = view->scale().left();
        key(Qt::Key_PageDown);
        QVERIFY(view->scale().left() > left);
        key(Qt::Key_End);
        QVERIFY(view->isFollowing());
    }

    /// The text addresses the user of this program as the author of the change.
    void ownChange_isLabelled()
    {
        happens(Type::Appeared, "lock", "ann");
        clock.advance(2s);
        const auto act = [this](history::OwnChange::Kind kind, std::optional<base::Deadline> end) {
            history->addOwnChange({"lock", 0}, {kind, {clock.now() - 1ms, clock.now()}, end});
        };
        act(history::OwnChange::Kind::ExpirySet, base::Deadline(clock.now() + 60s, 1ms));
        clock.advance(1s);
        happens(Type::Ended, "lock", {}, Ending::Deleted);
        act(history::OwnChange::Kind::Released, std::nullopt);
        show();
        key(Qt::Key_Down);
        key(Qt::Key_Left);
        const QString said = view->accessibleDescription();
        QVERIFY2(said.contains(QStringLiteral(": expiry set here to ")), qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("\nreleased here")), qPrintable(said));
        QVERIFY2(!said.contains(QStringLiteral("Extended")), qPrintable(said));
    }

    void click_choosesTheHoldUnderIt()
    {
        hold("a", "ann", 3s);
        clock.advance(3s);
        happens(Type::Appeared, "a", "bob");
        clock.advance(5s);
        show();
        view->showAll();
        (void)view->grab();
        const QSignalSpy chosen(view.get(), &TimelineView::holdChosen);
        const auto at = [&](std::chrono::milliseconds ago) {
            const int names = std::clamp(view->viewport()->width() / 5, 90, 240);
            return QPoint(names + static_cast<int>(view->scale().xAt(clock.now() - ago)), 45);
        };
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, at(1s));
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(*chosen[0][0].value<Hold>().holder, QByteArray("bob"));
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, at(9s));
        QCOMPARE(*chosen[1][0].value<Hold>().holder, QByteArray("ann"));
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, at(7s)); // No client held the lock at that time.
        QCOMPARE(chosen.count(), 2);
    }

    void wheel_scrollsAndZooms()
    {
        for (int i = 0; i < 30; ++i)
            hold("lock:" + QByteArray::number(i), "ann", 1s);
        show();
        const auto perPixel = view->scale().perPixel();
        wheel({0, 120}, Qt::ControlModifier);
        QVERIFY(view->scale().perPixel() < perPixel);
        QVERIFY(view->isFollowing());
        wheel({0, -120}, {});
        QVERIFY(view->verticalScrollBar()->value() > 0);
        const auto left = view->scale().left();
        wheel({0, 120}, Qt::ShiftModifier);
        QVERIFY(view->scale().left() < left);
        QVERIFY(!view->isFollowing());
    }

    void hostileNames_arePlainText()
    {
        hold("<img src='x'>", "<b>bold</b>", 20s);
        show();
        view->showAll();
        (void)view->grab();
        QHelpEvent help(QEvent::ToolTip, {500, 45}, view->viewport()->mapToGlobal(QPoint(500, 45)));
        QApplication::sendEvent(view->viewport(), &help);
        QVERIFY(QToolTip::text().contains(QStringLiteral("&lt;b&gt;bold")));
        QVERIFY(!QToolTip::text().contains(QStringLiteral("<img")));
        QToolTip::hideText();
    }

    void manyLanesAndHolds_arePaintedInNoTime()
    {
        for (int lane = 0; lane < 200; ++lane) {
            for (int i = 0; i < 500; ++i) {
                clock.advance(1ms);
                hold("lock:" + QByteArray::number(lane), QByteArray::number(i % 7), 2ms);
            }
        }
        QCOMPARE(history->holdCount(), std::size_t(100'000));
        show();
        view->showAll();
        (void)view->grab();
        QElapsedTimer timer;
        timer.start();
        constexpr int frames = 20;
        for (int i = 0; i < frames; ++i) {
            view->zoom(i % 2 == 0 ? 1.25 : 0.8); // Each frame needs a new layout.
            (void)view->grab();
        }
        qInfo("%.2f ms a frame", static_cast<double>(timer.elapsed()) / frames);
        QVERIFY2(timer.elapsed() < frames * 200, "it is painted in proportion to all there is, not to what is seen");
    }

    /// A paused recording causes no repaints.
    void timeThatStandsStill_isNotPainted()
    {
        show();
        hold("k", "ann", 1s);
        Paints paints(*view->viewport());
        LATCHKEY_AWAIT(paints.count > 0);
        const auto looked = [](int times) {
            int looks = 0;
            QTimer look;
            connect(&look, &QTimer::timeout, &look, [&] { ++looks; });
            look.start(40ms); // Slightly longer than the interval of the view.
            return test::waitFor([&] { return looks >= times; });
        };
        QVERIFY(looked(3)); // Earlier repaints are over.
        paints.count = 0;
        QVERIFY(looked(10));
        QCOMPARE(paints.count, 0);
        clock.advance(1s);
        LATCHKEY_AWAIT(paints.count > 0);
    }

    void emptyHistory_isReported()
    {
        show();
        key(Qt::Key_Down);
        key(Qt::Key_Right);
        key(Qt::Key_Home);
        key(Qt::Key_Enter);
        QVERIFY(!view->current());
        hold("k", "ann", 1s);
        (void)view->grab();
        key(Qt::Key_Down);
        QVERIFY(view->current());
    }

    /// With LATCHKEY_PICTURES=FOLDER, saves pictures for visual checks.
    void pictures_areTaken()
    {
        const QString folder = qEnvironmentVariable("LATCHKEY_PICTURES");
        if (folder.isEmpty())
            QSKIP("only where LATCHKEY_PICTURES names a folder");
        const QList<QByteArray> keys {"lock:import:customers", "lock:orders", "lock:report", "lock:sync:7"};
        for (int round = 0; round < 6; ++round) {
            happens(Type::Appeared, keys[1], "worker-" + QByteArray::number(round % 3));
            for (int i = 0; i < round; ++i) {
                clock.advance(900ms);
                KeyEvent renewed;
                renewed.key = keys[1];
                renewed.type = Type::Renewed;
                renewed.notBefore = renewed.notAfter = clock.now();
                history->take(renewed);
            }
            clock.advance(1200ms);
            const Ending endings[] {Ending::Deleted, Ending::Expired, Ending::Flushed, Ending::Evicted,
                                    Ending::Unknown};
            happens(Type::Ended, keys[1], {}, endings[round % 5]);
            clock.advance(400ms);
            hold(keys[3], "f442172cd0841b68", 800ms, round == 2 ? Ending::Expired : Ending::Deleted);
            if (round == 1) {
                history->setObserving(false, clock.now());
                clock.advance(2s);
                history->setObserving(true, clock.now());
            }
        }
        happens(Type::Appeared, keys[0], "importer@host-4");
        happens(Type::Appeared, keys[2], "1760000000");
        clock.advance(3s);
        happens(Type::HandedOver, keys[2], "1760000031");
        clock.advance(4s);
        show();
        view->showAll();
        for (const auto mode : {theme::Appearance::Mode::Light, theme::Appearance::Mode::Dark}) {
            appearance->setMode(mode);
            const QString name =
                mode == theme::Appearance::Mode::Dark ? QStringLiteral("dark") : QStringLiteral("light");
            QVERIFY(view->grab().save(QStringLiteral("%1/timeline-%2.png").arg(folder, name)));
        }
    }
};

LATCHKEY_WINDOW_TEST(TestTimeline)

} // namespace tst_timeline

#include "tst_timeline.moc"

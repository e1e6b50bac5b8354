#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QMenu>
#include <QTest>
#include <QToolButton>

#include <algorithm>

namespace tst_keyboardwalk {

using namespace latchkey;
using test::MainWindowFixture;
using test::TestServer;

namespace {

/// More stops than any page has.
constexpr int mostStops = 120;

/// Room around a widget for its focus frame, in pixels.
constexpr int frameRoom = 4;

QString nameOf(const QWidget &widget)
{
    QString name = widget.objectName();
    for (const QWidget *up = &widget; name.isEmpty() && up != nullptr; up = up->parentWidget())
        name = up->objectName();
    return QStringLiteral("%1 %2").arg(QLatin1String(widget.metaObject()->className()), name);
}

QImage pictureOf(MainWindowFixture &fixture, const QRect &rect)
{
    return fixture.window.grab(rect).toImage();
}

} // namespace

/// Walks through every page with Tab and Shift+Tab.
class TestKeyboardWalk final : public QObject
{
    Q_OBJECT

    MainWindowFixture *m_fixture = nullptr; // Not owned.

    [[nodiscard]] QRect placeOf(const QWidget &widget) const
    {
        return {widget.mapTo(&m_fixture->window, QPoint()), widget.size()};
    }

    /// Presses the key until the focus returns to the first stop.
    QList<QWidget *> walk(Qt::Key key, Qt::KeyboardModifiers modifiers) const
    {
        QList<QWidget *> stops;
        QWidget *at = m_fixture->window.focusWidget();
        while (at != nullptr && !stops.contains(at) && stops.size() < mostStops) {
            stops += at;
            QTest::keyClick(at, key, modifiers);
            at = m_fixture->window.focusWidget();
        }
        return stops.isEmpty() || at != stops.first() ? QList<QWidget *>() : stops;
    }

    [[nodiscard]] QString problemOf(QWidget &stop) const
    {
        if (!stop.isVisible() || !stop.isEnabled() || stop.visibleRegion().boundingRect().isEmpty())
            return QStringLiteral("cannot be seen");
        const QAccessibleInterface *accessible = QAccessible::queryAccessibleInterface(&stop);
        if (accessible == nullptr || accessible->text(QAccessible::Name).trimmed().isEmpty())
            return QStringLiteral("has no accessible name");
        const QRect rect = placeOf(stop).adjusted(-frameRoom, -frameRoom, frameRoom, frameRoom);
        stop.setFocus(Qt::TabFocusReason);
        const QImage with = pictureOf(*m_fixture, rect);
        stop.clearFocus();
        return with == pictureOf(*m_fixture, rect) ? QStringLiteral("shows no focus") : QString();
    }

    /// Widgets of one parent are visited from top to bottom, and in a line from left to right.
    [[nodiscard]] QStringList orderProblems(const QList<QWidget *> &stops) const
    {
        QStringList problems;
        QHash<const QWidget *, QWidget *> last;
        for (QWidget *stop : stops) {
            if (const QWidget *before = last.value(stop->parentWidget())) {
                const QRect from = placeOf(*before);
                const QRect to = placeOf(*stop);
                const bool isSameLine = from.top() <= to.center().y() && to.center().y() <= from.bottom();
                if (isSameLine ? from.left() >= to.left() : from.top() >= to.top())
                    problems += nameOf(*before) + QStringLiteral(" is before ") + nameOf(*stop);
            }
            last[stop->parentWidget()] = stop;
        }
        return problems;
    }

    void checkPage() const
    {
        QCoreApplication::processEvents();
        const QList<QWidget *> stops = walk(Qt::Key_Tab, Qt::NoModifier);
        QVERIFY2(!stops.isEmpty(), qPrintable(QStringLiteral("a trap at ") + nameOf(*m_fixture->window.focusWidget())));
        QList<QWidget *> back = walk(Qt::Key_Backtab, Qt::ShiftModifier);
        QVERIFY(!back.isEmpty());
        std::reverse(back.begin() + 1, back.end());
        QCOMPARE(back, stops);
        QStringList problems = orderProblems(stops);
        for (const QWidget *control : m_fixture->window.findChildren<QWidget *>()) {
            const bool isStop = control->isVisible() && control->isEnabled() && control->focusProxy() == nullptr
                             && (control->focusPolicy() & Qt::TabFocus) != 0 && control->window() == &m_fixture->window;
            if (isStop && !stops.contains(control))
                problems += nameOf(*control) + QStringLiteral(" is left out");
        }
        for (QWidget *stop : stops) {
            if (const QString problem = problemOf(*stop); !problem.isEmpty())
                problems += nameOf(*stop) + u' ' + problem;
        }
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
    }

private Q_SLOTS:
    void page_isWalkedThrough_data()
    {
        QTest::addColumn<QByteArray>("page");
        QTest::addColumn<QByteArray>("part");
        QTest::newRow("inspector") << QByteArray("inspectorButton") << QByteArray();
        QTest::newRow("playground") << QByteArray("playgroundButton") << QByteArray();
        QTest::newRow("stories") << QByteArray("storiesButton") << QByteArray();
        QTest::newRow("race finder, story") << QByteArray("storiesButton") << QByteArray("findRace");
        QTest::newRow("race finder, program") << QByteArray("storiesButton") << QByteArray("exploreProgram");
        QTest::newRow("lab, experiment") << QByteArray("labButton") << QByteArray("labExperiment");
        QTest::newRow("lab, expectations") << QByteArray("labButton") << QByteArray("labExpectations");
        QTest::newRow("lab, forecast") << QByteArray("labButton") << QByteArray("labForecast");
    }
    void page_isWalkedThrough()
    {
        QFETCH(QByteArray, page);
        QFETCH(QByteArray, part);
        TestServer server;
        QVERIFY(server({"SET", "mutex:search-index", "1"}).isOk());
        QVERIFY(server({"SET", "colour", "red"}).isOk());
        MainWindowFixture fixture;
        m_fixture = &fixture;
        fixture.window.resize(1280, 720);
        QVERIFY(QTest::qWaitForWindowExposed(&fixture.window));
        openServer(fixture, server.endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 2);
        QTest::mouseClick(&fixture.widget<QToolButton>(page.constData()), Qt::LeftButton);
        if (const QMenu *menu = part.isEmpty() ? nullptr : fixture.button(part.constData()).menu())
            menu->actions().front()->trigger();
        else if (!part.isEmpty())
            fixture.click(part.constData());
        fixture.widget<QToolButton>("mainMenu").setFocus(Qt::TabFocusReason);
        checkPage();
    }
};

LATCHKEY_WINDOW_TEST(TestKeyboardWalk)

} // namespace tst_keyboardwalk

#include "tst_keyboardwalk.moc"

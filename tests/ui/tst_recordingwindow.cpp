#include "tests/support/recordedsession.h"
#include "tests/support/testprogram.h"
#include "ui/kit/i18n/languageswitcher.h"
#include "ui/pages/recording/recordingwindow.h"
#include "ui/pages/recording/timeslider.h"
#include "ui/views/keytable/keytableview.h"
#include "ui/views/timeline/timelineview.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QTest>

namespace tst_recordingwindow {

using namespace latchkey;
using test::RecordedSession;
using ui::keytable::KeyTableModel;
using ui::keytable::KeyTableView;
using ui::recording::Playback;
using ui::recording::RecordingWindow;
using ui::recording::TimeSlider;
using ui::widgets::Pill;
using namespace std::chrono_literals;

namespace {

/// A recording window, paused at the start.
class Fixture final
{
public:
    explicit Fixture(const QString &path)
    {
        window.resize(1280, 800); // Independent of the screen size.
        window.show();
        window.activateWindow();
        if (const auto opened = window.open(path); !opened)
            error = opened.error().message();
        else
            playback().setPlaying(false);
    }

    template<typename Widget>
    [[nodiscard]] Widget &widget(const char *name) const
    {
        auto *found = window.findChild<Widget *>(QString::fromLatin1(name));
        if (found == nullptr)
            qFatal("the window has no %s", name);
        return *found;
    }
    void click(const char *name) const { QTest::mouseClick(&widget<QPushButton>(name), Qt::LeftButton); }
    [[nodiscard]] Playback &playback() { return window.playback(); }
    [[nodiscard]] inspection::InspectedServer &server() { return playback().replay()->server(); }
    [[nodiscard]] KeyTableView &table() const { return widget<KeyTableView>("leaseTable"); }
    [[nodiscard]] TimeSlider &slider() const { return widget<TimeSlider>("transportTime"); }
    [[nodiscard]] bool has(const QByteArray &key) const { return rowOf(key) >= 0; }
    [[nodiscard]] int rowOf(const QByteArray &key) const
    {
        for (int row = 0; row < table().model()->rowCount(); ++row) {
            if (table().model()->index(row, 0).data(KeyTableModel::KeyRole).toByteArray() == key)
                return row;
        }
        return -1;
    }
    [[nodiscard]] QString cell(const QByteArray &key, int column) const
    {
        return table().model()->index(rowOf(key), column).data().toString();
    }
    [[nodiscard]] QString label(const char *testName) const
    {
        for (const QLabel *label : window.findChildren<QLabel *>()) {
            if (label->property("testName").toString() == QLatin1String(testName))
                return label->text();
        }
        return {};
    }
    [[nodiscard]] QString banner() const
    {
        for (auto *shown : window.findChildren<ui::widgets::Banner *>()) {
            if (shown->isVisible())
                return shown->text();
        }
        return {};
    }
    [[nodiscard]] bool arrives(std::chrono::nanoseconds position)
    {
        playback().seek(position);
        return test::waitFor([&] { return !playback().isSeeking(); });
    }

    QString error;
    ui::theme::Appearance appearance {*qobject_cast<QApplication *>(QCoreApplication::instance())};
    RecordingWindow window {appearance};
};

} // namespace

/// Tests of a recording of a real server in the real window, without the server.
class TestRecordingWindow final : public QObject
{
    Q_OBJECT

    std::unique_ptr<RecordedSession> session;
    QTemporaryDir folder;

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("LATCHKEY_DIALECTS", folder.filePath(QStringLiteral("dialects.json")).toUtf8());
        session = std::make_unique<RecordedSession>();
        QVERIFY(session->isMade);
    }

    void eachTime_showsWhatWasThereThen()
    {
        Fixture fixture(session->path());
        QVERIFY(fixture.arrives(session->held));
        LATCHKEY_AWAIT(fixture.has("lock:a") && !fixture.has("lock:b") && !fixture.has("lock:c"));
        LATCHKEY_AWAIT(fixture.cell("lock:a", KeyTableModel::ValueColumn) == QString::fromLatin1(session->token));
        const QString left = fixture.cell("lock:a", KeyTableModel::TimeLeftColumn);
        QCOMPARE(left, QStringLiteral("59 s")); // The TTL at the time of the recording.
        LATCHKEY_AWAIT(fixture.widget<QPushButton>("showLocks").text() == u"Locks 1");
        QCOMPARE(fixture.widget<QPushButton>("showFindings").text(), QStringLiteral("Findings"));

        QVERIFY(fixture.arrives(session->released));
        LATCHKEY_AWAIT(!fixture.has("lock:a")
                       && fixture.label("goneSummary").contains(QStringLiteral("lock:a removed")));

        QVERIFY(fixture.arrives(session->expired));
        LATCHKEY_AWAIT(fixture.label("goneSummary").contains(QStringLiteral("lock:b expired")));

        QVERIFY(fixture.arrives(session->ended));
        LATCHKEY_AWAIT(fixture.has("lock:c") && fixture.widget<QPushButton>("showFindings").text() != u"Findings");

        // Later events are unknown again after going back.
        QVERIFY(fixture.arrives(session->held));
        LATCHKEY_AWAIT(fixture.has("lock:a") && !fixture.has("lock:c"));
        LATCHKEY_AWAIT(fixture.widget<QPushButton>("showFindings").text() == u"Findings");
        QVERIFY(!fixture.label("goneSummary").contains(QStringLiteral("lock:b")));
    }

    void historyAndDetails_areThoseOfThatTime()
    {
        Fixture fixture(session->path());
        fixture.click("showDetails");
        QVERIFY(fixture.arrives(session->held));
        LATCHKEY_AWAIT(fixture.has("lock:a"));
        fixture.table().selectRow(fixture.rowOf("lock:a"));
        const auto holds = [&](const char *key) { return fixture.server().holds().history().holds({key, 0}); };
        QCOMPARE(holds("lock:a").size(), 1U);
        QVERIFY(!holds("lock:a").back().isOver());
        QVERIFY(fixture.window.findChild<ui::timeline::TimelineView *>() != nullptr);
        QVERIFY(fixture.arrives(session->released));
        QVERIFY(holds("lock:a").back().isOver());
        QCOMPARE(holds("lock:a").back().ending, events::Ending::Removed); // The recording does not contain how the
                                                                          // lock ended.
        QVERIFY(fixture.arrives(session->held));
        QVERIFY(!holds("lock:a").back().isOver());
        QVERIFY(fixture.window.findChild<ui::timeline::TimelineView *>() != nullptr);
    }

    void chosenKeyAndOrder_staySo()
    {
        Fixture fixture(session->path());
        QVERIFY(fixture.arrives(session->held));
        LATCHKEY_AWAIT(fixture.has("lock:a"));
        fixture.table().sortByColumn(KeyTableModel::KeyColumn, Qt::DescendingOrder);
        fixture.table().selectRow(fixture.rowOf("lock:a"));
        QVERIFY(fixture.arrives(session->ended));
        LATCHKEY_AWAIT(!fixture.has("lock:a"));
        QVERIFY(fixture.arrives(session->held));
        LATCHKEY_AWAIT(fixture.has("lock:a"));
        LATCHKEY_AWAIT(fixture.table().selectionModel()->isRowSelected(fixture.rowOf("lock:a")));
        QCOMPARE(fixture.table().horizontalHeader()->sortIndicatorSection(), int(KeyTableModel::KeyColumn));
        QCOMPARE(fixture.table().horizontalHeader()->sortIndicatorOrder(), Qt::DescendingOrder);
    }

    void playing_continuesToTheEndAndRestarts()
    {
        Fixture fixture(session->path());
        auto &play = fixture.widget<QPushButton>("transportPlay");
        auto &speed = fixture.widget<QComboBox>("transportSpeed");
        QCOMPARE(play.text(), QStringLiteral("Play"));
        QCOMPARE(speed.currentText(), QStringLiteral("1\u00D7"));
        speed.setCurrentIndex(speed.count() - 1);
        Q_EMIT speed.activated(speed.currentIndex());
        QCOMPARE(fixture.playback().speed(), 100.0);
        fixture.click("transportPlay");
        QCOMPARE(play.text(), QStringLiteral("Pause"));
        LATCHKEY_AWAIT(fixture.playback().replay()->isAtEnd());
        QCOMPARE(play.text(), QStringLiteral("Play"));
        QCOMPARE(fixture.slider().value(), fixture.slider().maximum());
        QVERIFY(fixture.has("lock:c"));
        QVERIFY(fixture.banner().isEmpty()); // The recording was ended normally, not cut off.

        speed.setCurrentIndex(0);
        Q_EMIT speed.activated(0);
        fixture.click("transportPlay");
        QVERIFY(fixture.playback().isPlaying() && !fixture.playback().replay()->isAtEnd());
        const auto before = fixture.playback().position();
        LATCHKEY_AWAIT(fixture.playback().position() > before);
        fixture.click("transportPlay");
        QVERIFY(!fixture.playback().isPlaying());
        fixture.click("transportStart");
        LATCHKEY_AWAIT(fixture.playback().position() == 0ns);
    }

    void slider_goesWhereItIsSent()
    {
        Fixture fixture(session->path());
        TimeSlider &slider = fixture.slider();
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window));
        QVERIFY(slider.hasFocus());
        QTest::keyClick(&slider, Qt::Key_End);
        LATCHKEY_AWAIT(fixture.playback().replay()->isAtEnd());
        QTest::keyClick(&slider, Qt::Key_Home);
        LATCHKEY_AWAIT(fixture.playback().position() == 0ns);
        QTest::keyClick(&slider, Qt::Key_Right);
        LATCHKEY_AWAIT(fixture.playback().position() == std::chrono::milliseconds(slider.singleStep()));
        QTest::keyClick(&fixture.window, Qt::Key_Right, Qt::ControlModifier);
        LATCHKEY_AWAIT(fixture.playback().position() == std::chrono::milliseconds(2 * slider.singleStep()));
        QTest::keyClick(&fixture.window, Qt::Key_Left, Qt::ControlModifier);
        LATCHKEY_AWAIT(fixture.playback().position() == std::chrono::milliseconds(slider.singleStep()));
        QTest::mouseClick(&slider, Qt::LeftButton, {}, slider.rect().center());
        const auto half = fixture.playback().replay()->length() / 2;
        LATCHKEY_AWAIT(std::chrono::abs(fixture.playback().position() - half)
                       < fixture.playback().replay()->length() / 20);
        QVERIFY(slider.accessibleDescription().contains(QStringLiteral(" / ")));
    }

    void space_playsExceptWhereItIsTyped()
    {
        Fixture fixture(session->path());
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window));
        QTest::keyClick(&fixture.slider(), Qt::Key_Space);
        QVERIFY(fixture.playback().isPlaying());
        fixture.table().setFocus();
        QTest::keyClick(&fixture.table(), Qt::Key_Space);
        QVERIFY(!fixture.playback().isPlaying());
        auto &filter = fixture.widget<QLineEdit>("filter");
        filter.setFocus();
        QTest::keyClick(&filter, Qt::Key_Space);
        QVERIFY(!fixture.playback().isPlaying());
        QCOMPARE(filter.text(), QStringLiteral(" "));
        QTest::keyClick(&filter, Qt::Key_Space, Qt::ControlModifier);
        QVERIFY(fixture.playback().isPlaying());
    }

    void nothing_isSentOrCanBeDone()
    {
        // The recorded server may still exist at the same address.
        test::TestServer server;
        QVERIFY(server({"SET", "lock:c", session->token}).isOk());
        QByteArrayList lines = session->bytes().split('\n');
        QJsonObject heading = QJsonDocument::fromJson(lines[0]).object();
        heading[QStringLiteral("server")] = server.url();
        lines[0] = QJsonDocument(heading).toJson(QJsonDocument::Compact);
        const auto connections = [&] {
            const QByteArray info = server({"INFO", "stats"}).bytes();
            const qsizetype at = info.indexOf("total_connections_received:");
            return info.mid(at, info.indexOf('\r', at) - at);
        };
        const QByteArray before = connections();
        Fixture fixture(session->write(QStringLiteral("there.latchkey-recording"), lines.join('\n')));
        QCOMPARE(fixture.server().endpoint(), server.endpoint());
        QVERIFY(fixture.arrives(session->ended));
        LATCHKEY_AWAIT(fixture.has("lock:c"));
        fixture.table().selectRow(fixture.rowOf("lock:c"));
        for (const char *button : {"deleteKey", "releaseLock", "setEnd", "copyCommand"})
            QVERIFY2(!fixture.widget<QPushButton>(button).isVisible(), button);
        QVERIFY(fixture.widget<QPushButton>("copyKey").isVisible());
        QVERIFY(!fixture.widget<QWidget>("recordControl").isVisible());
        fixture.table().setFocus();
        for (const QKeySequence &keys :
             {QKeySequence(QKeySequence::Delete), QKeySequence(Qt::CTRL | Qt::Key_E),
              QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)})
            QTest::keySequence(&fixture.table(), keys);
        QVERIFY(fixture.window.findChildren<QDialog *>().isEmpty());
        QTest::keyClick(&fixture.table(), Qt::Key_Menu);
        auto *menu = fixture.window.findChild<QMenu *>(QStringLiteral("keyMenu"));
        QVERIFY(menu != nullptr);
        QStringList offered;
        for (const QAction *action : menu->actions()) {
            if (action->isVisible() && !action->isSeparator())
                offered += action->text();
        }
        QCOMPARE(offered, (QStringList {QStringLiteral("Copy key"), QStringLiteral("Show details"),
                                        QStringLiteral("This is a &lock…"),
                                        QStringLiteral("Lock &patterns of your own…"), QStringLiteral("Sort by")}));
        menu->close();
        fixture.server().setArmed(true);
        QVERIFY(!fixture.server().isArmed());
        fixture.click("showDetails");
        QVERIFY(fixture.arrives(session->held));
        QVERIFY(fixture.arrives(session->ended));
        QCOMPARE(fixture.server().commandsSent(), 0U);
        QCOMPARE(connections(), before);
        QVERIFY(server({"GET", "lock:c"}).bytes() == session->token);
    }

    void window_describesItself()
    {
        Fixture fixture(session->path());
        QCOMPARE(fixture.widget<Pill>("recordingSign").text(), QStringLiteral("recording"));
        QVERIFY(fixture.widget<Pill>("recordingSign").isVisible());
        QVERIFY(!fixture.widget<Pill>("recordingLeftOut").isVisible());
        const QString name = fixture.widget<QLabel>("recordingName").text();
        QVERIFY(name.startsWith(QStringLiteral("session.latchkey-recording  ·  ")) && name.contains(u"://")
                && name.endsWith(QStringLiteral("not live")));
        QVERIFY(fixture.window.windowTitle().startsWith(QStringLiteral("Recording: session.latchkey-recording")));
        for (const char *part : {"transportStart", "transportPlay", "transportSpeed", "transportTime"}) {
            const auto &widget = fixture.widget<QWidget>(part);
            const auto *button = qobject_cast<const QPushButton *>(&widget);
            QVERIFY2(!widget.accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty()), part);
            QVERIFY2(!widget.toolTip().isEmpty(), part);
        }
    }

    void omittedValues_areDigestsAndMarked()
    {
        const RecordedSession masked(false);
        QVERIFY(masked.isMade);
        QVERIFY(!masked.bytes().contains(masked.token));
        Fixture fixture(masked.path());
        QVERIFY(fixture.arrives(masked.ended));
        QCOMPARE(fixture.widget<Pill>("recordingLeftOut").text(), QStringLiteral("values left out"));
        QVERIFY(fixture.widget<Pill>("recordingLeftOut").isVisible());
        LATCHKEY_AWAIT(fixture.has("lock:c") && fixture.widget<QPushButton>("showFindings").text() != u"Findings");
        LATCHKEY_AWAIT(!fixture.cell("lock:c", KeyTableModel::ValueColumn).isEmpty());
        QVERIFY(!fixture.cell("lock:c", KeyTableModel::ValueColumn).contains(QString::fromLatin1(masked.token)));
    }

    void fileThatIsNoRecording_isRefusedInOneSentence_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("contents");
        QTest::addColumn<QString>("said");
        const QByteArray whole = session->bytes();
        QTest::addRow("missing") << QStringLiteral("missing") << QByteArray() << QStringLiteral("No such file");
        QTest::addRow("empty") << QStringLiteral("empty") << QByteArray() << QStringLiteral("it is empty");
        QTest::addRow("another kind") << QStringLiteral("other")
                                      << QByteArray("\x89PNG\r\n\x1a\n") + QByteArray(9, '\0')
                                      << QStringLiteral("line 1, at byte 0: ");
        QTest::addRow("another JSON") << QStringLiteral("json") << QByteArray("{\"a\": 1}\n")
                                      << QStringLiteral("line 1, at byte 0: ");
        QTest::addRow("cut off in its first line")
            << QStringLiteral("short") << whole.first(30) << QStringLiteral("cut off before anything was recorded");
        QTest::addRow("one endless line")
            << QStringLiteral("long") << QByteArray(1024 * 1024, 'x') << QStringLiteral("line 1, at byte 0: ");
        QTest::addRow("folder") << QStringLiteral(".") << QByteArray() << QStringLiteral("it is not a regular file");
    }
    void fileThatIsNoRecording_isRefusedInOneSentence()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, contents);
        QFETCH(QString, said);
        const bool isWritten = name != u"." && name != u"missing";
        const QString path = isWritten ? session->write(name, contents) : session->pathOf(name);
        const Fixture fixture(path);
        QVERIFY2(fixture.error.contains(path) && fixture.error.contains(said), qPrintable(fixture.error));
        QVERIFY(!fixture.error.contains(u'\n'));
    }

    void truncatedFile_isReportedWithItsOffsetAndShownUpToThere()
    {
        const QByteArray whole = session->bytes();
        const qsizetype cut = whole.indexOf("lock:c") + 3;
        Fixture fixture(session->write(QStringLiteral("cut"), whole.first(cut)));
        QVERIFY(fixture.error.isEmpty());
        QVERIFY(fixture.arrives(1h));
        const qsizetype begins = whole.lastIndexOf('\n', cut) + 1;
        const QString place = QStringLiteral("Line %1, at byte %2: the recording is cut off here")
                                  .arg(whole.first(begins).count('\n') + 1)
                                  .arg(begins);
        LATCHKEY_AWAIT(fixture.banner().startsWith(place));
        QVERIFY(!fixture.has("lock:c"));
        // The complete part can be used.
        QVERIFY(fixture.arrives(session->held));
        LATCHKEY_AWAIT(fixture.has("lock:a"));
        fixture.click("transportPlay");
        QVERIFY(fixture.playback().isPlaying());
    }

    void removedFile_isReportedAndItsContentStaysShown()
    {
        const QString path = session->write(QStringLiteral("going"), session->bytes());
        Fixture fixture(path);
        QVERIFY(fixture.arrives(session->ended));
        LATCHKEY_AWAIT(fixture.has("lock:c"));
        QVERIFY(QFile::remove(path));
        fixture.playback().setPlaying(true);
        QTest::keyClick(&fixture.slider(), Qt::Key_Home);
        LATCHKEY_AWAIT(fixture.banner().contains(QStringLiteral("No such file")));
        QVERIFY(fixture.has("lock:c"));
        QVERIFY(!fixture.playback().isPlaying());
        QVERIFY(fixture.slider().value() > 0);
    }

    void anotherFileDropped_takesItsPlace()
    {
        Fixture fixture(session->path());
        const auto drop = [&](const QString &path) {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(path)});
            QDragEnterEvent enter({20, 20}, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(&fixture.window, &enter);
            QDropEvent event({20, 20}, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(&fixture.window, &event);
            return enter.isAccepted() && event.isAccepted() && event.dropAction() == Qt::CopyAction;
        };
        QVERIFY(drop(session->write(QStringLiteral("empty"), {})));
        LATCHKEY_AWAIT(fixture.banner().contains(QStringLiteral("it is empty")));
        QVERIFY(fixture.window.windowTitle().contains(QStringLiteral("session.latchkey-recording")));
        QVERIFY(drop(session->write(QStringLiteral("second"), session->bytes())));
        QVERIFY(fixture.window.windowTitle().contains(QStringLiteral("second")));
        LATCHKEY_AWAIT(fixture.banner().isEmpty());
        QVERIFY(fixture.arrives(session->held));
        LATCHKEY_AWAIT(fixture.has("lock:a"));
    }

    void allItsTexts_followTheLanguage()
    {
        ui::i18n::LanguageSwitcher languageSwitcher(language::Language::English);
        Fixture fixture(session->path());
        languageSwitcher.choose(ui::i18n::LanguageSwitcher::Choice::Chinese);
        LATCHKEY_AWAIT(fixture.widget<Pill>("recordingSign").text() != u"recording");
        for (const QString &text :
             {fixture.widget<Pill>("recordingSign").text(), fixture.window.windowTitle(),
              fixture.widget<QLabel>("recordingName").text(), fixture.widget<QPushButton>("transportPlay").text(),
              fixture.widget<QPushButton>("transportPlay").toolTip(), fixture.slider().toolTip(),
              fixture.slider().accessibleName()}) {
            const bool isChinese = std::ranges::any_of(text, [](QChar c) { return c.script() == QChar::Script_Han; });
            QVERIFY2(isChinese, qPrintable(text));
        }
    }
};

LATCHKEY_WINDOW_TEST(TestRecordingWindow)

} // namespace tst_recordingwindow

#include "tst_recordingwindow.moc"

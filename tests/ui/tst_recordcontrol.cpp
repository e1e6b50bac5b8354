#include "tests/support/filesizelimit.h"
#include "tests/support/recordedsession.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/pages/inspector/recordcontrol.h"
#include "ui/pages/inspector/recorddialog.h"
#include "ui/pages/recording/recordingwindow.h"

#include <QAction>
#include <QFileDialog>
#include <QMimeData>
#include <QRadioButton>
#include <QTest>

namespace tst_recordcontrol {

using namespace latchkey;
using test::bannerAction;
using test::bannerText;
using test::MainWindowFixture;
using test::openServer;
using test::RecordedSession;
using test::TestServer;
using ui::inspector::RecordControl;
using ui::inspector::RecordDialog;
using ui::recording::RecordingWindow;
using ui::widgets::Pill;

namespace {

const QByteArray token = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");

/// Returns the open recording window. Null if there is none.
RecordingWindow *recordingWindow()
{
    for (QWidget *window : QApplication::topLevelWidgets()) {
        if (auto *found = qobject_cast<RecordingWindow *>(window))
            return found;
    }
    return nullptr;
}

QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool isEnded(const QString &path)
{
    const QByteArray last = contentsOf(path).trimmed().split('\n').constLast();
    return last.contains("\"end\"");
}

} // namespace

/// Tests of recording a real server in the window, and of opening the recording.
class TestRecordControl final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;
    QTemporaryDir folder;

    QString path() const { return folder.filePath(QStringLiteral("a.latchkey-recording")); }
    static RecordControl &control(const MainWindowFixture &fixture)
    {
        return fixture.widget<RecordControl>("recordControl");
    }
    /// Records like a user.
    void record(MainWindowFixture &fixture, bool hasValues)
    {
        fixture.widget<QAction>("recordAction").trigger();
        LATCHKEY_AWAIT(fixture.dialog<RecordDialog>("recordDialog"));
        if (hasValues)
            fixture.widget<QRadioButton>("recordWithValues").click();
        fixture.click("recordGo");
        LATCHKEY_AWAIT(fixture.dialog<QFileDialog>("recordFileDialog"));
        auto &dialog = fixture.widget<QFileDialog>("recordFileDialog");
        QVERIFY(dialog.selectedFiles().constFirst().endsWith(QStringLiteral(".latchkey-recording")));
        dialog.selectFile(path());
        QMetaObject::invokeMethod(&dialog, "accept");
        LATCHKEY_AWAIT(control(fixture).isRecording());
    }

private Q_SLOTS:
    void initTestCase() { qputenv("LATCHKEY_DIALECTS", folder.filePath(QStringLiteral("dialects.json")).toUtf8()); }
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup()
    {
        server.reset();
        QFile::remove(path());
    }

    void session_isRecordedAndOpened_data()
    {
        QTest::addColumn<bool>("hasValues");
        QTest::addRow("with values") << true;
        QTest::addRow("without") << false;
    }
    void session_isRecordedAndOpened()
    {
        QFETCH(bool, hasValues);
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        record(fixture, hasValues);
        QVERIFY(fixture.widget<Pill>("recordState").isVisible());
        QVERIFY(fixture.widget<Pill>("recordState").text().startsWith(QStringLiteral("recording · 0:0")));
        QVERIFY(fixture.widget<Pill>("recordState").toolTip().contains(path()));
        QVERIFY(!fixture.button("recordButton").isVisible());

        QVERIFY((*server)({"SET", "lock:a", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(fixture.cell(0, ui::keytable::KeyTableModel::ValueColumn) == QString::fromLatin1(token));
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        const auto isOver = [&] {
            const auto &holds = fixture.workspace.inspected()->holds().history().holds({"lock:a", 0});
            return holds.size() == 1 && holds.front().isOver();
        };
        LATCHKEY_AWAIT(isOver());
        fixture.click("recordStop");
        QVERIFY(!control(fixture).isRecording() && fixture.button("recordButton").isVisible()
                && !fixture.widget<Pill>("recordState").isVisible());
        QCOMPARE(bannerText(fixture), QStringLiteral("The recording is in a.latchkey-recording."));
        QVERIFY(isEnded(path()));
        QCOMPARE(contentsOf(path()).contains(token), hasValues);

        QTest::mouseClick(bannerAction(fixture), Qt::LeftButton);
        LATCHKEY_AWAIT(recordingWindow() != nullptr);
        RecordingWindow &window = *recordingWindow();
        QVERIFY(window.isVisible());
        QCOMPARE(window.findChild<Pill *>(QStringLiteral("recordingLeftOut"))->isVisible(), !hasValues);
        LATCHKEY_AWAIT(window.playback().replay()->isAtEnd());
        const auto &holds = window.playback().replay()->server().holds().history().holds({"lock:a", 0});
        QCOMPARE(holds.size(), 1U);
        QVERIFY(holds.front().isOver());
        // The first window still works.
        QVERIFY((*server)({"SET", "lock:b", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        window.close();
        LATCHKEY_AWAIT(recordingWindow() == nullptr);
    }

    void anotherServer_endsTheRecording()
    {
        TestServer other;
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        record(fixture, true);
        openServer(fixture, other.endpoint());
        QVERIFY(!control(fixture).isRecording());
        QVERIFY(isEnded(path()));
        QVERIFY(!contentsOf(path()).contains(other.url().toUtf8()));
    }

    void questionAboutAServer_goesWithIt()
    {
        TestServer other;
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        fixture.widget<QAction>("recordAction").trigger();
        LATCHKEY_AWAIT(fixture.dialog<RecordDialog>("recordDialog"));
        openServer(fixture, other.endpoint());
        QVERIFY(fixture.window.findChild<RecordDialog *>() == nullptr);
        fixture.widget<QAction>("recordAction").trigger();
        LATCHKEY_AWAIT(fixture.dialog<RecordDialog>("recordDialog"));
        fixture.click("recordGo");
        LATCHKEY_AWAIT(fixture.dialog<QFileDialog>("recordFileDialog"));
        openServer(fixture, server->endpoint());
        QVERIFY(fixture.window.findChild<QFileDialog *>() == nullptr);
        QVERIFY(!control(fixture).isRecording());
    }

    void serverThatDies_isInTheRecording()
    {
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "60000"}).isOk());
        {
            MainWindowFixture fixture;
            openServer(fixture, server->endpoint());
            LATCHKEY_AWAIT(fixture.rows() == 1);
            record(fixture, true);
            LATCHKEY_AWAIT(contentsOf(path()).contains("lock:a"));
            server->kill();
            LATCHKEY_AWAIT(fixture.workspace.inspected()->watcher().phase() == watching::Watcher::Phase::Away);
        }
        QVERIFY(isEnded(path())); // The recording ends with the window.
        MainWindowFixture fixture;
        Q_EMIT fixture.window.findChild<ui::inspector::InspectorPage *>()->recordingRequested(path());
        LATCHKEY_AWAIT(recordingWindow() != nullptr);
        RecordingWindow &window = *recordingWindow();
        window.playback().seek(std::chrono::hours(1));
        const auto saysSo = [&] {
            for (const QLabel *label : window.findChildren<QLabel *>()) {
                if (label->isVisible() && label->text().startsWith(QStringLiteral("The server was not reachable")))
                    return true;
            }
            return false;
        };
        LATCHKEY_AWAIT(saysSo());
        for (const QPushButton *button : window.findChildren<QPushButton *>())
            QVERIFY2(!button->isVisible() || button->text() != u"Try now", "nothing is to be tried");
    }

    void fileThatCannotBeMade_isReported()
    {
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        control(fixture).record(folder.filePath(QStringLiteral("no/such/folder/a")), true);
        QVERIFY(!control(fixture).isRecording());
        LATCHKEY_AWAIT(bannerText(fixture).contains(QStringLiteral("No such file or directory")));
        QVERIFY(fixture.button("recordButton").isVisible());
        control(fixture).record(QStringLiteral("/dev/full"), true);
        LATCHKEY_AWAIT(bannerText(fixture).startsWith(QStringLiteral("The recording cannot be written: ")));
        QVERIFY(!control(fixture).isRecording());
    }

    void fullDisk_isReportedWithItsReason()
    {
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        {
            const test::FileSizeLimit full(300);
            control(fixture).record(path(), true);
            LATCHKEY_AWAIT(bannerText(fixture) == u"The recording cannot be written: File too large");
        }
        QVERIFY(!control(fixture).isRecording());
    }

    void recording_endsAtItsLimitAndReportsIt()
    {
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        control(fixture).record(path(), true, 4096);
        QVERIFY(fixture.widget<Pill>("recordState").text().endsWith(QStringLiteral(" of 4 KB")));
        int number = 0;
        const auto isOver = [&] {
            (void)(*server)({"SET", "lock:" + QByteArray::number(++number), QByteArray(32, 'a')});
            return !control(fixture).isRecording();
        };
        LATCHKEY_AWAIT(isOver());
        QCOMPARE(bannerText(fixture), QStringLiteral("The recording has ended: it has reached its limit of 4 KB"));
    }

    void fileIsOpenedFromTheMenuAndDropped()
    {
        const RecordedSession session;
        QVERIFY(session.isMade);
        MainWindowFixture fixture;
        fixture.widget<QAction>("openRecordingAction").trigger();
        LATCHKEY_AWAIT(fixture.dialog<QFileDialog>("openRecordingDialog"));
        auto &dialog = fixture.widget<QFileDialog>("openRecordingDialog");
        dialog.selectFile(session.path());
        QMetaObject::invokeMethod(&dialog, "accept");
        LATCHKEY_AWAIT(recordingWindow() != nullptr);
        recordingWindow()->close();
        LATCHKEY_AWAIT(recordingWindow() == nullptr);

        const auto drop = [&](const QString &path) {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(path)});
            QDragEnterEvent enter({20, 20}, Qt::CopyAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(&fixture.window, &enter);
            QDropEvent event({20, 20}, Qt::CopyAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(&fixture.window, &event);
            return enter.isAccepted() && event.isAccepted();
        };
        QVERIFY(drop(session.write(QStringLiteral("empty"), {})));
        LATCHKEY_AWAIT(bannerText(fixture).contains(QStringLiteral("it is empty, and so no recording")));
        QVERIFY(recordingWindow() == nullptr);
        QVERIFY(drop(session.path()));
        QVERIFY(recordingWindow() != nullptr);
        LATCHKEY_AWAIT(bannerText(fixture).isEmpty());
    }
};

LATCHKEY_WINDOW_TEST(TestRecordControl)

} // namespace tst_recordcontrol

#include "tst_recordcontrol.moc"

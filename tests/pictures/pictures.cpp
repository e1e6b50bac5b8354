// Takes pictures of the real window with a real server.
//
//   latchkey-pictures FOLDER [SCENE...]
//
// writes SCENE-light.png and SCENE-dark.png into FOLDER, for all scenes by default. The manual shows the scene
// "inspector"; the other scenes are for visual checks by developers. README.md also shows the recording "crash", which
// is taken only if it is named: its pictures are in FOLDER/crash-light and FOLDER/crash-dark, for apngasm.
// LATCHKEY_PICTURE_SIZE=1600x1000 sets the size of the window, 1280x800 by default. QT_SCALE_FACTOR=2 doubles the
// pixels. LATCHKEY_PICTURE_LANGUAGE=zh_CN shows the window in Chinese, which needs a Chinese font.

#include "core/playground/playground/preset.h"
#include "core/redis/net/dialer.h"
#include "tests/pictures/screenrecorder.h"
#include "tests/support/testserver.h"
#include "tests/support/workers.h"
#include "tests/ui/cards.h"
#include "ui/pages/stories/alternativeview.h"
#include "ui/pages/stories/programpanel.h"
#include "ui/shell/shell/alertcontrol.h"

#include <QComboBox>
#include <QDeadlineTimer>
#include <QDialog>
#include <QDir>
#include <QEventLoop>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPainter>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <functional>

using namespace latchkey;
using playground::ClientProcess;
using resp::Command;
using test::MainWindowFixture;
using test::TestServer;
using ui::keytable::KeyTableModel;
using ui::theme::Appearance;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

/// Waits for a condition in the event loop, and ends the program after a timeout. QTest::qWaitFor() would sleep between
/// its checks, and the window would show the delay as the server's round trip time.
void await(const char *what, const std::function<bool()> &condition)
{
    constexpr auto bound = 2min;
    const QDeadlineTimer deadline(bound);
    QEventLoop loop;
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, &loop, [&] {
        if (condition())
            loop.quit();
        else if (deadline.hasExpired())
            qFatal("waited in vain until %s", what);
    });
    look.start(5ms);
    loop.exec();
}

/// Folder of the pictures, and size of the window.
struct Camera
{
    QDir folder;
    QSize size {1280, 800};

    /// Takes the same moment in both schemes. An open dialog is painted over the window, as on a desktop.
    void take(MainWindowFixture &fixture, const QString &scene) const
    {
        // Layouts that are corrected after a resizing, by timers of 0 ms. Replies of servers would change the scene.
        QCoreApplication::processEvents(QEventLoop::ExcludeSocketNotifiers | QEventLoop::ExcludeUserInputEvents);
        fixture.appearance.setMode(Appearance::Mode::Dark);
        const QPixmap dark = shot(fixture);
        fixture.appearance.setMode(Appearance::Mode::Light);
        const QPixmap light = shot(fixture);
        save(dark, scene + QStringLiteral("-dark.png"));
        save(light, scene + QStringLiteral("-light.png"));
    }

private:
    static QPixmap shot(MainWindowFixture &fixture)
    {
        // Layouts are updated at the next turn of the event loop, which is too late.
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QPixmap picture = fixture.window.grab();
        for (QDialog *dialog : fixture.window.findChildren<QDialog *>()) {
            if (!dialog->isVisible())
                continue;
            QPainter painter(&picture);
            painter.fillRect(fixture.window.rect(), QColor(0, 0, 0, 90));
            QRect rect(QPoint(), dialog->size());
            rect.moveCenter(fixture.window.rect().center());
            painter.drawPixmap(rect.topLeft(), dialog->grab());
        }
        return picture;
    }

    void save(const QPixmap &picture, const QString &name) const
    {
        constexpr int smallest = 0;
        if (!test::reduced(picture.toImage()).save(folder.filePath(name), "PNG", smallest))
            qFatal("cannot write %s", qPrintable(folder.filePath(name)));
        std::printf("%s, %lld KiB\n", qPrintable(folder.filePath(name)),
                    (QFileInfo(folder.filePath(name)).size() + 1023) / 1024);
        std::fflush(stdout);
    }
};

/// Returns the language of the window.
ui::i18n::LanguageSwitcher::Choice pictureLanguage()
{
    return qEnvironmentVariable("LATCHKEY_PICTURE_LANGUAGE") == u"zh_CN" ? ui::i18n::LanguageSwitcher::Choice::Chinese
                                                                         : ui::i18n::LanguageSwitcher::Choice::English;
}

/// A key like those of a server in production.
struct Example
{
    Command write;
    std::chrono::milliseconds timeLeft {}; ///< Zero without expiry.
};

/// Returns the keys that exist besides those of the demonstration.
const std::vector<Example> &examples()
{
    static const std::vector<Example> all {
        {{"SET", "lock:invoice:88213", "b7e2f0c49a1d4e5f8c3b6a7d9e0f1a2b"}, 60s},
        {{"SET", "lock:stock:sku-20418", "5f0d1c7e-6b1a-4c55-9a0e-2f7d3f1f8f4e"}, 25s},
        {{"SET", "lock:mail:digest", "locking"}, 90s},
        {{"SET", "mutex:search-index", "1"}, 0s},
        {{"SET", "ratelimit:203.0.113.7", "41"}, 60s},
        {{"SET", "otp:ann@example.org", "204 617"}, 120s},
        {{"ZADD", "trending:today", "97", "kettle", "64", "lamp", "12", "rug"}, 45s},
        {{"RPUSH", "queue:thumbnails", "img-1207", "img-1208", "img-1209"}, 0s},
        {{"SADD", "online:eu-west", "ann", "bo", "cy", "dee"}, 35s},
        {{"XADD", "audit:logins", "*", "user", "ann"}, 0s},
    };
    return all;
}

net::BlockingConnection &operator<<(net::BlockingConnection &connection, const Command &command)
{
    const auto reply = connection.execute(command, 10s);
    if (!reply || reply->isError())
        qFatal("a key could not be written");
    return connection;
}

void writeExamples(const net::Endpoint &endpoint)
{
    const auto dialled = net::dialBlocking(endpoint, 5s);
    if (!dialled)
        qFatal("%s", qPrintable(dialled.error().message()));
    for (const Example &example : examples()) {
        *dialled->connection << example.write;
        if (example.timeLeft > 0ms)
            *dialled->connection << Command {"PEXPIRE", example.write.words()[1],
                                             QByteArray::number(static_cast<qint64>(example.timeLeft.count()))};
    }
}

bool isReady(MainWindowFixture &fixture)
{
    inspection::InspectedServer *server = fixture.workspace.inspected();
    return server != nullptr && server->watcher().phase() == Watcher::Phase::Watching;
}

/// Whether the visible rows have been read, and the connection bar has measured.
bool isComplete(MainWindowFixture &fixture)
{
    const auto &table = fixture.table();
    const int below = table.rowAt(table.viewport()->height() - 1);
    for (int row = 0; row < (below < 0 ? fixture.rows() : below + 1); ++row) {
        if (fixture.cell(row, KeyTableModel::ValueColumn).isEmpty())
            return false;
    }
    return !fixture.widget<QLabel>("roundTrip").text().isEmpty()
        && !fixture.button("commandsPerSecond").text().startsWith(QStringLiteral("0 "));
}

bool isHeld(MainWindowFixture &fixture, const char *key)
{
    const keys::KeyTable &table = fixture.workspace.inspected()->store().known().table;
    const auto id = table.find(key);
    return id && table.state(*id) == keys::KeyState::Live;
}

bool isOlderThan(MainWindowFixture &fixture, const char *key, std::chrono::milliseconds age)
{
    const keys::KeyTable &table = fixture.workspace.inspected()->store().known().table;
    const auto id = table.find(key);
    const auto now = base::SystemClock::instance().now();
    return id && table.span(*id) - *table.deadline(*id).remaining(now) > age;
}

/// Waits for a time while the event loop runs.
void letPass(std::chrono::milliseconds time)
{
    const QDeadlineTimer over(time, Qt::PreciseTimer);
    await("the time is over", [&] { return over.hasExpired(); });
}

void inspector(MainWindowFixture &fixture, const Camera &camera)
{
    fixture.workspace.openDemo();
    await("the private server is watched", [&] { return isReady(fixture); });
    writeExamples(fixture.workspace.inspected()->endpoint());
    await("leases of all ages are there", [&] { return isOlderThan(fixture, "lock:stock:sku-20418", 15s); });
    await("the demonstration's locks are held", [&] {
        return isHeld(fixture, "lock:orders:4711") && isHeld(fixture, "lock:report:nightly")
            && isHeld(fixture, "lock:payment:2093");
    });
    fixture.table().sortByColumn(KeyTableModel::KeyColumn, Qt::AscendingOrder);
    await("the rows are sorted by their keys", [&] {
        const QStringList keys = fixture.keys();
        return std::is_sorted(keys.begin(), keys.end());
    });
    fixture.choose(QStringLiteral("lock:invoice:88213"));
    await("everything on screen has been read", [&] { return isComplete(fixture); });
    camera.take(fixture, QStringLiteral("inspector"));
}

void stuckKey(MainWindowFixture &fixture, const Camera &camera)
{
    fixture.workspace.openPrivate();
    await("the private server is watched", [&] { return isReady(fixture); });
    writeExamples(fixture.workspace.inspected()->endpoint());
    await("the keys are shown", [&] { return fixture.rows() == static_cast<int>(examples().size()); });
    await("everything on screen has been read", [&] { return isComplete(fixture); });
    camera.take(fixture, QStringLiteral("few-keys"));
    fixture.choose(QStringLiteral("mutex:search-index"));
    fixture.click("deleteKey");
    await("the question is asked", [&] { return fixture.dialog<QDialog>("deleteDialog") != nullptr; });
    camera.take(fixture, QStringLiteral("delete"));
    fixture.dialog<QDialog>("deleteDialog")->accept();
    await("the answer is shown", [&] { return fixture.rows() == static_cast<int>(examples().size()) - 1; });
    fixture.widget<QLineEdit>("filter").setText(QStringLiteral("no-such-key"));
    await("nothing matches", [&] { return fixture.rows() == 0 && fixture.button("emptyAction").isVisible(); });
    camera.take(fixture, QStringLiteral("no-match"));
}

void arming(MainWindowFixture &fixture, const Camera &camera)
{
    TestServer server;
    writeExamples(server.endpoint());
    fixture.workspace.open(server.endpoint());
    await("the server is watched", [&] { return isReady(fixture); });
    await("everything on screen has been read", [&] { return fixture.rows() > 0 && isComplete(fixture); });
    fixture.choose(QStringLiteral("mutex:search-index"));
    fixture.click("deleteKey");
    await("the question is asked", [&] { return fixture.dialog<QDialog>("armDialog") != nullptr; });
    camera.take(fixture, QStringLiteral("arm"));
    QTest::mouseClick(fixture.dialog<QDialog>("armDialog")->findChild<QPushButton *>(QStringLiteral("armConfirm")),
                      Qt::LeftButton);
    await("the dialog is gone", [&] { return fixture.dialog<QDialog>("armDialog") == nullptr; });
    camera.take(fixture, QStringLiteral("armed"));
}

/// The finder of actions, the help and the versions.
void help(MainWindowFixture &fixture, const Camera &camera)
{
    TestServer server;
    writeExamples(server.endpoint());
    fixture.workspace.open(server.endpoint());
    await("the server is watched", [&] { return isReady(fixture); });
    await("everything on screen has been read", [&] { return fixture.rows() > 0 && isComplete(fixture); });
    fixture.window.welcome();
    camera.take(fixture, QStringLiteral("welcome"));
    for (const char *name : {"findAction", "showHelp", "showAbout"}) {
        fixture.widget<QAction>(name).trigger();
        camera.take(fixture, QString::fromLatin1(name));
        if (auto *contents = fixture.window.findChild<QListWidget *>(QStringLiteral("helpContents"))) {
            contents->setCurrentRow(1);
            if (contents->isVisible())
                camera.take(fixture, QStringLiteral("manual"));
        }
        for (QDialog *dialog : fixture.window.findChildren<QDialog *>())
            delete dialog;
    }
}

/// The alerts of a server with two locks that have no expiry, one of which is released.
void alerts(MainWindowFixture &fixture, const Camera &camera)
{
    TestServer server;
    writeExamples(server.endpoint());
    server({"SET", "lock:import", "7f0c1d2e-3b4a-4c5d-8e6f-000000000001"});
    server({"SET", "lock:report:2026-11", "7f0c1d2e-3b4a-4c5d-8e6f-000000000002"});
    fixture.workspace.open(server.endpoint());
    const auto *control = fixture.window.findChild<ui::shell::AlertControl *>();
    await("both alerts are raised", [&] { return control->log().openCount() >= 2; });
    server({"DEL", "lock:import"});
    await("one of them is over", [&] {
        return std::ranges::any_of(control->log().all(), [](const auto &each) {
            return each.second.state == ui::alerts::LoggedAlert::State::Over;
        });
    });
    await("everything on screen has been read", [&] { return fixture.rows() > 0 && isComplete(fixture); });
    fixture.widget<QToolButton>("alertsButton").click();
    camera.take(fixture, QStringLiteral("alerts"));
    for (QDialog *dialog : fixture.window.findChildren<QDialog *>())
        delete dialog;
}

void password(MainWindowFixture &fixture, const Camera &camera)
{
    TestServer server;
    server({"CONFIG", "SET", "requirepass", "secret"});
    fixture.workspace.open(server.endpoint());
    QPushButton *enter = nullptr;
    await("the password is asked for", [&] {
        for (auto *action : fixture.window.findChildren<QPushButton *>(QStringLiteral("bannerAction")))
            enter = action->isVisible() ? action : enter;
        return enter != nullptr;
    });
    camera.take(fixture, QStringLiteral("password-needed"));
    QTest::mouseClick(enter, Qt::LeftButton);
    await("the dialog is open", [&] { return fixture.dialog<QDialog>("passwordDialog") != nullptr; });
    camera.take(fixture, QStringLiteral("password"));
}

void empty(MainWindowFixture &fixture, const Camera &camera)
{
    camera.take(fixture, QStringLiteral("no-server"));
    fixture.settings.rememberServer(QStringLiteral("redis://127.0.0.1:1"));
    fixture.workspace.openUsual();
    await("the private server is watched",
          [&] { return isReady(fixture) && fixture.button("emptyAction").isVisible(); });
    camera.take(fixture, QStringLiteral("empty"));
    fixture.workspace.open(*net::Endpoint::fromUrl(QStringLiteral("redis://127.0.0.1:1/3")));
    await("there is no connection", [&] { return fixture.workspace.inspected()->session().lastError().has_value(); });
    await("it says so", [&] {
        return fixture.widget<QLabel>("emptyTitle").text()
            == QCoreApplication::translate("StatusText", "No connection");
    });
    camera.take(fixture, QStringLiteral("no-connection"));
    auto &url = fixture.widget<QLineEdit>("serverUrl");
    url.setText(QStringLiteral("redis//localhost"));
    QTest::keyClick(&url, Qt::Key_Return);
    camera.take(fixture, QStringLiteral("bad-url"));
}

void playgroundPage(MainWindowFixture &fixture, const Camera &camera)
{
    QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
    await("the playground is ready", [&] { return fixture.button("addClient").isEnabled(); });
    camera.take(fixture, QStringLiteral("playground-empty"));
    fixture.workspace.openDemo();
    playground::ClientPool &clientPool = fixture.workspace.clientPool();
    const auto inState = [&](ClientProcess::State state) {
        for (std::size_t i = 0; i < clientPool.size(); ++i) {
            if (clientPool.at(i).state() == state)
                return true;
        }
        return false;
    };
    await("one has crashed and another holds",
          [&] { return inState(ClientProcess::State::Dead) && inState(ClientProcess::State::Holding); });
    camera.take(fixture, QStringLiteral("playground"));
}

/// Takes the stories and each preset of the Playground while it runs, in the window and presented.
void presentation(MainWindowFixture &fixture, const Camera &camera)
{
    QTest::mouseClick(&fixture.widget<QToolButton>("storiesButton"), Qt::LeftButton);
    fixture.click("storyPlay");
    letPass(2s);
    const auto present = [&](const QString &scene) {
        QTest::keyClick(&fixture.window, Qt::Key_F11);
        fixture.window.setWindowState(Qt::WindowNoState); // The screen is smaller than the pictures.
        fixture.window.resize(camera.size);
        letPass(300ms);
        camera.take(fixture, scene);
        QTest::keyClick(&fixture.window, Qt::Key_F11);
        fixture.window.resize(camera.size);
    };
    present(QStringLiteral("stories-presented"));
    QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
    await("the playground is ready", [&] { return fixture.button("addClient").isEnabled(); });
    for (const playground::Preset &preset : playground::presets()) {
        const auto id = QLatin1String(preset.id);
        fixture.widget<QAction>(("preset-" + std::string(preset.id)).c_str()).trigger();
        const playground::ClientPool &clients = fixture.workspace.clientPool();
        await("a client of the preset holds the lock", [&] {
            for (std::size_t i = 0; i < clients.size(); ++i) {
                if (clients.at(i).state() == ClientProcess::State::Holding)
                    return true;
            }
            return false;
        });
        letPass(4s);
        camera.take(fixture, QStringLiteral("preset-") + id);
        present(QStringLiteral("presented-") + id);
    }
}

void crowd(MainWindowFixture &fixture, const Camera &camera)
{
    TestServer server;
    const auto dialled = net::dialBlocking(server.endpoint(), 5s);
    for (int first = 0; first < 400'000; first += 20'000)
        *dialled->connection << Command {"EVAL",
                                         "for i = ARGV[1], ARGV[1] + 19999 do redis.call('SET', 'session:' .. "
                                         "string.format('%08x', i * 2654435761 % "
                                         "4294967296), '{\"user\": ' .. i .. '}', 'PX', 90000 + i * 37 % 3600000) end",
                                         "0", QByteArray::number(first)};
    writeExamples(server.endpoint());
    fixture.workspace.open(server.endpoint());
    await("the scan is half done",
          [&] { return fixture.workspace.inspected()->watcher().keysScanned() > 150'000 || isReady(fixture); });
    camera.take(fixture, QStringLiteral("crowd-scanning"));
    await("the server is watched", [&] { return isReady(fixture); });
    await("everything on screen has been read", [&] { return fixture.rows() > 300'000 && isComplete(fixture); });
    camera.take(fixture, QStringLiteral("crowd"));
}

/// Takes the details of a lock with a history: renewed, released, acquired by another client, expired, and held again.
void details(MainWindowFixture &fixture, const Camera &camera)
{
    fixture.workspace.openDemo();
    await("the private server is watched", [&] { return isReady(fixture); });
    const auto dialled = net::dialBlocking(fixture.workspace.inspected()->endpoint(), 5s);
    writeExamples(fixture.workspace.inspected()->endpoint());
    const auto hold = [&](const QByteArray &holder, const QByteArray &lease, int renewals) {
        *dialled->connection << Command {"SET", "lock:invoice:90001", holder, "PX", lease};
        for (int i = 0; i < renewals; ++i) {
            letPass(1300ms);
            *dialled->connection << Command {"PEXPIRE", "lock:invoice:90001", lease};
        }
        letPass(900ms);
    };
    hold("b7e2f0c49a1d4e5f8c3b6a7d9e0f1a2b", "4000", 0);
    for (const char *toggle : {"showDetails", "showTimeline"}) {
        if (!fixture.button(toggle).isChecked())
            fixture.click(toggle);
    }
    await("the lock is listed", [&] { return fixture.keys().contains(QStringLiteral("lock:invoice:90001")); });
    fixture.choose(QStringLiteral("lock:invoice:90001"));
    hold("b7e2f0c49a1d4e5f8c3b6a7d9e0f1a2b", "4000", 4);
    *dialled->connection << Command {"DEL", "lock:invoice:90001"};
    letPass(700ms);
    hold("5f0d1c7e6b1a4c559a0e2f7d3f1f8f4e", "2500", 1);
    letPass(2500ms); // The lock expires.
    hold("0f6a1b2c3d4e5f60718293a4b5c6d7e8", "4000", 3);
    camera.take(fixture, QStringLiteral("details"));
    fixture.choose(QStringLiteral("mutex:search-index"));
    letPass(3s);
    camera.take(fixture, QStringLiteral("details-findings"));
}

/// Takes the recording of a killed holder and a client that waits for its lock, in each scheme.
void crash(const Camera &camera)
{
    for (const auto &[mode, name] :
         {std::pair(Appearance::Mode::Light, "crash-light"), std::pair(Appearance::Mode::Dark, "crash-dark")}) {
        MainWindowFixture fixture;
        fixture.languageSwitcher.choose(pictureLanguage());
        fixture.appearance.setMode(mode);
        fixture.window.resize(camera.size);
        const QList<test::Card> cards = test::openWithClients(fixture, 2);
        for (const test::Card &card : cards)
            card.chooseRecipe("token");
        cards[0].fill("lease", "5s");
        cards[1].fill("lease", "5s");
        cards[1].fill("wait", "20s");
        await("the server has been asked", [&] {
            return cards[1].text("truth") == QCoreApplication::translate("ClientBelief", "the key does not exist");
        });

        test::ScreenRecorder recorder(fixture);
        letPass(1s);
        recorder.click(cards[0].button("acquire"));
        letPass(1200ms);
        recorder.click(cards[1].button("acquire"));
        letPass(1200ms);
        recorder.click(cards[0].button("crash"));
        await("the lease is over and the other has the lock",
              [&] { return cards[1].state() == QCoreApplication::translate("ClientBelief", "holding"); });
        letPass(1600ms);
        QDir folder(camera.folder.filePath(QLatin1String(name)));
        if (!folder.removeRecursively() || !folder.mkpath(QStringLiteral(".")))
            qFatal("cannot make %s", qPrintable(folder.path()));
        recorder.write(folder, 3s);
    }
}

/// Takes the race finder with a result.
void race(MainWindowFixture &fixture, const Camera &camera)
{
    QTest::mouseClick(&fixture.widget<QToolButton>("storiesButton"), Qt::LeftButton);
    auto &stories = fixture.widget<QListWidget>("stories");
    int row = 0;
    while (stories.setCurrentRow(row), fixture.button("findRace").menu() == nullptr)
        ++row;
    fixture.button("findRace").menu()->actions().front()->trigger();
    await("the search is over", [&] { return fixture.widget<QComboBox>("raceFaults").isEnabled(); });
    camera.take(fixture, QStringLiteral("race"));
}

/// Plays the selected story at the highest speed, and takes it.
void playedStory(MainWindowFixture &fixture, const Camera &camera, const QString &name)
{
    auto &speed = fixture.widget<QComboBox>("storySpeed");
    speed.setCurrentIndex(speed.count() - 1);
    fixture.click("storyPlay");
    await("the story is over", [&] {
        const auto alternatives = fixture.window.findChildren<ui::stories::AlternativeView *>();
        return std::ranges::all_of(alternatives, [](const auto *each) { return each->isOver(); });
    });
    camera.take(fixture, name);
}

/// Takes stories in which a server fails, and a counterexample with a failover.
void serverFaults(MainWindowFixture &fixture, const Camera &camera)
{
    QTest::mouseClick(&fixture.widget<QToolButton>("storiesButton"), Qt::LeftButton);
    auto &stories = fixture.widget<QListWidget>("stories");
    for (const int row : {14, 15, 17}) {
        stories.setCurrentRow(row);
        playedStory(fixture, camera, QStringLiteral("server-fault-%1").arg(row + 1));
    }
    stories.setCurrentRow(7);
    auto &faults = fixture.widget<QComboBox>("raceFaults");
    faults.setCurrentIndex(faults.count() - 5); // Faults of servers: all kinds, and then each.
    fixture.button("findRace").menu()->actions().front()->trigger();
    await("the search is over", [&] { return faults.isEnabled(); });
    camera.take(fixture, QStringLiteral("server-fault-race"));
    fixture.click("racePlay");
    playedStory(fixture, camera, QStringLiteral("server-fault-counterexample"));
}

/// Takes the race finder for a program: form, result, and its story.
void program(MainWindowFixture &fixture, const Camera &camera)
{
    QTest::mouseClick(&fixture.widget<QToolButton>("storiesButton"), Qt::LeftButton);
    fixture.click("exploreProgram");
    fixture.widget<QLineEdit>("programCommand").setText(test::workerCommand(QStringLiteral("handover")).join(u' '));
    camera.take(fixture, QStringLiteral("program-form"));
    auto &faults = fixture.widget<QComboBox>("programServerFaults");
    faults.setCurrentIndex(1); // All kinds have the most fields.
    camera.take(fixture, QStringLiteral("program-faults"));
    faults.setCurrentIndex(0);
    fixture.click("programStart");
    const auto &panel = fixture.widget<ui::stories::ProgramPanel>("programPanel");
    await("the search is over", [&] { return panel.search().state() == racesearch::RaceSearch::State::Over; });
    camera.take(fixture, QStringLiteral("program"));
    fixture.click("programPlay");
    auto &speed = fixture.widget<QComboBox>("storySpeed");
    speed.setCurrentIndex(speed.count() - 1);
    fixture.click("storyPlay");
    const auto *told = fixture.window.findChild<ui::stories::AlternativeView *>();
    await("the story is over", [&] { return told->isOver(); });
    camera.take(fixture, QStringLiteral("program-story"));
}

/// Takes the field expiries. Needs a server that supports them, such as LATCHKEY_REDIS_SERVER.
void fields(MainWindowFixture &fixture, const Camera &camera)
{
    TestServer server;
    if (server({"HPTTL", "nothing", "FIELDS", "1", "f"}).isError())
        return;
    writeExamples(server.endpoint());
    const auto give = [&server](const QByteArray &key, const QByteArray &field, qint64 left) {
        server({"HSET", key, field, "1"});
        if (left > 0)
            server({"HPEXPIRE", key, QByteArray::number(left), "FIELDS", "1", field});
    };
    give("locks:printer", "worker-7", 8'000);
    give("locks:printer", "worker-2", 42'000);
    give("locks:printer", "第二车间", 250'000);
    give("session:carts", "none", 0);
    for (int i = 0; i < 130; ++i)
        give("session:carts", "cart-" + QByteArray::number(7000 + i), 500'000 + i * 10'000);
    fixture.workspace.open(server.endpoint());
    await("the server is watched", [&] { return isReady(fixture) && isComplete(fixture); });
    fixture.table().sortByColumn(KeyTableModel::KeyColumn, Qt::AscendingOrder);
    for (const char *key : {"locks:printer", "session:carts"}) {
        const keys::KnownKeys &known = fixture.workspace.inspected()->store().known();
        await("the fields are known", [&] { return known.fieldEndsOf(*known.table.find(key)) != nullptr; });
        fixture.table().keyModel()->grouped().setOpen(*known.table.find(key), true);
    }
    fixture.choose(QStringLiteral("locks:printer"));
    camera.take(fixture, QStringLiteral("fields"));
    fixture.table().scrollToBottom();
    camera.take(fixture, QStringLiteral("fields-end"));
}

/// Takes the pages and dialogs that no other scene shows, without running anything in them.
void pages(MainWindowFixture &fixture, const Camera &camera)
{
    TestServer server;
    writeExamples(server.endpoint());
    fixture.workspace.open(server.endpoint());
    await("the server is watched", [&] { return isReady(fixture); });
    await("everything on screen has been read", [&] { return fixture.rows() > 0 && isComplete(fixture); });
    QTest::mouseClick(&fixture.widget<QToolButton>("storiesButton"), Qt::LeftButton);
    camera.take(fixture, QStringLiteral("stories"));
    QTest::mouseClick(&fixture.widget<QToolButton>("labButton"), Qt::LeftButton);
    camera.take(fixture, QStringLiteral("lab"));
    for (const char *part : {"labExpectations", "labForecast"}) {
        fixture.click(part);
        camera.take(fixture, QLatin1String(part));
    }
    QTest::mouseClick(&fixture.widget<QToolButton>("inspectorButton"), Qt::LeftButton);
    if (!fixture.workspace.servers().put({QStringLiteral("orders"), server.endpoint(),
                                          connections::Environment::Production, QStringLiteral("shop"),
                                          connections::ColourMark::Red}))
        qFatal("cannot save a server");
    QTest::keyClick(&fixture.window, Qt::Key_K, Qt::ControlModifier);
    await("the servers are listed", [&] { return fixture.dialog<QDialog>("serverSwitcher") != nullptr; });
    camera.take(fixture, QStringLiteral("servers"));
    fixture.click("serverEdit");
    await("the dialog is open", [&] { return fixture.dialog<QDialog>("serverDialog") != nullptr; });
    camera.take(fixture, QStringLiteral("server-change"));
    fixture.click("serverTest");
    await("the test is over", [&] {
        return fixture.button("serverTest").text() != u"&Stop"
            && fixture.widget<QLabel>("serverResult").property("tone").isValid()
            && !fixture.widget<QLabel>("serverResult").property("tone").toString().isEmpty();
    });
    camera.take(fixture, QStringLiteral("server-tested"));
}

/// Takes the page of a redlock group with a server that disagrees, one without the key, and one that is frozen.
void redlockGroup(MainWindowFixture &fixture, const Camera &camera)
{
    QTest::mouseClick(&fixture.widget<QToolButton>("groupButton"), Qt::LeftButton);
    camera.take(fixture, QStringLiteral("group-none"));
    std::vector<std::unique_ptr<TestServer>> servers;
    QStringList names;
    for (const char *name : {"london", "paris", "rome", "oslo", "vienna"}) {
        servers.push_back(std::make_unique<TestServer>());
        names += QLatin1String(name);
        if (!fixture.workspace.servers().put({names.last(), servers.back()->endpoint()}))
            qFatal("cannot save a server");
    }
    if (!fixture.workspace.servers().putGroup({QStringLiteral("orders"), names}))
        qFatal("cannot save a group");
    const auto hold = [&](std::size_t server, const char *key, const char *holder, const char *left) {
        (*servers[server])({"SET", key, holder, "PX", left});
    };
    for (std::size_t i = 0; i < 4; ++i)
        hold(i, "lock:orders:4711", "9f1c27ab4e0d4d2c8a7be15590c6d731", "27400");
    for (std::size_t i = 0; i < 5; ++i)
        hold(i, "lock:report", i < 2 ? "0b7e5f3e21a94f5c9d6a8c4b7f2e1d90" : "c3d2e1f0a9b84756b3c4d5e6f7a8b9c0",
             "540000");
    fixture.workspace.openGroup(QStringLiteral("orders"));
    const auto &table = fixture.widget<QTableView>("groupTable");
    await("the locks are listed", [&] { return table.model()->rowCount() == 2; });
    ::kill(static_cast<pid_t>(servers[3]->process().processId()), SIGSTOP);
    await("a server is silent",
          [&] { return fixture.workspace.groupServers()[3]->watcher().coverage().gap() != nullptr; });
    fixture.widget<QTableView>("groupTable").setCurrentIndex(table.model()->index(0, 0));
    camera.take(fixture, QStringLiteral("group"));
    ::kill(static_cast<pid_t>(servers[3]->process().processId()), SIGCONT);
    QTest::keyClick(&fixture.window, Qt::Key_K, Qt::ControlModifier);
    await("the servers are listed", [&] { return fixture.dialog<QDialog>("serverSwitcher") != nullptr; });
    camera.take(fixture, QStringLiteral("group-servers"));
    fixture.click("serverNewGroup");
    await("the dialog is open", [&] { return fixture.dialog<QDialog>("groupDialog") != nullptr; });
    camera.take(fixture, QStringLiteral("group-new"));
}

using Scene = void (*)(MainWindowFixture &, const Camera &);
const std::vector<std::pair<QString, Scene>> &scenes()
{
    static const std::vector<std::pair<QString, Scene>> all {
        {QStringLiteral("inspector"), inspector},
        {QStringLiteral("delete"), stuckKey},
        {QStringLiteral("arm"), arming},
        {QStringLiteral("password"), password},
        {QStringLiteral("empty"), empty},
        {QStringLiteral("playground"), playgroundPage},
        {QStringLiteral("crowd"), crowd},
        {QStringLiteral("details"), details},
        {QStringLiteral("race"), race},
        {QStringLiteral("program"), program},
        {QStringLiteral("fields"), fields},
        {QStringLiteral("help"), help},
        {QStringLiteral("alerts"), alerts},
        {QStringLiteral("pages"), pages},
        {QStringLiteral("server-faults"), serverFaults},
        {QStringLiteral("group"), redlockGroup},
        {QStringLiteral("presentation"), presentation},
    };
    return all;
}

} // namespace

int main(int argc, char *argv[])
{
    QApplication application(argc, argv);
    const QStringList words = QApplication::arguments();
    if (words.size() < 2)
        qFatal("see the comment at the top of its source");
    Camera camera;
    camera.folder.setPath(words[1]);
    if (!camera.folder.mkpath(QStringLiteral(".")))
        qFatal("cannot make %s", qPrintable(words[1]));
    if (const QStringList size = qEnvironmentVariable("LATCHKEY_PICTURE_SIZE").split(u'x'); size.size() == 2)
        camera.size = QSize(size[0].toInt(), size[1].toInt());
    if (words.contains(QStringLiteral("crash")))
        crash(camera);
    for (const auto &[name, scene] : scenes()) {
        if (words.size() > 2 && !words.sliced(2).contains(name))
            continue;
        MainWindowFixture fixture;
        fixture.languageSwitcher.choose(pictureLanguage());
        fixture.window.resize(camera.size);
        scene(fixture, camera);
    }
    return 0;
}

#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"
#include "ui/pages/inspector/inspectorpage.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTest>
#include <QTextBlock>
#include <QTreeWidget>

namespace tst_valueview {

using namespace latchkey;
using keys::KeyType;
using test::TestServer;
using ui::detail::ValueForm;
using ui::detail::ValueView;
using ui::inspector::InspectorPage;
using watching::ValuePage;

namespace {

constexpr qint64 mebi = 1024LL * 1024;

/// The page with its details, with a real server and one selected key.
struct Fixture
{
    explicit Fixture(TestServer &testServer, const net::Endpoint &endpoint)
        : server(testServer)
        , inspected(endpoint, false, base::SystemClock::instance(), base::SystemRandom::instance())
    {
        page.resize(1280, 700);
        page.show();
        page.setServer(&inspected);
        inspected.start();
        page.findChild<QPushButton *>(QStringLiteral("showDetails"))->click();
    }
    explicit Fixture(TestServer &testServer)
        : Fixture(testServer, testServer.endpoint())
    {}

    [[nodiscard]] ui::keytable::KeyTableView &table() const { return *page.findChild<ui::keytable::KeyTableView *>(); }
    [[nodiscard]] ValueView &view() const { return *page.findChild<ValueView *>(); }
    template<typename Widget>
    [[nodiscard]] Widget &part(const char *name) const
    {
        return *view().findChild<Widget *>(QString::fromLatin1(name));
    }
    [[nodiscard]] QString note() const { return part<QLabel>("caption").text(); }
    [[nodiscard]] QString change() const { return part<QLabel>("valueChange").text(); }
    [[nodiscard]] QString text() const { return part<QPlainTextEdit>("valueText").toPlainText(); }
    [[nodiscard]] bool isShown(const char *name) const { return part<QWidget>(name).isVisible(); }
    [[nodiscard]] QStringList rows() const
    {
        const auto &list = part<QTreeWidget>("valueRows");
        QStringList found;
        for (int row = 0; row < list.topLevelItemCount(); ++row)
            found += list.topLevelItem(row)->text(0) + QStringLiteral(" | ") + list.topLevelItem(row)->text(1);
        return found;
    }
    void click(const char *name) const { part<QPushButton>(name).click(); }

    TestServer &server;
    ui::theme::Appearance appearance {*qobject_cast<QApplication *>(QCoreApplication::instance())};
    ui::widgets::Messages messages;
    mutable inspection::InspectedServer inspected;
    InspectorPage page {appearance, messages, base::SystemClock::instance()};
};

/// Selects the only key of the server, and waits until the value read while watching is shown.
#define AWAIT_SAMPLE(fixture)                                                                      \
    LATCHKEY_AWAIT((fixture).table().keyModel() && (fixture).table().keyModel()->rowCount() == 1); \
    (fixture).table().selectRow(0);                                                                \
    LATCHKEY_AWAIT((fixture).note() != u"Not read yet" && !(fixture).note().isEmpty())

} // namespace

/// Tests of reading values page by page, from real servers.
class TestValueView final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void bytes_areShownAsIsBest_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("form");
        QTest::addColumn<QString>("text");
        const auto row = [](const char *name, const QByteArray &bytes, ValueForm form, const QString &text) {
            QTest::newRow(name) << bytes << static_cast<int>(form) << text;
        };
        row("text", "hello\nworld", ValueForm::Text, QStringLiteral("hello\nworld"));
        row("nothing", "", ValueForm::Text, QString());
        row("Chinese", "\xe9\x94\x81", ValueForm::Text, QStringLiteral("\u9501"));
        row("HTML", "<b>x</b>", ValueForm::Text, QStringLiteral("<b>x</b>"));
        row("control characters", "a\x1b[31m", ValueForm::Text, QStringLiteral("a\\x1b[31m"));
        row("JSON keeps order and numbers",
            "{\"b\":12345678901234567890, \"a\" : [ ],\"c\":[1.50,{\"d\":\"x,\\\"}\"}]}", ValueForm::Json,
            QStringLiteral(
                "{\n  \"b\": 12345678901234567890,\n  \"a\": [],\n  \"c\": [\n    1.50,\n    {\n      \"d\": "
                "\"x,\\\"}\"\n    }\n  ]\n}"));
        row("no JSON", "{\"a\":}", ValueForm::Text, QStringLiteral("{\"a\":}"));
        row("JSON that is no more than a number", "17", ValueForm::Text, QStringLiteral("17"));
        row("binary", QByteArray("\x00\xff%1\x80", 5), ValueForm::Hex,
            QStringLiteral("0000  00 ff 25 31 80                                   ..%1."));
    }
    void bytes_areShownAsIsBest()
    {
        QFETCH(const QByteArray, bytes);
        QFETCH(const int, form);
        QCOMPARE(static_cast<int>(ui::detail::bestForm(bytes, true)), form);
        const QString text = form == static_cast<int>(ValueForm::Json)
                               ? ui::detail::jsonLines(bytes).value_or(QString())
                           : form == static_cast<int>(ValueForm::Hex) ? ui::detail::hexLines(bytes, 0)
                                                                      : ui::detail::textLines(bytes);
        QTEST(text, "text");
    }

    /// Wrapped lines are unreadable.
    void hexLines_areAsLongAsThereIsRoom()
    {
        using ui::detail::hexBytesPerLine;
        using ui::detail::hexLines;
        for (const int characters : {20, 36, 37, 60, 70, 71, 72, 100}) {
            const int bytes = hexBytesPerLine(characters, 256);
            const QString line = hexLines(QByteArray(bytes, '\x80'), 0, bytes);
            QVERIFY2(line.size() <= characters || bytes == 4, qPrintable(line));
        }
        QCOMPARE(hexBytesPerLine(71, 256), 16);
        QCOMPARE(hexBytesPerLine(70, 256), 8);
        QCOMPARE(hexBytesPerLine(37, 256), 8);
        QCOMPARE(hexBytesPerLine(36, 256), 4);
        QCOMPARE(hexBytesPerLine(71, 0x12345), 8); // Its offsets are longer.
        QVERIFY((*server)({"SET", "binary", QByteArray(64, '\xfe'), "PX", "600000"}).isOk());
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        const auto &text = fixture.part<QPlainTextEdit>("valueText");
        const auto isWrapped = [&] {
            for (QTextBlock block = text.document()->begin(); block.isValid(); block = block.next()) {
                if (block.lineCount() != 1)
                    return true;
            }
            return false;
        };
        LATCHKEY_AWAIT(text.document()->blockCount() > 4 && !isWrapped());
        auto *split =
            const_cast<InspectorPage &>(fixture.page).findChild<QSplitter *>(QStringLiteral("inspectorSplit"));
        split->setSizes({400, 800});
        LATCHKEY_AWAIT(text.document()->blockCount() == 4 && !isWrapped());
    }

    /// A user who reads pages by keyboard keeps the focus on the button.
    void keyboard_staysAtTheButtonThatWasPressed()
    {
        QVERIFY((*server)({"SET", "big", QByteArray(100'000, 'x')}).isOk());
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        const_cast<InspectorPage &>(fixture.page).activateWindow();
        auto &read = fixture.part<QPushButton>("valueRead");
        read.setFocus();
        LATCHKEY_AWAIT(read.hasFocus());
        QTest::keyClick(&read, Qt::Key_Space);
        QVERIFY(read.hasFocus());
        LATCHKEY_AWAIT(fixture.note().startsWith(u"string, bytes 1 to "));
        QVERIFY(read.hasFocus());
    }

    void largeString_isNeverReadWhole()
    {
        QVERIFY((*server)({"SETRANGE", "big", QByteArray::number(64 * mebi - 3), "end"}).isInteger(64 * mebi));
        QVERIFY((*server)({"SETRANGE", "big", "0", "beginning"}).isInteger(64 * mebi));
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        QCOMPARE(fixture.note(), QStringLiteral("string, the first 256 of 67,108,864 bytes"));
        const auto before = (*server)({"INFO", "stats"}).bytes();
        fixture.click("valueRead");
        LATCHKEY_AWAIT(fixture.note().startsWith(u"string, bytes 1 to 16,384 of 67,108,864, read at "));
        fixture.click("valueNext");
        LATCHKEY_AWAIT(fixture.note().startsWith(u"string, bytes 16,385 to 32,768 of 67,108,864, read at "));
        QVERIFY(fixture.text().startsWith(QStringLiteral("\\x00")));
        fixture.part<QComboBox>("valueForm").setCurrentIndex(2);
        Q_EMIT fixture.part<QComboBox>("valueForm").activated(2);
        QVERIFY(fixture.text().startsWith(QStringLiteral("4000 00 00 ")));
        fixture.click("valuePrevious");
        LATCHKEY_AWAIT(fixture.note().startsWith(u"string, bytes 1 to "));
        QVERIFY(fixture.text().startsWith(QStringLiteral("0000 62 65 67 69 6e")));
        QVERIFY(!fixture.part<QPushButton>("valuePrevious").isEnabled());
        // The server has sent only a few pages since, and the data for watching.
        const auto sent = [](const QByteArray &info) {
            const qsizetype at = info.indexOf("total_net_output_bytes:") + 23;
            return info.sliced(at, info.indexOf('\r', at) - at).toLongLong();
        };
        QVERIFY(sent((*server)({"INFO", "stats"}).bytes()) - sent(before) < 4 * mebi);
    }

    void pagesOfText_endBetweenCharacters()
    {
        const QByteArray lock("a\xe9\x94\x81\xe5\xae\x89"); // Seven bytes, so that no page ends at a character by
                                                            // chance.
        QVERIFY((*server)({"SET", "text", lock.repeated(10'000)}).isOk());
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        fixture.click("valueRead");
        QString all;
        for (int page = 0; page < 5; ++page) {
            LATCHKEY_AWAIT(fixture.view().page() && fixture.change().isEmpty());
            QVERIFY2(!fixture.text().contains(QLatin1String("\\x")), qPrintable(fixture.note()));
            all += fixture.text();
            if (page < 4)
                fixture.click("valueNext");
        }
        QCOMPARE(all, QString::fromUtf8(lock.repeated(10'000)));
        QVERIFY(!fixture.part<QPushButton>("valueNext").isEnabled());
    }

    void json_isReadWholeAndIndented()
    {
        QByteArray json("[0");
        for (int i = 1; i < 5000; ++i)
            json += ',' + QByteArray::number(i);
        json += ']';
        QVERIFY(json.size() > watching::PageRequest::defaultBytes);
        QVERIFY((*server)({"SET", "json", json}).isOk());
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        fixture.click("valueRead");
        LATCHKEY_AWAIT(fixture.note().startsWith(u"string, all "));
        QVERIFY(fixture.text().endsWith(QLatin1String("\n  4999\n]")));
        fixture.part<QComboBox>("valueForm").setCurrentIndex(0);
        Q_EMIT fixture.part<QComboBox>("valueForm").activated(0);
        QCOMPARE(fixture.text(), QString::fromLatin1(json));
    }

    void largeHash_isReadInPages()
    {
        resp::Command fields {"HSET", "hash"};
        for (int i = 0; i < 100'000; ++i)
            fields << "field-" + QByteArray::number(i) << QByteArray::number(i);
        QVERIFY((*server)(fields).isInteger(100'000));
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        QVERIFY(fixture.note().endsWith(QLatin1String("of 100,000 elements")));
        QVERIFY(!fixture.rows().isEmpty());
        fixture.click("valueRead");
        QSet<QString> seen;
        for (int page = 0; page < 3; ++page) {
            LATCHKEY_AWAIT(fixture.view().page() && fixture.change().isEmpty());
            QVERIFY(fixture.rows().size() >= 100 && fixture.rows().size() < 200);
            for (const QString &row : fixture.rows()) {
                const QString field = row.section(QLatin1String(" | "), 0, 0);
                QCOMPARE(row, field + QStringLiteral(" | ") + field.section(u'-', 1));
                QVERIFY(!seen.contains(field));
                seen += field;
            }
            fixture.click("valueNext");
        }
        LATCHKEY_AWAIT(fixture.change().isEmpty());
        QVERIFY2(fixture.note().contains(QLatin1String(" of 100,000, read at ")), qPrintable(fixture.note()));
        const QStringList rows = fixture.rows();
        fixture.click("valuePrevious");
        LATCHKEY_AWAIT(fixture.change().isEmpty() && fixture.rows() != rows);
        QVERIFY(seen.contains(fixture.rows().value(0).section(QLatin1String(" | "), 0, 0)));
    }

    void everyType_isATable_data()
    {
        QTest::addColumn<QList<QByteArray>>("command");
        QTest::addColumn<QStringList>("rows");
        QTest::addColumn<QString>("note");
        const auto row = [](const char *name, const QList<QByteArray> &command, const QStringList &rows,
                            const QString &note) { QTest::newRow(name) << command << rows << note; };
        row("list", {"RPUSH", "key", "a", "\xff<b>"}, {QStringLiteral("0 | a"), QStringLiteral("1 | \\xff<b>")},
            QStringLiteral("list, all 2 elements, read at "));
        row("set", {"SADD", "key", "7"}, {QStringLiteral("7 | ")}, QStringLiteral("set, all 1 elements, read at "));
        row("sorted set", {"ZADD", "key", "1.5", "a", "2", "\xe9\x94\x81"},
            {QStringLiteral("a | 1.5"), QStringLiteral("\u9501 | 2")},
            QStringLiteral("zset, all 2 elements, read at "));
        row("stream", {"XADD", "key", "5-1", "who", "Ann", "at", "7"}, {QStringLiteral("5-1 | who: Ann, at: 7")},
            QStringLiteral("stream, all 1 elements, read at "));
    }
    void everyType_isATable()
    {
        QFETCH(const QList<QByteArray>, command);
        resp::Command made;
        for (const QByteArray &word : command)
            made << word;
        QVERIFY(!(*server)(made).isError());
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        if (command.front() == "XADD") {
            fixture.click("valueRead");
            LATCHKEY_AWAIT(fixture.view().page());
        } else {
            QVERIFY2(!fixture.isShown("valueRead"), "all of it is there already");
            fixture.view().showPage(base::failure(base::ErrorKind::Local, base::Text(QStringLiteral("x"))));
            Q_EMIT fixture.view().pageRequested("key", {});
            LATCHKEY_AWAIT(fixture.view().page());
        }
        QTEST(fixture.rows(), "rows");
        QFETCH(const QString, note);
        QVERIFY2(fixture.note().startsWith(note), qPrintable(fixture.note()));
    }

    void pagesOfEveryType_coverItAllOnce_data()
    {
        QTest::addColumn<QByteArray>("type");
        for (const char *type : {"list", "set", "zset", "stream", "hash"})
            QTest::newRow(type) << QByteArray(type);
    }
    void pagesOfEveryType_coverItAllOnce()
    {
        QFETCH(const QByteArray, type);
        constexpr int count = 1234;
        resp::Command made = type == "list" ? resp::Command {"RPUSH", "key"}
                           : type == "set"  ? resp::Command {"SADD", "key"}
                           : type == "zset" ? resp::Command {"ZADD", "key"}
                                            : resp::Command {"HSET", "key"};
        for (int i = 0; i < count; ++i) {
            const QByteArray member = "m" + QByteArray::number(i);
            if (type == "stream")
                QVERIFY((*server)({"XADD", "key", QByteArray::number(1 + i / 3) + '-' + QByteArray::number(i % 3 + 1),
                                   "m", member})
                            .isBulk());
            else if (type == "zset")
                made << QByteArray::number(i) << member;
            else if (type == "hash")
                made << member << "x";
            else
                made << member;
        }
        if (type != "stream")
            QVERIFY((*server)(made).isInteger(count));
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        fixture.click("valueRead");
        QSet<QString> seen;
        for (int pages = 0; pages < 40; ++pages) {
            LATCHKEY_AWAIT(fixture.view().page() && fixture.change().isEmpty());
            for (const QString &row : fixture.rows()) {
                QVERIFY2(!seen.contains(row), qPrintable(row));
                seen += row;
            }
            if (!fixture.view().page()->next)
                break;
            fixture.click("valueNext");
        }
        QCOMPARE(seen.size(), count);
    }

    void manyLargeElements_areReadInSmallerPages()
    {
        const QByteArray large(512 * 1024, 'x');
        for (int i = 0; i < 40; ++i)
            QVERIFY((*server)({"RPUSH", "list", large}).isInteger(i + 1));
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        fixture.click("valueRead");
        LATCHKEY_AWAIT(fixture.view().page());
        QVERIFY(fixture.rows().size() <= 4);
        QVERIFY(fixture.rows().value(0).endsWith(QStringLiteral("xxx\u2026 (524,288 bytes)")));
    }

    void deniedRead_givesOneSentence()
    {
        resp::Command fields {"HSET", "hash"};
        for (int i = 0; i < 1000; ++i)
            fields << QByteArray::number(i) << "x";
        QVERIFY((*server)(fields).isInteger());
        QVERIFY((*server)({"ACL", "SETUSER", "reader", "on", ">secret", "~*", "&*", "+@all", "-hscan"}).isOk());
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("reader");
        endpoint.password = QStringLiteral("secret");
        const Fixture fixture(*server, endpoint);
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 1);
        fixture.table().selectRow(0);
        LATCHKEY_AWAIT(fixture.isShown("valueRead"));
        fixture.click("valueRead");
        LATCHKEY_AWAIT(fixture.change().contains(QLatin1String("NOPERM")));
        QVERIFY2(fixture.change().contains(QLatin1String("hscan")), qPrintable(fixture.change()));
        QVERIFY(!fixture.change().contains(u'\n'));
        // With the permission, reading works again.
        QVERIFY((*server)({"ACL", "SETUSER", "reader", "+hscan"}).isOk());
        fixture.click("valueRead");
        LATCHKEY_AWAIT(fixture.view().page() && fixture.change().isEmpty());
        QCOMPARE(fixture.view().page()->size, 1000);
    }

    /// While values were refused, a page can be the first read of the value. A sample that comes later shows no change.
    void firstSampleAfterThePage_isNoChange()
    {
        QVERIFY((*server)({"SET", "key", "v"}).isOk());
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        fixture.view().watch("other", std::nullopt, {});
        watching::ValuePage page;
        page.type = keys::KeyType::Hash;
        page.size = 1;
        page.rows = {{"field", "v", 5, 1}};
        fixture.view().showPage(page);
        keys::RawValue sample;
        sample.type = keys::KeyType::Hash;
        sample.size = 1;
        sample.parts = {"field", "v"};
        fixture.view().watch("other", sample, {});
        QCOMPARE(fixture.change(), QString());
        sample.size = 2;
        fixture.view().watch("other", sample, {});
        QCOMPARE(fixture.change(), QStringLiteral("The value has changed."));
    }

    void replacedKey_isReportedAndReadAgain()
    {
        QVERIFY((*server)({"SET", "key", QByteArray(20'000, 'a')}).isOk());
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        fixture.click("valueRead");
        LATCHKEY_AWAIT(fixture.view().page() && fixture.change().isEmpty());
        QVERIFY((*server)({"SETRANGE", "key", "0", "b"}).isInteger());
        LATCHKEY_AWAIT(fixture.change() == u"The value has changed.");
        QVERIFY(fixture.text().startsWith(u'a')); // As it was read, with its time.
        QVERIFY((*server)({"DEL", "key"}).isInteger(1));
        QVERIFY((*server)({"RPUSH", "key", "x", "y"}).isInteger(2));
        LATCHKEY_AWAIT(fixture.change() == u"The type is now list.");
        fixture.click("valueNext");
        LATCHKEY_AWAIT(fixture.note().startsWith(u"list, all 2 elements"));
        QCOMPARE(fixture.rows(), (QStringList {QStringLiteral("0 | x"), QStringLiteral("1 | y")}));
        QVERIFY(fixture.change().isEmpty());
    }

    void keyThatIsNotThere_isNoError()
    {
        const Fixture fixture(*server);
        std::optional<base::Result<ValuePage>> page;
        fixture.inspected.read<ValuePage>([] { return watching::readValuePage(base::Key("none"), {}); },
                                          [&](const base::Result<ValuePage> &read) { page = read; });
        LATCHKEY_AWAIT(page.has_value());
        LATCHKEY_VERIFY_RESULT(*page);
        QVERIFY(ui::detail::pageNote(**page).startsWith(QLatin1String("The key did not exist at ")));
    }

    void serverThatIsGone_isReported()
    {
        QVERIFY((*server)({"SET", "key", QByteArray(20'000, 'a')}).isOk());
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        server->kill();
        fixture.click("valueRead");
        LATCHKEY_AWAIT(!fixture.change().isEmpty() && fixture.change() != u"Reading…");
        QVERIFY(!fixture.view().page());
        QVERIFY2(fixture.isShown("valueRead"), "it can be tried again");
    }

    void nothingIsRead_beforeItIsAskedFor()
    {
        QVERIFY((*server)({"SET", "key", QByteArray(20'000, 'a')}).isOk());
        const Fixture fixture(*server);
        AWAIT_SAMPLE(fixture);
        QVERIFY(fixture.isShown("valueRead") && !fixture.isShown("valueNext"));
        const auto clients = [&] { return (*server)({"CLIENT", "LIST"}).bytes().count('\n'); };
        const auto watching = clients();
        fixture.click("valueRead");
        LATCHKEY_AWAIT(fixture.view().page());
        // Its connection is closed afterwards.
        LATCHKEY_AWAIT(clients() == watching);
    }

    void answerForAnotherKey_isNotShown()
    {
        QVERIFY((*server)({"SET", "a", QByteArray(20'000, 'a')}).isOk());
        QVERIFY((*server)({"SET", "b", "short"}).isOk());
        const Fixture fixture(*server);
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 2);
        const auto choose = [&](int row) {
            fixture.table().selectRow(row);
            return test::waitFor([&] { return fixture.note() != u"Not read yet"; });
        };
        QVERIFY(choose(0));
        fixture.click("valueRead");
        QVERIFY(choose(1));
        QCOMPARE(fixture.note(), QStringLiteral("string, 5 bytes"));
        LATCHKEY_AWAIT(fixture.inspected.commandsSent() > 0);
        Q_EMIT fixture.view().pageRequested("b", {KeyType::String, 0, {}, 0});
        LATCHKEY_AWAIT(fixture.view().page());
        QCOMPARE(fixture.text(), QStringLiteral("short"));
    }
};

LATCHKEY_WINDOW_TEST(TestValueView)

} // namespace tst_valueview

#include "tst_valueview.moc"

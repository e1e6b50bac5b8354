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
struct Bench
{
    explicit Bench(TestServer &testServer, const net::Endpoint &endpoint)
        : server(testServer)
        , inspected(endpoint, false, base::SystemClock::instance(), base::SystemRandom::instance())
    {
        page.resize(1280, 700);
        page.show();
        page.setServer(&inspected);
        inspected.start();
        page.findChild<QPushButton *>(QStringLiteral("showDetails"))->click();
    }
    explicit Bench(TestServer &testServer)
        : Bench(testServer, testServer.endpoint())
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
#define AWAIT_SAMPLE(bench)                                                                    \
    LATCHKEY_AWAIT((bench).table().keyModel() && (bench).table().keyModel()->rowCount() == 1); \
    (bench).table().selectRow(0);                                                              \
    LATCHKEY_AWAIT((bench).note() != u"Not read yet" && !(bench).note().isEmpty())

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
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        const auto &text = bench.part<QPlainTextEdit>("valueText");
        const auto isWrapped = [&] {
            for (QTextBlock block = text.document()->begin(); block.isValid(); block = block.next()) {
                if (block.lineCount() != 1)
                    return true;
            }
            return false;
        };
        LATCHKEY_AWAIT(text.document()->blockCount() > 4 && !isWrapped());
        auto *split = const_cast<InspectorPage &>(bench.page).findChild<QSplitter *>(QStringLiteral("inspectorSplit"));
        split->setSizes({400, 800});
        LATCHKEY_AWAIT(text.document()->blockCount() == 4 && !isWrapped());
    }

    /// A user who reads pages by keyboard keeps the focus on the button.
    void keyboard_staysAtTheButtonThatWasPressed()
    {
        QVERIFY((*server)({"SET", "big", QByteArray(100'000, 'x')}).isOk());
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        const_cast<InspectorPage &>(bench.page).activateWindow();
        auto &read = bench.part<QPushButton>("valueRead");
        read.setFocus();
        LATCHKEY_AWAIT(read.hasFocus());
        QTest::keyClick(&read, Qt::Key_Space);
        QVERIFY(read.hasFocus());
        LATCHKEY_AWAIT(bench.note().startsWith(u"string, bytes 1 to "));
        QVERIFY(read.hasFocus());
    }

    void largeString_isNeverReadWhole()
    {
        QVERIFY((*server)({"SETRANGE", "big", QByteArray::number(64 * mebi - 3), "end"}).isInteger(64 * mebi));
        QVERIFY((*server)({"SETRANGE", "big", "0", "beginning"}).isInteger(64 * mebi));
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        QCOMPARE(bench.note(), QStringLiteral("string, the first 256 of 67,108,864 bytes"));
        const auto before = (*server)({"INFO", "stats"}).bytes();
        bench.click("valueRead");
        LATCHKEY_AWAIT(bench.note().startsWith(u"string, bytes 1 to 16,384 of 67,108,864, read at "));
        bench.click("valueNext");
        LATCHKEY_AWAIT(bench.note().startsWith(u"string, bytes 16,385 to 32,768 of 67,108,864, read at "));
        QVERIFY(bench.text().startsWith(QStringLiteral("\\x00")));
        bench.part<QComboBox>("valueForm").setCurrentIndex(2);
        Q_EMIT bench.part<QComboBox>("valueForm").activated(2);
        QVERIFY(bench.text().startsWith(QStringLiteral("4000 00 00 ")));
        bench.click("valuePrevious");
        LATCHKEY_AWAIT(bench.note().startsWith(u"string, bytes 1 to "));
        QVERIFY(bench.text().startsWith(QStringLiteral("0000 62 65 67 69 6e")));
        QVERIFY(!bench.part<QPushButton>("valuePrevious").isEnabled());
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
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        bench.click("valueRead");
        QString all;
        for (int page = 0; page < 5; ++page) {
            LATCHKEY_AWAIT(bench.view().page() && bench.change().isEmpty());
            QVERIFY2(!bench.text().contains(QLatin1String("\\x")), qPrintable(bench.note()));
            all += bench.text();
            if (page < 4)
                bench.click("valueNext");
        }
        QCOMPARE(all, QString::fromUtf8(lock.repeated(10'000)));
        QVERIFY(!bench.part<QPushButton>("valueNext").isEnabled());
    }

    void json_isReadWholeAndIndented()
    {
        QByteArray json("[0");
        for (int i = 1; i < 5000; ++i)
            json += ',' + QByteArray::number(i);
        json += ']';
        QVERIFY(json.size() > watching::PageRequest::defaultBytes);
        QVERIFY((*server)({"SET", "json", json}).isOk());
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        bench.click("valueRead");
        LATCHKEY_AWAIT(bench.note().startsWith(u"string, all "));
        QVERIFY(bench.text().endsWith(QLatin1String("\n  4999\n]")));
        bench.part<QComboBox>("valueForm").setCurrentIndex(0);
        Q_EMIT bench.part<QComboBox>("valueForm").activated(0);
        QCOMPARE(bench.text(), QString::fromLatin1(json));
    }

    void largeHash_isReadInPages()
    {
        resp::Command fields {"HSET", "hash"};
        for (int i = 0; i < 100'000; ++i)
            fields << "field-" + QByteArray::number(i) << QByteArray::number(i);
        QVERIFY((*server)(fields).isInteger(100'000));
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        QVERIFY(bench.note().endsWith(QLatin1String("of 100,000 elements")));
        QVERIFY(!bench.rows().isEmpty());
        bench.click("valueRead");
        QSet<QString> seen;
        for (int page = 0; page < 3; ++page) {
            LATCHKEY_AWAIT(bench.view().page() && bench.change().isEmpty());
            QVERIFY(bench.rows().size() >= 100 && bench.rows().size() < 200);
            for (const QString &row : bench.rows()) {
                const QString field = row.section(QLatin1String(" | "), 0, 0);
                QCOMPARE(row, field + QStringLiteral(" | ") + field.section(u'-', 1));
                QVERIFY(!seen.contains(field));
                seen += field;
            }
            bench.click("valueNext");
        }
        LATCHKEY_AWAIT(bench.change().isEmpty());
        QVERIFY2(bench.note().contains(QLatin1String(" of 100,000, read at ")), qPrintable(bench.note()));
        const QStringList rows = bench.rows();
        bench.click("valuePrevious");
        LATCHKEY_AWAIT(bench.change().isEmpty() && bench.rows() != rows);
        QVERIFY(seen.contains(bench.rows().value(0).section(QLatin1String(" | "), 0, 0)));
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
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        if (command.front() == "XADD") {
            bench.click("valueRead");
            LATCHKEY_AWAIT(bench.view().page());
        } else {
            QVERIFY2(!bench.isShown("valueRead"), "all of it is there already");
            bench.view().showPage(base::failure(base::ErrorKind::Local, base::Text(QStringLiteral("x"))));
            Q_EMIT bench.view().pageRequested("key", {});
            LATCHKEY_AWAIT(bench.view().page());
        }
        QTEST(bench.rows(), "rows");
        QFETCH(const QString, note);
        QVERIFY2(bench.note().startsWith(note), qPrintable(bench.note()));
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
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        bench.click("valueRead");
        QSet<QString> seen;
        for (int pages = 0; pages < 40; ++pages) {
            LATCHKEY_AWAIT(bench.view().page() && bench.change().isEmpty());
            for (const QString &row : bench.rows()) {
                QVERIFY2(!seen.contains(row), qPrintable(row));
                seen += row;
            }
            if (!bench.view().page()->next)
                break;
            bench.click("valueNext");
        }
        QCOMPARE(seen.size(), count);
    }

    void manyLargeElements_areReadInSmallerPages()
    {
        const QByteArray large(512 * 1024, 'x');
        for (int i = 0; i < 40; ++i)
            QVERIFY((*server)({"RPUSH", "list", large}).isInteger(i + 1));
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        bench.click("valueRead");
        LATCHKEY_AWAIT(bench.view().page());
        QVERIFY(bench.rows().size() <= 4);
        QVERIFY(bench.rows().value(0).endsWith(QStringLiteral("xxx\u2026 (524,288 bytes)")));
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
        const Bench bench(*server, endpoint);
        LATCHKEY_AWAIT(bench.table().keyModel()->rowCount() == 1);
        bench.table().selectRow(0);
        LATCHKEY_AWAIT(bench.isShown("valueRead"));
        bench.click("valueRead");
        LATCHKEY_AWAIT(bench.change().contains(QLatin1String("NOPERM")));
        QVERIFY2(bench.change().contains(QLatin1String("hscan")), qPrintable(bench.change()));
        QVERIFY(!bench.change().contains(u'\n'));
        // With the permission, reading works again.
        QVERIFY((*server)({"ACL", "SETUSER", "reader", "+hscan"}).isOk());
        bench.click("valueRead");
        LATCHKEY_AWAIT(bench.view().page() && bench.change().isEmpty());
        QCOMPARE(bench.view().page()->size, 1000);
    }

    /// While values were refused, a page can be the first read of the value. A sample that comes later shows no change.
    void firstSampleAfterThePage_isNoChange()
    {
        QVERIFY((*server)({"SET", "key", "v"}).isOk());
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        bench.view().watch("other", std::nullopt, {});
        watching::ValuePage page;
        page.type = keys::KeyType::Hash;
        page.size = 1;
        page.rows = {{"field", "v", 5, 1}};
        bench.view().showPage(page);
        keys::RawValue sample;
        sample.type = keys::KeyType::Hash;
        sample.size = 1;
        sample.parts = {"field", "v"};
        bench.view().watch("other", sample, {});
        QCOMPARE(bench.change(), QString());
        sample.size = 2;
        bench.view().watch("other", sample, {});
        QCOMPARE(bench.change(), QStringLiteral("The value has changed."));
    }

    void keyThatBecomesAnother_isReportedAndReadAnew()
    {
        QVERIFY((*server)({"SET", "key", QByteArray(20'000, 'a')}).isOk());
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        bench.click("valueRead");
        LATCHKEY_AWAIT(bench.view().page() && bench.change().isEmpty());
        QVERIFY((*server)({"SETRANGE", "key", "0", "b"}).isInteger());
        LATCHKEY_AWAIT(bench.change() == u"The value has changed.");
        QVERIFY(bench.text().startsWith(u'a')); // As it was read, with its time.
        QVERIFY((*server)({"DEL", "key"}).isInteger(1));
        QVERIFY((*server)({"RPUSH", "key", "x", "y"}).isInteger(2));
        LATCHKEY_AWAIT(bench.change() == u"The type is now list.");
        bench.click("valueNext");
        LATCHKEY_AWAIT(bench.note().startsWith(u"list, all 2 elements"));
        QCOMPARE(bench.rows(), (QStringList {QStringLiteral("0 | x"), QStringLiteral("1 | y")}));
        QVERIFY(bench.change().isEmpty());
    }

    void keyThatIsNotThere_isNoError()
    {
        const Bench bench(*server);
        std::optional<base::Result<ValuePage>> page;
        bench.inspected.read<ValuePage>([] { return watching::readValuePage(base::Key("none"), {}); },
                                        [&](const base::Result<ValuePage> &read) { page = read; });
        LATCHKEY_AWAIT(page.has_value());
        LATCHKEY_VERIFY_RESULT(*page);
        QVERIFY(ui::detail::pageNote(**page).startsWith(QLatin1String("The key did not exist at ")));
    }

    void serverThatIsGone_isReported()
    {
        QVERIFY((*server)({"SET", "key", QByteArray(20'000, 'a')}).isOk());
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        server->kill();
        bench.click("valueRead");
        LATCHKEY_AWAIT(!bench.change().isEmpty() && bench.change() != u"Reading…");
        QVERIFY(!bench.view().page());
        QVERIFY2(bench.isShown("valueRead"), "it can be tried again");
    }

    void nothingIsRead_beforeItIsAskedFor()
    {
        QVERIFY((*server)({"SET", "key", QByteArray(20'000, 'a')}).isOk());
        const Bench bench(*server);
        AWAIT_SAMPLE(bench);
        QVERIFY(bench.isShown("valueRead") && !bench.isShown("valueNext"));
        const auto clients = [&] { return (*server)({"CLIENT", "LIST"}).bytes().count('\n'); };
        const auto watching = clients();
        bench.click("valueRead");
        LATCHKEY_AWAIT(bench.view().page());
        // Its connection is closed afterwards.
        LATCHKEY_AWAIT(clients() == watching);
    }

    void answerForAnotherKey_isNotShown()
    {
        QVERIFY((*server)({"SET", "a", QByteArray(20'000, 'a')}).isOk());
        QVERIFY((*server)({"SET", "b", "short"}).isOk());
        const Bench bench(*server);
        LATCHKEY_AWAIT(bench.table().keyModel()->rowCount() == 2);
        const auto choose = [&](int row) {
            bench.table().selectRow(row);
            return test::waitFor([&] { return bench.note() != u"Not read yet"; });
        };
        QVERIFY(choose(0));
        bench.click("valueRead");
        QVERIFY(choose(1));
        QCOMPARE(bench.note(), QStringLiteral("string, 5 bytes"));
        LATCHKEY_AWAIT(bench.inspected.commandsSent() > 0);
        Q_EMIT bench.view().pageRequested("b", {KeyType::String, 0, {}, 0});
        LATCHKEY_AWAIT(bench.view().page());
        QCOMPARE(bench.text(), QStringLiteral("short"));
    }
};

LATCHKEY_WINDOW_TEST(TestValueView)

} // namespace tst_valueview

#include "tst_valueview.moc"

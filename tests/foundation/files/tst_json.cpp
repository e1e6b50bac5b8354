#include "core/foundation/files/json.h"
#include "core/foundation/files/jsonlocation.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_json {

using namespace latchkey;

class TestJson final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void line_escapesWhatWouldEndItOrMoveTheCursor_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QByteArray>("escaped");
        QTest::addRow("plain") << QStringLiteral("a b") << QByteArray("a b");
        QTest::addRow("other scripts") << QStringLiteral("锁 é 🔒") << QByteArray("锁 é 🔒");
        QTest::addRow("escape") << QStringLiteral("\x1b[31m") << QByteArray("\\u001b[31m");
        QTest::addRow("delete") << QStringLiteral("a\x7f") << QByteArray("a\\u007f");
        QTest::addRow("the other escape") << QString(QChar(0x9B)) << QByteArray("\\u009b");
        QTest::addRow("line separator") << QString(QChar(0x2028)) << QByteArray("\\u2028");
        QTest::addRow("paragraph separator") << QString(QChar(0x2029)) << QByteArray("\\u2029");
        QTest::addRow("right to left") << QString(QChar(0x202E)) << QByteArray("\\u202e");
    }
    void line_escapesWhatWouldEndItOrMoveTheCursor()
    {
        QFETCH(QString, text);
        QFETCH(QByteArray, escaped);
        const QByteArray line = files::toLine(QJsonObject {{QStringLiteral("k"), text}});
        QCOMPARE(line, "{\"k\":\"" + escaped + "\"}");
        QCOMPARE(QJsonDocument::fromJson(line).object()[QStringLiteral("k")].toString(), text);
    }

    void column_countsCharacters()
    {
        const QByteArray text = "{\n  \"ä\": 1}";
        QCOMPARE(files::columnAt(text, 0), 1);
        QCOMPARE(files::columnAt(text, text.indexOf('1')), 8);
        QCOMPARE(files::columnAt(text, 1000), 10);
    }

    void repeatedName_isFoundInItsObject_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("offset"); // -1: none.
        QTest::addRow("none") << QByteArray("{\"a\": {\"b\": 1}, \"b\": [{\"a\": 2}, {\"a\": \"}\"}, [], {}, -1.5e3]} ")
                              << -1;
        QTest::addRow("in the first object") << QByteArray("{\"a\": 1, \"a\": 2}") << 9;
        QTest::addRow("in an array") << QByteArray("[1, {\"a\": \"\\\"\", \"b\": [], \"b\": null}]") << 25;
        QTest::addRow("behind a nested object") << QByteArray("{\"a\": {\"a\": {}} , \"a\" : 1}") << 18;
        QTest::addRow("empty array") << QByteArray("[]") << -1;
    }
    void repeatedName_isFoundInItsObject()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, offset);
        QVERIFY(!QJsonDocument::fromJson(text).isNull());
        QCOMPARE(int(files::repeatedNameIn(text).value_or(-1)), offset);
    }
};

LATCHKEY_TEST(TestJson)

} // namespace tst_json

#include "tst_json.moc"

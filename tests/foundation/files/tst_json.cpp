#include "core/foundation/files/json.h"
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
};

LATCHKEY_TEST(TestJson)

} // namespace tst_json

#include "tst_json.moc"

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/terminaltext.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_terminaltext {

using namespace latchkey;

class TestTerminalText final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void controlCharacters_areEscaped_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        QTest::addRow("plain") << QStringLiteral("unknown option 'x'") << QStringLiteral("unknown option 'x'");
        QTest::addRow("other scripts") << QStringLiteral("锁 é 🔒 \\x1b") << QStringLiteral("锁 é 🔒 \\x1b");
        QTest::addRow("escape") << QStringLiteral("\x1b]0;title\x07") << QStringLiteral("\\x1b]0;title\\x07");
        QTest::addRow("line end") << QStringLiteral("a\nb\r") << QStringLiteral("a\\x0ab\\x0d");
        QTest::addRow("the other escape") << QString(QChar(0x9B)) << QStringLiteral("\\xc2\\x9b");
        QTest::addRow("line separator") << QString(QChar(0x2028)) << QStringLiteral("\\xe2\\x80\\xa8");
        QTest::addRow("right to left") << QString(QChar(0x202E)) << QStringLiteral("\\xe2\\x80\\xae");
    }
    void controlCharacters_areEscaped()
    {
        QFETCH(QString, text);
        QTEST(base::terminalText(text), "shown");
    }

    void printable_leavesNothingForATerminalToActUpon()
    {
        for (char16_t code = 1; code < 0x3000; ++code) {
            const QString shown = base::printable(QString(QChar(code)).toUtf8());
            QVERIFY2(base::terminalText(shown) == shown, qPrintable(QString::number(code, 16)));
        }
    }
};

LATCHKEY_TEST(TestTerminalText)

} // namespace tst_terminaltext

#include "tst_terminaltext.moc"

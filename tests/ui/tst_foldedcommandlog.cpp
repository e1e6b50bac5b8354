#include "core/playground/sequence/wiretext.h"
#include "tests/support/testprogram.h"
#include "ui/views/commandlog/commandlogview.h"
#include "ui/views/commandlog/foldedcommandlog.h"

#include <QAbstractItemModelTester>
#include <QTest>

namespace tst_foldedcommandlog {

using namespace latchkey::ui::commandlog;
using latchkey::sequence::withShortHex;

namespace {

/// Returns `client command → reply` for each line, with a count above one.
QStringList printed(const FoldedCommandLog &fold)
{
    QStringList lines;
    for (const CommandLogLine &line : fold.lines()) {
        QString text = QStringLiteral("%1 %2 > %3").arg(line.client, line.command, line.reply);
        if (line.count > 1)
            text += QStringLiteral(" x%1").arg(line.count);
        lines += text;
    }
    return lines;
}

} // namespace

class TestFoldedCommandLog final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void repetitions_areFolded_data()
    {
        // Input: "client command > reply", or "client ." for the end of a change.
        QTest::addColumn<QStringList>("said");
        QTest::addColumn<QStringList>("lines");
        const QString token = QStringLiteral("0123456789abcdef0123456789abcdef");
        const QString other = QStringLiteral("fedcba9876543210fedcba9876543210");
        QTest::addRow("nothing is repeated")
            << QStringList {QStringLiteral("a GET k > 1"), QStringLiteral("a GET k > 2")}
            << QStringList {QStringLiteral("a GET k > 1"), QStringLiteral("a GET k > 2")};
        QTest::addRow("one command, again and again")
            << QStringList {QStringLiteral("a SET k > nil"), QStringLiteral("a SET k > nil"),
                            QStringLiteral("a SET k > nil")}
            << QStringList {QStringLiteral("a SET k > nil x3")};
        QTest::addRow("tries of two commands")
            << QStringList {QStringLiteral("a SETNX k > 0"), QStringLiteral("a TTL k > 9"),
                            QStringLiteral("a SETNX k > 0"), QStringLiteral("a TTL k > 9")}
            << QStringList {QStringLiteral("a SETNX k > 0 x2"), QStringLiteral("a TTL k > 9 x2")};
        QTest::addRow("two clients at once")
            << QStringList {QStringLiteral("a SET k > nil"), QStringLiteral("b SET k > nil"),
                            QStringLiteral("a SET k > nil"), QStringLiteral("b SET k > nil")}
            << QStringList {QStringLiteral("a SET k > nil x2"), QStringLiteral("b SET k > nil x2")};
        QTest::addRow("only clocks and tokens differ")
            << QStringList {QStringLiteral("a SETNX k 1750000001 > 0"), QStringLiteral("a SETNX k 1750000002 > 0"),
                            QStringLiteral("a SET k ") + token + QStringLiteral(" > nil"),
                            QStringLiteral("a SET k ") + other + QStringLiteral(" > nil")}
            << QStringList {QStringLiteral("a SETNX k 1750000002 > 0 x2"),
                            QStringLiteral("a SET k ") + withShortHex(other) + QStringLiteral(" > nil x2")};
        QTest::addRow("small numbers tell things apart")
            << QStringList {QStringLiteral("a GET item:41 > nil"), QStringLiteral("a GET item:42 > nil")}
            << QStringList {QStringLiteral("a GET item:41 > nil"), QStringLiteral("a GET item:42 > nil")};
        QTest::addRow("what is left is a clock")
            << QStringList {QStringLiteral("a PTTL k > (integer) 5321"), QStringLiteral("a PTTL k > (integer) 812"),
                            QStringLiteral("a PTTL k > (integer) -2"), QStringLiteral("a TTL k > (integer) 1")}
            << QStringList {QStringLiteral("a PTTL k > (integer) 812 x2"), QStringLiteral("a PTTL k > (integer) -2"),
                            QStringLiteral("a TTL k > (integer) 1")};
        QTest::addRow("an answered operation is over")
            << QStringList {QStringLiteral("a SET k > nil"), QStringLiteral("a SET k > nil"), QStringLiteral("a ."),
                            QStringLiteral("a SET k > nil")}
            << QStringList {QStringLiteral("a SET k > nil x2"), QStringLiteral("a SET k > nil")};
        QStringList much {QStringLiteral("a SET k > nil")};
        for (std::size_t i = 0; i < FoldedCommandLog::foldWindow; ++i)
            much += QStringLiteral("b GET item:%1 > nil").arg(i);
        QStringList repeatedFarDown = much;
        repeatedFarDown += QStringLiteral("a SET k > nil");
        QTest::addRow("what has scrolled away is said anew") << repeatedFarDown << repeatedFarDown;
    }
    void repetitions_areFolded()
    {
        QFETCH(QStringList, said);
        FoldedCommandLog fold;
        for (const QString &text : said) {
            const QString client = text.section(u' ', 0, 0);
            if (text.endsWith(QStringLiteral(" .")))
                fold.closeOperation(client);
            else
                fold.add({client, text.section(u' ', 1).section(QStringLiteral(" > "), 0, 0),
                          text.section(QStringLiteral(" > "), 1)});
        }
        QTEST(printed(fold), "lines");
    }

    void longHex_isCutToWhatTellsItApart()
    {
        QCOMPARE(withShortHex(QStringLiteral("EVALSHA 0123456789abcdef0123456789abcdef01234567 1 k")),
                 QStringLiteral("EVALSHA 01234567\u2026 1 k"));
        QCOMPARE(withShortHex(QStringLiteral("GET cafe")), QStringLiteral("GET cafe"));
    }

    void model_announcesRowsAndKeepsNotMoreThanSoMany()
    {
        CommandLogModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto most = static_cast<int>(FoldedCommandLog::maxLines);
        for (int i = 0; i < most + 5; ++i) {
            model.add({QStringLiteral("a"), QStringLiteral("GET k%1").arg(i), QStringLiteral("nil")});
            model.add({QStringLiteral("a"), QStringLiteral("GET k%1").arg(i), QStringLiteral("nil")});
        }
        QCOMPARE(model.rowCount(), most);
        QCOMPARE(model.line(0).command, QStringLiteral("GET k5"));
        QCOMPARE(model.line(most - 1).count, 2);
        QCOMPARE(model.index(0).data().toString(), QStringLiteral("a  GET k5 \u2192 nil  \u00d7 2"));
    }

    /// The name of a key may look like a placeholder.
    void lineWithACount_isReportedUnchanged()
    {
        CommandLogModel model;
        for (int i = 0; i < 2; ++i)
            model.add({QStringLiteral("a"), QStringLiteral("GET %1%2"), QStringLiteral("nil")});
        QCOMPARE(model.index(0).data().toString(), QStringLiteral("a  GET %1%2 \u2192 nil  \u00d7 2"));
    }
};

LATCHKEY_TEST(TestFoldedCommandLog)

} // namespace tst_foldedcommandlog

#include "tst_foldedcommandlog.moc"

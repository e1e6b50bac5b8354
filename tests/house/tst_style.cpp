#include "tests/support/sources.h"
#include "tests/support/testprogram.h"

#include <QHash>
#include <QRegularExpression>
#include <QTest>

namespace tst_style {

using latchkey::test::Source;
using latchkey::test::sources;

namespace {

constexpr int longestFile = 400;
constexpr int longestFunction = 60;
/// A class that connects more than this is a switchboard: it does what its parts should do among themselves.
constexpr int mostConnects = 25;

/// What is over a limit and why that is better than the alternative. The one list of exceptions: a file that does not
/// need its line any more has to lose it.
const QHash<QString, QString> &exceptions()
{
    static const QHash<QString, QString> list {
        // path, or path:function → reason
        {QStringLiteral("app/latchkey.cpp:main"),
         QStringLiteral("reads from top to bottom: what the window is made of")},
    };
    return list;
}

struct Function
{
    QString name;
    int lines = 0;
};

/// The functions of a source that is formatted as .clang-format has it: their bodies are between a brace that opens and
/// one that closes in the first column.
QList<Function> functionsOf(const QString &text)
{
    static const QRegularExpression nameBefore(QStringLiteral("([\\w:~]+)\\("));
    QList<Function> functions;
    const QStringList lines = text.split(u'\n');
    for (qsizetype i = 1; i < lines.size(); ++i) {
        if (lines[i] != u"{")
            continue;
        qsizetype head = i - 1;
        while (head > 0 && (lines[head].startsWith(u' ') || lines[head].isEmpty()))
            --head;
        const auto name = nameBefore.match(lines[head]);
        qsizetype end = i + 1;
        while (end < lines.size() && !lines[end].startsWith(u'}'))
            ++end;
        if (name.hasMatch() && end < lines.size() && lines[end] == u"}")
            functions += {name.captured(1), static_cast<int>(end - i - 1)};
        i = end;
    }
    return functions;
}

int connectsIn(const QString &text)
{
    static const QRegularExpression call(QStringLiteral("(?<![\\w])connect\\("));
    return static_cast<int>(text.count(call));
}

/// What is over a limit in this source, as sentences; each starts with what an exception would be listed under.
QStringList excesses(const Source &source)
{
    QStringList found;
    const auto lines = static_cast<int>(source.text.count(u'\n'));
    if (lines > longestFile)
        found += QStringLiteral("%1 has %2 lines").arg(source.path).arg(lines);
    if (const int connects = connectsIn(source.text); connects > mostConnects)
        found += QStringLiteral("%1 connects %2 times").arg(source.path).arg(connects);
    for (const Function &function : functionsOf(source.text)) {
        if (function.lines > longestFunction)
            found += QStringLiteral("%1:%2 is %3 lines long").arg(source.path, function.name).arg(function.lines);
    }
    return found;
}

bool isExcepted(const QString &excess)
{
    return exceptions().contains(excess.section(u' ', 0, 0));
}

const QStringList code {QStringLiteral("core"), QStringLiteral("ui"), QStringLiteral("app")};
const QStringList cppFiles {QStringLiteral("*.cpp"), QStringLiteral("*.h")};

} // namespace

/// Limits that keep a class from growing a second job unseen.
class TestStyle final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void filesFunctionsAndSwitchboards_stayWithinTheirLimits()
    {
        QStringList found;
        QSet<QString> needed;
        int functions = 0;
        for (const Source &source : sources(code, cppFiles)) {
            functions += static_cast<int>(functionsOf(source.text).size());
            for (const QString &excess : excesses(source)) {
                if (isExcepted(excess))
                    needed += excess.section(u' ', 0, 0);
                else
                    found += excess;
            }
        }
        QVERIFY2(functions > 1000, "hardly a function was found: nothing was looked at");
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
        for (const QString &listed : exceptions().keys())
            QVERIFY2(needed.contains(listed), qPrintable(listed + QStringLiteral(" is no exception any more")));
    }

    void nothing_sleeps()
    {
        static const QRegularExpression sleeping(QStringLiteral(
            "\\b(sleep_for|sleep_until|qSleep|msleep|usleep|nanosleep|clock_nanosleep|QThread::sleep|sleep)\\s*\\("));
        for (const Source &source : sources(code, cppFiles)) {
            // Both are for callers without an event loop: the pause between two tries to reach a server that is
            // starting, and the one that a recipe asks for.
            if (source.path == u"core/server/privateserver.cpp" || source.path == u"core/exchange/blockingdriver.cpp")
                continue;
            // What stands in other programs in the place of these functions.
            if (source.path.startsWith(QStringLiteral("core/shim/preload/")))
                continue;
            const auto match = sleeping.match(source.text);
            QVERIFY2(!match.hasMatch(), qPrintable(source.path + u' ' + match.captured(0)));
        }
        // In tests a pause proves nothing; a condition is awaited.
        static const QRegularExpression pausing(QStringLiteral("\\b(qSleep|qWait|msleep|sleep_for)\\s*\\("));
        for (const Source &source : sources({QStringLiteral("tests")}, cppFiles)) {
            // The hammer's work is to take time, a terminal is asked again and again, and a clock's test is about
            // sleeps.
            if (source.path.startsWith(QStringLiteral("tests/house/")) || source.path.contains(QStringLiteral("hammer"))
                || source.path == u"tests/integration/tst_run.cpp" || source.path == u"tests/shim/clockwaiter.cpp")
                continue;
            const auto match = pausing.match(source.text);
            QVERIFY2(!match.hasMatch(), qPrintable(source.path + u' ' + match.captured(0)));
        }
    }

    void whatIsTooMuch_isFound_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("excesses");
        const QString function = QStringLiteral("void Class::work(int how)\n{\n%1}\n");
        QTest::addRow("short") << function.arg(QStringLiteral("    step();\n").repeated(60)) << 0;
        QTest::addRow("long function") << function.arg(QStringLiteral("    step();\n").repeated(61)) << 1;
        QTest::addRow("long file") << QStringLiteral("int x;\n").repeated(401) << 1;
        QTest::addRow("switchboard") << function.arg(QStringLiteral("    connect(a, b);\n").repeated(26)) << 1;
        QTest::addRow("no switchboard") << function.arg(QStringLiteral("    m_reconnect(a, b);\n").repeated(26)) << 0;
    }
    void whatIsTooMuch_isFound()
    {
        QFETCH(QString, text);
        QTEST(static_cast<int>(excesses({QStringLiteral("core/x/y.cpp"), text}).size()), "excesses");
    }
};

LATCHKEY_TEST(TestStyle)

} // namespace tst_style

#include "tst_style.moc"

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
/// A class with more connections does work that its parts should do among themselves.
constexpr int mostConnects = 25;

/// Excesses with their reasons. This is the only list of exceptions; an entry that is not needed must be removed.
const QHash<QString, QString> &exceptions()
{
    static const QHash<QString, QString> list {
        // path, or path:function → reason
    };
    return list;
}

struct Function
{
    QString name;
    int lines = 0;
};

/// Returns the functions of a source in the format of .clang-format: their bodies are between braces in the first
/// column.
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

/// Returns the excesses in a source as sentences. Each starts with its key in the list of exceptions.
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

/// Tests of size limits, so that no class gets a second responsibility unnoticed.
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
            // Both are for callers without an event loop: the pause between two attempts to reach a starting server,
            // and the pause that a recipe requests.
            if (source.path == u"core/redis/privateserver/privateserver.cpp"
                || source.path == u"core/redis/exchange/blockingdriver.cpp")
                continue;
            // Replacements of these functions in other programs.
            if (source.path.startsWith(QStringLiteral("core/explore/shim/preload/")))
                continue;
            const auto match = sleeping.match(source.text);
            QVERIFY2(!match.hasMatch(), qPrintable(source.path + u' ' + match.captured(0)));
        }
        // In tests a pause proves nothing; tests wait for a condition.
        static const QRegularExpression pausing(QStringLiteral("\\b(qSleep|qWait|msleep|sleep_for)\\s*\\("));
        for (const Source &source : sources({QStringLiteral("tests")}, cppFiles)) {
            // The hammer needs time, a terminal is polled, and a test of the clock is about sleeps.
            if (source.path.startsWith(QStringLiteral("tests/house/")) || source.path.contains(QStringLiteral("hammer"))
                || source.path == u"tests/integration/tst_run.cpp"
                || source.path == u"tests/explore/shim/clockwaiter.cpp")
                continue;
            const auto match = pausing.match(source.text);
            QVERIFY2(!match.hasMatch(), qPrintable(source.path + u' ' + match.captured(0)));
        }
    }

    void exceededLimit_isDetected_data()
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
    void exceededLimit_isDetected()
    {
        QFETCH(QString, text);
        QTEST(static_cast<int>(excesses({QStringLiteral("core/x/y.cpp"), text}).size()), "excesses");
    }
};

LATCHKEY_TEST(TestStyle)

} // namespace tst_style

#include "tst_style.moc"

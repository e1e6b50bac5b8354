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
        // path, path:function, or class → reason. The list may only become shorter.
        {QStringLiteral("latchkey::ui::shell::MainWindow"), QStringLiteral("its actions are not divided from it yet")},
        {QStringLiteral("latchkey::programs::ObservationTree"),
         QStringLiteral("the times of the observations are not divided from it yet")},
        {QStringLiteral("latchkey::watching::ServerWatcher"),
         QStringLiteral("the control of the scans is not divided from it yet")},
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

/// Returns the classes whose member functions a source defines, with their namespace.
QSet<QString> classesOf(const QString &text)
{
    static const QRegularExpression opened(QStringLiteral("^namespace ([\\w:]+) \\{$"),
                                           QRegularExpression::MultilineOption);
    // A definition begins in the first column; the last name before its parenthesis is that of the member.
    static const QRegularExpression member(
        QStringLiteral("^(?=[^\\s#/{}])[^;={}\\n]*?\\b([A-Z]\\w*(?:::[A-Z]\\w*)*)::(?:~?\\w+|operator[^\\s(]+)\\("),
        QRegularExpression::MultilineOption);
    const QString space = opened.match(text).captured(1);
    QSet<QString> classes;
    for (auto found = member.globalMatch(u'\n' + text); found.hasNext();)
        classes += space + QStringLiteral("::") + found.next().captured(1);
    return classes;
}

/// Returns the classes whose members are defined in more than one source, as sentences. A class with too many lines is
/// divided by subject, into classes with one idea each; see excesses().
QStringList classesInSeveralSources(const QList<Source> &sources)
{
    QMap<QString, QStringList> places;
    for (const Source &source : sources) {
        for (const QString &each : classesOf(source.text))
            places[each] += source.path;
    }
    QStringList found;
    for (auto place = places.begin(); place != places.end(); ++place) {
        place->sort();
        if (place->size() > 1)
            found += QStringLiteral("%1 is defined in %2").arg(place.key(), place->join(QStringLiteral(", ")));
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
    void filesFunctionsAndClasses_stayWithinTheirLimits()
    {
        QStringList found;
        QSet<QString> needed;
        int functions = 0;
        QStringList all = classesInSeveralSources(sources(code, {QStringLiteral("*.cpp")}));
        for (const Source &source : sources(code, cppFiles)) {
            functions += static_cast<int>(functionsOf(source.text).size());
            all += excesses(source);
        }
        for (const QString &excess : std::as_const(all)) {
            if (isExcepted(excess))
                needed += excess.section(u' ', 0, 0);
            else
                found += excess;
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

    void classInSeveralSources_isDetected_data()
    {
        QTest::addColumn<QString>("other");
        QTest::addColumn<int>("found");
        const QString space = QStringLiteral("namespace latchkey::%1 {\n%2\n} // namespace\n");
        QTest::addRow("member") << space.arg(QStringLiteral("a"), QStringLiteral("void Class::stop()\n{\n}")) << 1;
        QTest::addRow("constructor") << space.arg(QStringLiteral("a"), QStringLiteral("Class::Class(int x)\n{\n}"))
                                     << 1;
        QTest::addRow("destructor") << space.arg(QStringLiteral("a"), QStringLiteral("Class::~Class() = default;"))
                                    << 1;
        QTest::addRow("other namespace") << space.arg(QStringLiteral("b"), QStringLiteral("void Class::stop()\n{\n}"))
                                         << 0;
        QTest::addRow("class of the same name inside another")
            << space.arg(QStringLiteral("a"), QStringLiteral("void Other::Class::stop()\n{\n}")) << 0;
        QTest::addRow("call") << space.arg(QStringLiteral("a"), QStringLiteral("int stop()\n{\n    Class::stop();\n}"))
                              << 0;
    }
    void classInSeveralSources_isDetected()
    {
        QFETCH(QString, other);
        const QString first = QStringLiteral("namespace latchkey::a {\nint Class::start(int x)\n{\n}\n}\n");
        QTEST(static_cast<int>(
                  classesInSeveralSources({{QStringLiteral("x.cpp"), first}, {QStringLiteral("y.cpp"), other}}).size()),
              "found");
    }
};

LATCHKEY_TEST(TestStyle)

} // namespace tst_style

#include "tst_style.moc"

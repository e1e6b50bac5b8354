#include "tests/support/sources.h"
#include "tests/support/testprogram.h"

#include <QRegularExpression>
#include <QTest>

namespace tst_coawait {

using latchkey::test::Source;
using latchkey::test::sources;

namespace {

/// Returns the statements of a source, approximately: split at `;`, and at braces outside awaited expressions. Comments
/// and contents of strings are removed.
QStringList statementsOf(QString text)
{
    static const QRegularExpression comment(QStringLiteral("//[^\\n]*"));
    static const QRegularExpression string(QStringLiteral("\"(\\\\.|[^\"\\\\])*\""));
    text.remove(comment).replace(string, QStringLiteral("\"\""));
    QStringList statements;
    QString current;
    for (const QChar c : text) {
        const bool isBrace = c == u'{' || c == u'}';
        if (c == u';' || (isBrace && !current.contains(QStringLiteral("co_await")))) {
            statements += current.trimmed();
            current.clear();
        } else {
            current += c;
        }
    }
    return statements << current.trimmed();
}

/// Returns an error of an awaiting statement; empty if it is correct. GCC 12 compiles other forms into silent double
/// frees: conditions, logical operators, braces and capturing lambdas in the awaited expression.
QString problemOf(const QString &statement)
{
    static const QRegularExpression alone(
        QStringLiteral("^(?:(?:const\\s+)?[\\w:<>,\\s\\*&]+?[\\s&]+(?:\\w+|\\[[\\w\\s,]+\\])\\s*=\\s*|[\\w\\.\\->\\[\\]"
                       "]+\\s*[+]?=\\s*|co_return\\s+|\\(void\\)\\s*)?co_await\\s+[^?]*$"),
        QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression capturingLambda(QStringLiteral("\\[[^\\]&]*[\\w=]+[^\\]]*\\]\\s*[({]"));
    static const QRegularExpression pause(QStringLiteral("^\\s*Pause\\s*\\{[^{}]*\\}\\s*$"));
    if (!alone.match(statement).hasMatch())
        return QStringLiteral("stands inside another expression");
    const QString awaited = statement.sliced(statement.indexOf(QStringLiteral("co_await")) + 8);
    if (awaited.contains(QStringLiteral("co_await")))
        return QStringLiteral("two in one statement");
    if (awaited.contains(QStringLiteral("&&")) || awaited.contains(QStringLiteral("||")))
        return QStringLiteral("a logical operator beside it");
    if (capturingLambda.match(awaited).hasMatch())
        return QStringLiteral("a capturing lambda inside it");
    if (awaited.contains(u'{') && !pause.match(awaited).hasMatch())
        return QStringLiteral("braces inside it");
    return {};
}

QStringList problemsOf(const Source &source)
{
    QStringList problems;
    for (const QString &statement : statementsOf(source.text)) {
        if (!statement.contains(QStringLiteral("co_await")))
            continue;
        if (const QString problem = problemOf(statement); !problem.isEmpty())
            problems += QStringLiteral("%1: %2: %3").arg(source.path, problem, statement.simplified().right(120));
    }
    return problems;
}

} // namespace

/// Tests the rule for coroutines, see Exchange: a co_await is alone in its statement.
class TestCoAwait final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyCoAwait_standsAlone()
    {
        QStringList problems;
        qsizetype awaiting = 0;
        for (const Source &source :
             sources({QStringLiteral("app"), QStringLiteral("core"), QStringLiteral("ui"), QStringLiteral("tests")},
                     {QStringLiteral("*.cpp"), QStringLiteral("*.h")})) {
            if (source.path == u"tests/house/tst_coawait.cpp")
                continue;
            awaiting += source.text.count(QStringLiteral("co_await"));
            problems += problemsOf(source);
        }
        QVERIFY(awaiting > 50);
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
    }

    void miscompiledForms_areFound_data()
    {
        QTest::addColumn<QString>("statement");
        QTest::addRow("condition") << QStringLiteral("if (co_await f(x) == 1) co_return 2;");
        QTest::addRow("while") << QStringLiteral("while (co_await more()) step();");
        QTest::addRow("ternary") << QStringLiteral("const int x = ready ? co_await f() : 0;");
        QTest::addRow("ternary inside") << QStringLiteral("const int x = co_await f(a ? b : c);");
        QTest::addRow("and") << QStringLiteral("const bool x = co_await f() && y;");
        QTest::addRow("argument") << QStringLiteral("g(co_await f());");
        QTest::addRow("two") << QStringLiteral("const int x = co_await f() + co_await g();");
        QTest::addRow("braces") << QStringLiteral("const Reply r = co_await Command {a, b};");
        QTest::addRow("lambda") << QStringLiteral("const Reply r = co_await f([x] { return x; });");
    }
    void miscompiledForms_areFound()
    {
        QFETCH(QString, statement);
        QCOMPARE(
            problemsOf({QStringLiteral("x.cpp"), QStringLiteral("void f()\n{\n    %1\n}\n").arg(statement)}).size(), 1);
    }

    void safeForms_areUnchanged_data()
    {
        QTest::addColumn<QString>("statement");
        QTest::addRow("named") << QStringLiteral("const Reply reply = co_await set(m_key).to(token).ifAbsent();");
        QTest::addRow("assigned") << QStringLiteral("snapshot.type = co_await typeOf(key);");
        QTest::addRow("returned") << QStringLiteral("co_return co_await f(x);");
        QTest::addRow("thrown away") << QStringLiteral("(void)co_await f(x);");
        QTest::addRow("alone") << QStringLiteral("co_await withdraw(token);");
        QTest::addRow("pause") << QStringLiteral("co_await Pause {5ms};");
        QTest::addRow("in a comment") << QStringLiteral("// if (co_await f()) g();");
        QTest::addRow("structured binding") << QStringLiteral("const auto [a, b] = co_await f();");
    }
    void safeForms_areUnchanged()
    {
        QFETCH(QString, statement);
        const QStringList problems =
            problemsOf({QStringLiteral("x.cpp"), QStringLiteral("void f()\n{\n    %1\n}\n").arg(statement)});
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
    }
};

LATCHKEY_TEST(TestCoAwait)

} // namespace tst_coawait

#include "tst_coawait.moc"

#include "app/help/helptext.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/testprogram.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

namespace tst_chinese {

using namespace latchkey;
using test::Outcome;

namespace {

bool isChinese(const QByteArray &text)
{
    static const QRegularExpression character(QStringLiteral("[\\x{4e00}-\\x{9fff}]"));
    return QString::fromUtf8(text).contains(character);
}

} // namespace

/// Tests of the command line in a Chinese environment: texts for users are Chinese, output for programs is unchanged.
class TestChinese final : public test::CommandLineTest
{
    Q_OBJECT

    void speak(const char *locale) { environment.insert(QStringLiteral("LC_ALL"), QLatin1String(locale)); }

private Q_SLOTS:
    /// The complaint of a counterexample is kept in English in files, and translated for display.
    void complaint_isInTheLanguageOfTheEnvironment_data()
    {
        QTest::addColumn<QByteArray>("search");
        for (const char *search :
             {"basic --promise crash-release", "token-check-then-delete --promise owner-only-release",
              "timestamp-naive --clients 3 --promise mutual-exclusion"})
            QTest::addRow("%s", search) << QByteArray(search);
    }
    void complaint_isInTheLanguageOfTheEnvironment()
    {
        QFETCH(QByteArray, search);
        speak("zh_CN.UTF-8");
        const Outcome outcome = run(("explore " + search).constData());
        const QByteArray sign = QStringLiteral("被打破").toUtf8();
        const qsizetype at = outcome.output.indexOf(sign);
        QVERIFY2(at > 0, outcome.output.constData());
        const QByteArray line = outcome.output.sliced(at, outcome.output.indexOf('\n', at) - at);
        static const QRegularExpression words(QStringLiteral("[a-z]+ [a-z]+ [a-z]+"));
        QVERIFY2(!QString::fromUtf8(line).contains(words), line.constData());
    }

    void help_isInTheLanguageOfTheEnvironment_data()
    {
        QTest::addColumn<QByteArray>("command");
        for (const char *command :
             {"",      "recipes", "acquire", "release", "extend",  "run",   "put",   "get",        "ls",   "status",
              "watch", "why",     "expect",  "lab",     "explore", "story", "actor", "completion", "help", "version"})
            QTest::addRow("%s", *command == 0 ? "all of it" : command) << QByteArray(command);
    }
    void help_isInTheLanguageOfTheEnvironment()
    {
        QFETCH(QByteArray, command);
        const QByteArray words = (command + " --help").trimmed();
        speak("C.UTF-8");
        const QByteArray english = run(words.constData()).output;
        QVERIFY2(!isChinese(english), english.constData());
        speak("zh_CN.UTF-8");
        const QByteArray chinese = run(words.constData()).output;
        QVERIFY2(isChinese(chinese), chinese.constData());
        // Inputs such as options and commands to copy are all present.
        static const QRegularExpression option(QStringLiteral("(?<=\\s)--[a-z][a-z0-9-]+"));
        for (auto match = option.globalMatch(QString::fromUtf8(english)); match.hasNext();) {
            const QByteArray typed = match.next().captured(0).toUtf8();
            QVERIFY2(chinese.contains(typed), typed.constData());
        }
        for (const QByteArray &line : chinese.split('\n')) {
            const QString text = QString::fromUtf8(line);
            QVERIFY2(help::columnsOf(text) <= 80 || line.count('\'') == 2 || !line.trimmed().contains(' '),
                     line.constData());
        }
    }

    void machineReadableOutput_isNotTranslated_data()
    {
        QTest::addColumn<QByteArray>("words");
        for (const char *words :
             {"recipes --json", "ls --json", "ls -o csv", "ls -ojsonl", "ls --output=json", "story --list --json",
              "completion bash", "why lock:a --json", "acquire token lock:a --json", "acquire nothing lock:a --json"})
            QTest::addRow("%s", words) << QByteArray(words);
    }
    void machineReadableOutput_isNotTranslated()
    {
        QFETCH(QByteArray, words);
        QVERIFY((*server)({"SET", "lock:a", "0123456789abcdef0123456789abcdef"}).isOk());
        speak("C.UTF-8");
        const Outcome english = run(words.constData());
        speak("zh_CN.UTF-8");
        const Outcome chinese = run(words.constData());
        QCOMPARE(chinese.output, english.output);
        QCOMPARE(chinese.exitCode, english.exitCode);
        QVERIFY2(words.startsWith("completion") || !isChinese(chinese.errors), chinese.errors.constData());
    }

    void answersAndErrors_areChineseWithTheSameExitCodes()
    {
        QVERIFY((*server)({"SET", "lock:a", "0123456789abcdef0123456789abcdef"}).isOk());
        for (const auto &[words, code] :
             {std::pair("acquire basic lock:a", 1), std::pair("acquire nothing lock:a", 2),
              std::pair("ls --no-such-option", 2), std::pair("frob", 2), std::pair("release token lock:b --token x", 1),
              std::pair("acquire basic lock:a --url redis://127.0.0.1:1", 3)}) {
            speak("C.UTF-8");
            const Outcome english = run(words);
            speak("zh_CN.UTF-8");
            const Outcome chinese = run(words);
            QCOMPARE(english.exitCode, code);
            QCOMPARE(chinese.exitCode, code);
            QVERIFY2(!isChinese(english.errors), english.errors.constData());
            QVERIFY2(isChinese(chinese.errors), chinese.errors.constData());
        }
        const QByteArray why = run("why lock:a").output;
        QVERIFY2(why.contains("\xe9\x94\xae") && why.contains("\xe6\x8c\x81\xe6\x9c\x89\xe8\x80\x85"), why.constData());
    }

    void columns_standBelowEachOther()
    {
        speak("zh_CN.UTF-8");
        QVERIFY((*server)({"SET", "lock:a", "1"}).isOk());
        QVERIFY((*server)({"SET", "lock:b", "1", "PX", "600000"}).isOk());
        const QStringList lines = QString::fromUtf8(run("ls lock:*").output).trimmed().split(u'\n');
        QCOMPARE(lines.size(), 2);
        const auto before = [](const QString &line) {
            return help::columnsOf(QStringView(line).first(line.indexOf(QStringLiteral("lock:"))));
        };
        QCOMPARE(before(lines[0]), before(lines[1]));
    }

    void stories_areInChinese()
    {
        speak("zh_CN.UTF-8");
        const Outcome told = run("story late-delete --only token --speed 100");
        QCOMPARE(told.exitCode, 0);
        QVERIFY2(told.output.contains("\xe6\x80\x9d\xe8\x80\x83\xe9\xa2\x98"), told.output.constData());
        QVERIFY2(!told.output.contains("Ann acquires"), told.output.constData());
    }
};

LATCHKEY_TEST(TestChinese)

} // namespace tst_chinese

#include "tst_chinese.moc"

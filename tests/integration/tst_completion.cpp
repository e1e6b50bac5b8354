#include "tests/support/testprogram.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace tst_completion {

namespace {

enum class Shell { Bash, Zsh };

QStringList linesOf(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForFinished(60'000) || process.exitCode() != 0)
        qFatal("%s %s: %s", qPrintable(program), qPrintable(arguments.join(u' ')),
               process.readAllStandardError().constData());
    return QString::fromUtf8(process.readAllStandardOutput()).split(u'\n', Qt::SkipEmptyParts);
}

QString cli()
{
    return QStringLiteral(LATCHKEY_CLI);
}

/// Splits a command line like readline: at blanks, and at colons and equals signs, which are separate words.
QStringList readlineWords(const QString &line)
{
    static const QRegularExpression piece(QStringLiteral("[:=]+|[^\\s:=]+"));
    QStringList words;
    for (auto match = piece.globalMatch(line); match.hasNext();)
        words += match.next().captured();
    if (line.endsWith(u' '))
        words += QString();
    return words;
}

/// Returns the shell's completions at the end of the line, sorted.
QStringList offered(Shell shell, const QString &line)
{
    static const QTemporaryDir dumpFolder; // zsh searches for its completions once, not for every line.
    const QString drivers = QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/integration/completion.");
    QStringList words;
    if (shell == Shell::Bash)
        words = linesOf(QStringLiteral("bash"), QStringList {QStringLiteral("--norc"), QStringLiteral("--noprofile"),
                                                             drivers + QStringLiteral("bash"), cli(), line}
                                                    + readlineWords(line));
    else
        words = linesOf(QStringLiteral("zsh"), {QStringLiteral("-f"), drivers + QStringLiteral("zsh"), cli(),
                                                dumpFolder.filePath(QStringLiteral("dump")), line});
    words.sort();
    return words;
}

/// Returns whether both ends of a pseudo terminal can be opened.
bool hasPseudoTerminals()
{
    const int controller = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (controller < 0)
        return false;
    const char *name = ::grantpt(controller) == 0 && ::unlockpt(controller) == 0 ? ::ptsname(controller) : nullptr;
    const int terminal = name != nullptr ? ::open(name, O_RDWR | O_NOCTTY) : -1;
    if (terminal >= 0)
        ::close(terminal);
    ::close(controller);
    return terminal >= 0;
}

QStringList recipeIds(const QStringList &families)
{
    QStringList ids;
    const QByteArray json = linesOf(cli(), {QStringLiteral("recipes"), QStringLiteral("--json")}).join(u'\n').toUtf8();
    for (const QJsonValue &recipe : QJsonDocument::fromJson(json).array()) {
        if (families.contains(recipe.toObject()[QStringLiteral("family")].toString()))
            ids += recipe.toObject()[QStringLiteral("id")].toString();
    }
    ids.sort();
    return ids;
}

/// Returns the commands that --help lists.
QStringList commandNames()
{
    QStringList names;
    const QStringList help = linesOf(cli(), {QStringLiteral("--help")});
    for (qsizetype i = help.indexOf(QStringLiteral("Commands:")) + 1; help.value(i).startsWith(QStringLiteral("  "));
         ++i)
        names += help[i].section(u' ', 0, 0, QString::SectionSkipEmpty);
    names.sort();
    return names;
}

/// Returns the options that the help of the command describes.
QStringList optionNames(const QString &command)
{
    static const QRegularExpression option(QStringLiteral("^  (-[\\w-]+)"));
    QStringList names;
    for (const QString &line : linesOf(cli(), {command, QStringLiteral("--help")})) {
        if (const auto match = option.match(line); match.hasMatch())
            names += match.captured(1);
    }
    return names;
}

} // namespace

/// Tests of the scripts of `latchkey-cli completion`, in real shells.
class TestCompletion final : public QObject
{
    Q_OBJECT

    QTemporaryDir folder;

    /// Returns why the shell cannot complete a line on this machine; null if it can.
    static const char *obstacle(Shell shell)
    {
        const QString program = shell == Shell::Bash ? QStringLiteral("bash") : QStringLiteral("zsh");
        if (QStandardPaths::findExecutable(program).isEmpty())
            return "this shell is not installed";
        // zsh completes only at a prompt in a terminal. A chroot may lack /dev/pts.
        return shell == Shell::Zsh && !hasPseudoTerminals() ? "zsh needs a pseudo terminal; is /dev/pts mounted?"
                                                            : nullptr;
    }
    static void addShells()
    {
        QTest::addColumn<Shell>("shell");
        QTest::addRow("bash") << Shell::Bash;
        QTest::addRow("zsh") << Shell::Zsh;
    }

private Q_SLOTS:
    void initTestCase()
    {
        for (const char *name : {"secret-of-ann", "secret-of-bo", "other"}) {
            QFile file(folder.filePath(QString::fromLatin1(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
    }

    void line_isCompleted_data()
    {
        QTest::addColumn<Shell>("shell");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QStringList>("words");
        const auto row = [](const QString &line, QStringList words) {
            words.sort();
            QTest::addRow("bash: %s", qPrintable(line)) << Shell::Bash << line << words;
            QTest::addRow("zsh: %s", qPrintable(line)) << Shell::Zsh << line << words;
        };
        const auto list = [](const char *words) { return QString::fromLatin1(words).split(u' ', Qt::SkipEmptyParts); };
        const QString lock = QStringLiteral("lock");
        const QString cache = QStringLiteral("cache");
        row(QStringLiteral("latchkey-cli "), commandNames());
        row(QStringLiteral("latchkey-cli acq"), list("acquire"));
        row(QStringLiteral("latchkey-cli --json --url redis://localhost:6379/1 rele"), list("release"));
        row(QStringLiteral("latchkey-cli --url acq"), {});
        row(QStringLiteral("latchkey-cli frobnicate "), {});
        row(QStringLiteral("latchkey-cli acquire "), recipeIds({lock}));
        row(QStringLiteral("latchkey-cli run "), recipeIds({lock}));
        row(QStringLiteral("latchkey-cli extend "), list("token token-watch token-wait fenced renewing redlock"));
        row(QStringLiteral("latchkey-cli put "), recipeIds({cache}));
        row(QStringLiteral("latchkey-cli explore "), recipeIds({lock, cache}));
        row(QStringLiteral("latchkey-cli story late"), list("late-delete"));
        row(QStringLiteral("latchkey-cli story --print late"), list("late-delete"));
        row(QStringLiteral("latchkey-cli acquire token "), {});
        row(QStringLiteral("latchkey-cli acquire token --lease "), {});
        row(QStringLiteral("latchkey-cli ls lock:* "),
            list("--all-databases --expiring --limit --locks --no-headers -o --output "
                 "--reverse --sort -u --url --server --host -p --port -n "
                 "--db --tls --user --timeout --password-file "
                 "--cacert --cert --key --sni --pin --ssh --proxy "
                 "--json --help -h -q --quiet --verbose --version -V "
                 "-v"));
        row(QStringLiteral("latchkey-cli acquire token lock:orders --le"), list("--lease"));
        row(QStringLiteral("latchkey-cli acquire auto-release lock:orders --unit "), list("s ms"));
        row(QStringLiteral("latchkey-cli acquire auto-release lock:orders --unit="), list("s ms"));
        row(QStringLiteral("latchkey-cli acquire auto-release --unit=m"), list("ms"));
        row(QStringLiteral("latchkey-cli acquire --lease 5s tim"), list("timestamp-getset timestamp-naive"));
        row(QStringLiteral("latchkey-cli explore token --promise cr"), list("crash-release"));
        row(QStringLiteral("latchkey-cli get guarded key "), list("--"));
        row(QStringLiteral("latchkey-cli run token lock:backup --wait 5s "), list("--"));
        row(QStringLiteral("latchkey-cli run token lock:backup -E "), {});
        row(QStringLiteral("latchkey-cli get guarded key --policy "), list("wait stale none"));
        row(QStringLiteral("latchkey-cli watch --event e"), list("ended evicted expired extended"));
        row(QStringLiteral("latchkey-cli ls -o "), list("table json jsonl csv"));
        row(QStringLiteral("latchkey-cli ls --output=c"), list("csv"));
        row(QStringLiteral("latchkey-cli help com"), list("completion"));
        row(QStringLiteral("latchkey-cli completion "), list("bash zsh"));
    }
    void line_isCompleted()
    {
        QFETCH(Shell, shell);
        QFETCH(QString, line);
        if (const char *reason = obstacle(shell))
            QSKIP(reason);
        QTEST(offered(shell, line), "words");
    }

    void everyOptionOfTheHelp_isOffered_data() { addShells(); }
    void everyOptionOfTheHelp_isOffered()
    {
        QFETCH(Shell, shell);
        if (const char *reason = obstacle(shell))
            QSKIP(reason);
        int seen = 0;
        for (const QString &command : commandNames()) {
            const QStringList words = offered(shell, QStringLiteral("latchkey-cli %1 -").arg(command));
            const QStringList options = QStringList {QStringLiteral("--url"), QStringLiteral("--password-file"),
                                                     QStringLiteral("--json"), QStringLiteral("--help")}
                                      + optionNames(command);
            for (const QString &option : options) {
                ++seen;
                QVERIFY2(words.contains(option), qPrintable(command + u' ' + option));
            }
        }
        QVERIFY(seen > 40);
    }

    void everyOptionThatIsOffered_isInTheHelp()
    {
        if (const char *reason = obstacle(Shell::Bash))
            QSKIP(reason);
        const QStringList common = linesOf(cli(), {QStringLiteral("--help")});
        for (const QString &command : commandNames()) {
            const QString help = (linesOf(cli(), {command, QStringLiteral("--help")}) + common).join(u'\n');
            for (const QString &option : offered(Shell::Bash, QStringLiteral("latchkey-cli %1 -").arg(command)))
                QVERIFY2(help.contains(QRegularExpression(QStringLiteral("(^|\\s)%1\\b").arg(option))),
                         qPrintable(command + u' ' + option));
        }
    }

    void files_areOfferedWhereAFileIsMeant_data() { addShells(); }
    void files_areOfferedWhereAFileIsMeant()
    {
        QFETCH(Shell, shell);
        if (const char *reason = obstacle(shell))
            QSKIP(reason);
        // bash returns whole paths, zsh the part after the folder.
        const auto names = [&](const QString &line) {
            QStringList found;
            for (const QString &path : offered(shell, line.arg(folder.filePath(QStringLiteral("secret")))))
                found += QFileInfo(path).fileName();
            return found.join(u' ');
        };
        const QString both = QStringLiteral("secret-of-ann secret-of-bo");
        QCOMPARE(names(QStringLiteral("latchkey-cli --password-file %1")), both);
        QCOMPARE(names(QStringLiteral("latchkey-cli release token lock:a --token-file %1")), both);
        QCOMPARE(names(QStringLiteral("latchkey-cli release token lock:a --token-file=%1")), both);
        QCOMPARE(names(QStringLiteral("latchkey-cli get guarded key:1 -- cat %1")), both);
        QCOMPARE(names(QStringLiteral("latchkey-cli release token %1")), QString());
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("secret-folder")));
        QCOMPARE(names(QStringLiteral("latchkey-cli explore token --save %1")), QStringLiteral("secret-folder"));
        QVERIFY(QDir(folder.path()).rmdir(QStringLiteral("secret-folder")));
    }

    void wordsAfterTheDashes_areACommandLine_data() { addShells(); }
    void wordsAfterTheDashes_areACommandLine()
    {
        QFETCH(Shell, shell);
        if (const char *reason = obstacle(shell))
            QSKIP(reason);
        for (const char *line :
             {"latchkey-cli get guarded key:1 --ttl 5m -- prin", "latchkey-cli run renewing lock:a -E 0 -- prin"})
            QVERIFY(offered(shell, QString::fromLatin1(line)).contains(QStringLiteral("printf")));
        QCOMPARE(offered(shell, QStringLiteral("latchkey-cli acquire token key:1 -- prin")), QStringList());
    }

    void otherShell_isRefused()
    {
        QProcess process;
        process.start(cli(), {QStringLiteral("completion"), QStringLiteral("fish")});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 2);
        QCOMPARE(process.readAllStandardOutput(), QByteArray());
        QCOMPARE(
            process.readAllStandardError(),
            QByteArray("latchkey-cli: there is no completion for the shell \"fish\"; there is for bash and zsh\n"));
    }
};

LATCHKEY_TEST(TestCompletion)

} // namespace tst_completion

#include "tst_completion.moc"

#include "tests/support/sources.h"
#include "tests/support/testprogram.h"

#include <QHash>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

namespace tst_translation {

using latchkey::test::Source;
using latchkey::test::sources;

namespace {

/// English texts in core that are not translated, with the reason. The key is a path, or a folder with a final slash.
/// An entry that is not needed must be removed.
const QHash<QString, QString> &exceptions()
{
    static const QHash<QString, QString> list {
        {QStringLiteral("core/redis/exchange/step.cpp"), QStringLiteral("what a step is, for transcripts in tests")},
        {QStringLiteral("core/recipes/locks/fenced.cpp"),
         QStringLiteral("the server's own words, which are looked for")},
        {QStringLiteral("core/playground/playground/demo.cpp"),
         QStringLiteral("what the demonstration writes into its keys")},
        {QStringLiteral("core/explore/programs/localreplies.cpp"),
         QStringLiteral("the words of a server, for its clients")},
        {QStringLiteral("core/explore/races/"), QStringLiteral("what a story tells is part of its file")},
        {QStringLiteral("core/explore/reports/"), QStringLiteral("reports are for programs, and in English")},
        {QStringLiteral("core/inspect/recognition/"),
         QStringLiteral("evidence is part of the JSON that ls prints; a broken file of dialects is told in English")},
        {QStringLiteral("core/redis/resp/reply.cpp"), QStringLiteral("replies as redis-cli prints them")},
        {QStringLiteral("core/redis/resp/servererror.cpp"),
         QStringLiteral("the server's own words, which are looked for")},
        {QStringLiteral("core/redis/ssh/ssherrors.cpp"), QStringLiteral("the words of ssh, which are looked for")},
        {QStringLiteral("core/redis/ssh/tunnel.cpp"), QStringLiteral("what the far end runs, and by what it is known")},
    };
    return list;
}

/// A literal of a source, with adjacent literals joined, and the text before it in its statement.
struct Literal
{
    QString text;
    QString before;
};

/// Removes the escapes from the text of a literal.
QString unescaped(QString text)
{
    return text.replace(QLatin1String("\\\""), QLatin1String("\"")).replace(QLatin1String("\\n"), QLatin1String("\n"));
}

/// Returns the string literals of a source, without comments, characters and includes.
QList<Literal> literalsOf(const QString &source)
{
    static const QRegularExpression token(
        QStringLiteral("//[^\\n]*|#include[^\\n]*|'(?:\\\\.|[^'\\\\])'|R\"\\((.*?)\\)\"|\"((?:\\\\.|[^\"\\\\])*)\""),
        QRegularExpression::DotMatchesEverythingOption);
    QList<Literal> literals;
    QString statement;
    qsizetype from = 0;
    for (auto found = token.globalMatch(source); found.hasNext();) {
        const auto match = found.next();
        const QString between = source.sliced(from, match.capturedStart() - from);
        from = match.capturedEnd();
        const auto end = between.lastIndexOf(QRegularExpression(QStringLiteral("[;{}]")));
        statement = end < 0 ? statement + between : between.sliced(end + 1);
        if (match.capturedStart(1) < 0 && match.capturedStart(2) < 0)
            continue;
        const QString text = match.captured(1) + unescaped(match.captured(2));
        if (between.trimmed().isEmpty() && !literals.isEmpty() && statement.endsWith(u'"' + between))
            literals.back().text += text;
        else
            literals += {text, statement};
        statement += u'"';
    }
    return literals;
}

/// Whether translators receive the literal: it is in QT_TRANSLATE_NOOP("core", …) or its plural form, or in tr() or
/// translate(), which are called when a text is displayed.
bool isTranslated(const Literal &literal)
{
    static const QRegularExpression call(
        QStringLiteral("\\bQT_TRANSLATE_(?:N_)?NOOP\\(\\s*\"\\s*,\\s*$|\\btr\\(\\s*(?:\"\\s*,\\s*)?$|"
                       "\\btranslate\\(\\s*\"\\s*,\\s*(?:\"\\s*,\\s*)?$"));
    return call.match(literal.before).hasMatch();
}

/// Returns the translation context: tr() is in the texts of a folder, with a context named after the folder.
QString contextOf(const Source &source, const Literal &literal)
{
    static const QRegularExpression tr(QStringLiteral("\\btr\\(\\s*(?:\"\\s*,\\s*)?$"));
    if (!tr.match(literal.before).hasMatch())
        return QStringLiteral("core");
    QString folder = source.path.section(u'/', -2, -2);
    folder[0] = folder[0].toUpper();
    return folder;
}

/// Whether a literal is English text: a word beside a space. Commands in capitals are not.
bool isProse(const Literal &literal)
{
    static const QRegularExpression word(QStringLiteral("[a-z]{2,}"));
    return literal.text.contains(u' ') && word.match(literal.text).hasMatch();
}

/// Whether a literal is logged, for developers, in the language of the source.
bool isLogged(const Literal &literal)
{
    static const QRegularExpression log(QStringLiteral("\\b(?:qFatal|qC?(?:Debug|Info|Warning|Critical))\\("));
    return log.match(literal.before).hasMatch();
}

QStringList untranslatedIn(const Source &source)
{
    QStringList found;
    for (const Literal &literal : literalsOf(source.text)) {
        if (isProse(literal) && !isTranslated(literal) && !isLogged(literal))
            found += QStringLiteral("%1: \"%2\"").arg(source.path, literal.text);
    }
    return found;
}

/// Returns the first word of a text that the style of the project bans. Empty if there is none.
QString bannedWordIn(const QString &text)
{
    static const QRegularExpression banned(
        QStringLiteral(
            "\\b(?:nobody|whoever|somebody|whose|lets choose|comes to|goes on|is at it|of meaning|to be had|in "
            "vain|by itself|by themselves|alike|by then)\\b"),
        QRegularExpression::CaseInsensitiveOption);
    return banned.match(text).captured();
}

QString exceptionFor(const QString &path)
{
    const QString folder = path.section(u'/', 0, -2) + u'/';
    return exceptions().contains(path) ? path : exceptions().contains(folder) ? folder : QString();
}

QList<Source> coreSources()
{
    return sources({QStringLiteral("core")}, {QStringLiteral("*.cpp"), QStringLiteral("*.h")});
}

/// Returns the path of Qt 6's lupdate; empty if it is not installed.
QString lupdate()
{
    const QString name = QStringLiteral("lupdate");
    for (const QString &program : {QStandardPaths::findExecutable(name),
                                   QStandardPaths::findExecutable(name, {QStringLiteral("/usr/lib/qt6/bin")})}) {
        QProcess process;
        process.start(program, {QStringLiteral("-version")});
        if (!program.isEmpty() && process.waitForFinished()
            && process.readAllStandardOutput().contains("lupdate version 6"))
            return program;
    }
    return {};
}

/// Returns the texts of a .ts file, as "context: source".
QSet<QString> textsIn(QIODevice &tsFile)
{
    QSet<QString> texts;
    QString context;
    for (QXmlStreamReader xml(&tsFile); !xml.atEnd(); xml.readNext()) {
        if (xml.isStartElement() && xml.name() == u"name")
            context = xml.readElementText();
        else if (xml.isStartElement() && xml.name() == u"source")
            texts.insert(context + QStringLiteral(": ") + xml.readElementText());
    }
    return texts;
}

} // namespace

/// Tests that every displayed text can be translated: lupdate finds it, and core does not translate texts early.
class TestTranslation final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Texts that lupdate cannot find are never translated: tr() needs a class or a context, and a literal.
    void textsOfTheWindow_areFound()
    {
        static const QRegularExpression plain(
            QStringLiteral("\\b(?:setText|setToolTip|setPlaceholderText|setAccessibleName|setWindowTitle|addAction)"
                           "\\((?:QStringLiteral|QLatin1String|u)\\(?\"[^\"]*[a-z]{3,}[^\"]* [^\"]*\""));
        static const QRegularExpression computed(
            QStringLiteral("(?<![\\w])(?:tr|translate)\\((?!\\s*\")(?=[a-z]\\w*[,)])"));
        for (const Source &source : sources({QStringLiteral("ui")}, {QStringLiteral("*.cpp")})) {
            const auto bare = plain.match(source.text);
            QVERIFY2(!bare.hasMatch(),
                     qPrintable(source.path + QStringLiteral(": not translated: ") + bare.captured(0)));
            const auto unknown = computed.match(source.text);
            if (source.path == u"ui/kit/i18n/retranslatingtranslator.cpp")
                continue; // Implements the translation.
            QVERIFY2(!unknown.hasMatch(),
                     qPrintable(source.path + QStringLiteral(": not found by lupdate: ") + unknown.captured(0)));
        }
    }

    void core_translatesNothingAtStartup()
    {
        QStringList found;
        QSet<QString> needed;
        for (const Source &source : coreSources()) {
            const QStringList untranslated = untranslatedIn(source);
            if (const QString exception = exceptionFor(source.path); exception.isEmpty())
                found += untranslated;
            else if (!untranslated.isEmpty())
                needed.insert(exception);
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
        for (const QString &listed : exceptions().keys())
            QVERIFY2(needed.contains(listed), qPrintable(listed + QStringLiteral(" is no exception any more")));
    }

    void earlyWords_areNoticed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("count");
        QTest::addRow("a sentence") << QStringLiteral("return QStringLiteral(\"it is gone\");") << 1;
        QTest::addRow("in two lines") << QStringLiteral("say(\"it is\"\n    \" gone\");") << 1;
        QTest::addRow("to be joined") << QStringLiteral("return QLatin1String(\"write \") + url;") << 1;
        QTest::addRow("behind a character") << QStringLiteral("x == '\"' ? \"it is\" : \"no\"") << 1;
        QTest::addRow("beside one that is translated")
            << QStringLiteral("Text(QT_TRANSLATE_NOOP(\"core\", \"%1 is gone\"), QStringLiteral(\"a key\"))") << 1;
        QTest::addRow("a Text") << QStringLiteral("Text(QT_TRANSLATE_NOOP(\"core\", \"it is\"\n  \" gone\"), x)") << 0;
        QTest::addRow("a plural") << QStringLiteral("f(QT_TRANSLATE_N_NOOP(\"core\", \"%n keys\"))") << 0;
        QTest::addRow("a log") << QStringLiteral("qCWarning(lc).noquote() << \"cannot run\" << program;") << 0;
        QTest::addRow("after a log") << QStringLiteral("qCWarning(lc) << x; say(\"cannot run\");") << 1;
        QTest::addRow("a comment") << QStringLiteral("// \"it is gone\"\n") << 0;
        QTest::addRow("a word") << QStringLiteral("{\"SET\", key, \"PX\"}") << 0;
        QTest::addRow("a separator") << QStringLiteral("join(QStringLiteral(\", \"))") << 0;
    }
    void earlyWords_areNoticed()
    {
        QFETCH(QString, text);
        QTEST(static_cast<int>(untranslatedIn({QStringLiteral("core/x/y.cpp"), text}).size()), "count");
    }

    /// The .ts file contains every translated text, also of help, stories and dialects. Option descriptions are not
    /// translated.
    void texts_haveNoBannedWords()
    {
        QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/translations/latchkey_zh_CN.ts"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QStringList found;
        const auto check = [&found](const QString &place, const QString &text) {
            if (const QString word = bannedWordIn(text); !word.isEmpty())
                found += QStringLiteral("%1: \"%2\" in: %3").arg(place, word, text);
        };
        const QSet<QString> texts = textsIn(file);
        QVERIFY2(texts.size() > 2000, qPrintable(QString::number(texts.size())));
        for (const QString &text : texts)
            check(QStringLiteral("translations"), text);
        for (const Source &source : sources({QStringLiteral("app"), QStringLiteral("core"), QStringLiteral("ui")},
                                            {QStringLiteral("*.cpp"), QStringLiteral("*.h")})) {
            for (const Literal &literal : literalsOf(source.text)) {
                if (isProse(literal))
                    check(source.path, literal.text);
            }
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    void bannedWords_areNoticed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("word");
        QTest::addRow("a word") << QStringLiteral("Nobody here yet") << QStringLiteral("Nobody");
        QTest::addRow("two words") << QStringLiteral("It ends by itself.") << QStringLiteral("by itself");
        QTest::addRow("none") << QStringLiteral("No clients yet") << QString();
        QTest::addRow("part of a word") << QStringLiteral("the income is unalike") << QString();
    }
    void bannedWords_areNoticed()
    {
        QFETCH(QString, text);
        QTEST(bannedWordIn(text), "word");
    }

    void lupdate_findsAllOfIt()
    {
        const QString program = lupdate();
        if (program.isEmpty())
            QSKIP("there is no lupdate of Qt 6 here; Debian has it in qt6-l10n-tools");
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("latchkey_xx.ts")));
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.setWorkingDirectory(QStringLiteral(LATCHKEY_SOURCE_DIR));
        // Without -I, lupdate does not find the headers, and uses the context "Banner" instead of
        // "latchkey::ui::widgets::Banner".
        process.start(program, {QStringLiteral("-silent"), QStringLiteral("-I"), QStringLiteral("."),
                                QStringLiteral("core"), QStringLiteral("ui"), QStringLiteral("-ts"), file.fileName()});
        QVERIFY(process.waitForFinished(120'000));
        QCOMPARE(process.readAll(), QByteArray()); // A tr() without a context would cause a message.
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QSet<QString> texts = textsIn(file);

        int count = 0;
        for (const Source &source : coreSources()) {
            for (const Literal &literal : literalsOf(source.text)) {
                if (!isTranslated(literal))
                    continue;
                ++count;
                QVERIFY2(texts.contains(contextOf(source, literal) + QStringLiteral(": ") + literal.text),
                         qPrintable(source.path + QStringLiteral(": ") + literal.text));
            }
        }
        QVERIFY2(count > 200, qPrintable(QString::number(count)));
        for (const char *known :
             {"core: the server wants a password", "core: Password-protected lock", "ConnectionTexts: node %1 of %2",
              "KeyText: no expiry", "latchkey::ui::shell::ConnectionBar: Pause polling"})
            QVERIFY2(texts.contains(QString::fromLatin1(known)), known);
    }
};

LATCHKEY_TEST(TestTranslation)

} // namespace tst_translation

#include "tst_translation.moc"

#include "tests/support/outcome.h"
#include "tests/support/pages.h"
#include "tests/support/testprogram.h"

#include <QHash>
#include <QProcess>
#include <QTest>

namespace tst_manual {

using namespace latchkey;
using test::allPages;
using test::captures;
using test::manualPages;
using test::textOf;

namespace {

QString helpOf(const QStringList &arguments)
{
    QProcess process;
    process.start(QStringLiteral(LATCHKEY_CLI), arguments);
    return QString::fromUtf8(test::outcomeOf(process).output);
}

/// Returns the page without code blocks.
QString withoutCode(QString page)
{
    page.remove(
        QRegularExpression(QStringLiteral("^```(?:(?!^```)[\\s\\S])*^```$"), QRegularExpression::MultilineOption));
    return page.remove(QRegularExpression(QStringLiteral("^    .*$"), QRegularExpression::MultilineOption));
}

/// Returns the number of words. Five Chinese characters count as three words.
qsizetype wordCount(QString text)
{
    static const QRegularExpression chinese(QStringLiteral("[\u3400-\u9fff]"));
    const qsizetype characters = text.count(chinese);
    text.replace(chinese, QStringLiteral(" "));
    return characters * 3 / 5 + text.split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts).size();
}

/// Returns the cells of tables, and the paragraphs and list items, that are too long.
QStringList tooLongIn(const QString &page)
{
    QStringList tooLong;
    QString paragraph;
    const auto finish = [&] {
        if (wordCount(paragraph) > 90)
            tooLong += paragraph.left(100);
        paragraph.clear();
    };
    for (const QString &line : (withoutCode(page) + u'\n').split(u'\n')) {
        const bool isTable = line.startsWith(u'|');
        static const QRegularExpression item(QStringLiteral("^(?:\\*|\\d+\\.) "));
        if (line.isEmpty() || isTable || line.startsWith(u'#') || line.contains(item))
            finish();
        if (!isTable) {
            paragraph += line + u' ';
            continue;
        }
        for (const QString &cell : QString(line).replace(QStringLiteral("\\|"), QString()).split(u'|')) {
            if (wordCount(cell) > 40)
                tooLong += cell.left(100);
        }
    }
    return tooLong;
}

/// Returns the marks of headings, tables and lists, which both languages share.
QStringList structureOf(const QString &page)
{
    QStringList structure;
    for (const QString &line : withoutCode(page).split(u'\n')) {
        static const QRegularExpression mark(QStringLiteral("^(#+|\\*|\\d+\\.) "));
        if (const auto match = mark.match(line); match.hasMatch())
            structure += match.captured(1);
        else if (line.startsWith(u'|'))
            structure += QStringLiteral("row");
    }
    return structure;
}

} // namespace

/// Tests the form of README.md and the manual, and that both languages have the same.
class TestManual final : public QObject
{
    Q_OBJECT

    QString page;
    QString chinesePage;

private Q_SLOTS:
    void initTestCase()
    {
        page = textOf("README.md");
        chinesePage = textOf("resources/README.zh-CN.md");
    }

    void pages_areShort()
    {
        QStringList tooLong;
        for (const char *path : {"README.md", "resources/README.zh-CN.md"}) {
            if (textOf(path).count(u'\n') > 200)
                tooLong += QLatin1String(path) + QStringLiteral(": more than 200 lines");
        }
        for (const QString &path : allPages()) {
            for (const QString &part : tooLongIn(textOf(path)))
                tooLong += path + QStringLiteral(": ") + part;
        }
        QVERIFY2(tooLong.isEmpty(), qPrintable(tooLong.join(u'\n')));
        QCOMPARE(tooLongIn(QStringLiteral("word ").repeated(91)).size(), 1);
        QCOMPARE(tooLongIn(QStringLiteral("| %1 |").arg(QStringLiteral("word ").repeated(41))).size(), 1);
    }

    void bothLanguages_haveTheSamePagesAndHeadings()
    {
        QStringList expected = manualPages("resources/manual");
        expected.replaceInStrings(QStringLiteral("/manual/"), QStringLiteral("/manual/zh-CN/"));
        QVERIFY(expected.size() > 8);
        QCOMPARE(manualPages("resources/manual/zh-CN"), expected);
        QCOMPARE(structureOf(chinesePage), structureOf(page));
        for (const QString &path : manualPages("resources/manual")) {
            QString chinese = path;
            chinese.replace(QStringLiteral("/manual/"), QStringLiteral("/manual/zh-CN/"));
            QVERIFY2(structureOf(textOf(chinese)) == structureOf(textOf(path)), qPrintable(path));
        }
    }

    void everyPageOfTheManual_isLinked()
    {
        for (const QString &path : manualPages("resources/manual"))
            QVERIFY2(page.contains(u'(' + path + u')'), qPrintable(path));
        for (const QString &path : manualPages("resources/manual/zh-CN"))
            QVERIFY2(chinesePage.contains(u'(' + path.section(u'/', 1) + u')'), qPrintable(path));
    }

    void everyOption_exists()
    {
        const QString help = helpOf({QStringLiteral("--help")});
        QHash<QString, QString> helps {{QStringLiteral("app/run"), textOf("app/run")},
                                       {QStringLiteral("tests/run"), textOf("tests/run")}};
        QString anyHelp = help + textOf("app/run") + textOf("tests/run");
        for (const QString &name :
             captures(help.section(QStringLiteral("Commands:"), 1).section(QStringLiteral("\n\n"), 0, 0),
                      QStringLiteral("^  ([a-z]+)"))) {
            helps[name] = help + helpOf({name, QStringLiteral("--help")});
            anyHelp += helps[name];
        }
        QStringList unknown;
        for (const QString &path : allPages()) {
            const QString text = textOf(path);
            for (QString code :
                 captures(text, QStringLiteral("`([^`\n]+)`")) + captures(text, QStringLiteral("^\\$ (.+)$"))) {
                static const QRegularExpression others(QStringLiteral("^(cmake|debootstrap|git|clang-format)"));
                if (code.contains(others))
                    continue;
                if (const qsizetype called = code.indexOf(QStringLiteral("latchkey-cli ")); called >= 0)
                    code = code.sliced(called + 13);
                const QString helpText = helps.value(code.section(u' ', 0, 0), anyHelp);
                for (const QString &option :
                     captures(code.section(QStringLiteral(" -- "), 0, 0), QStringLiteral("(?<!\\S)(--[a-z-]+)"))) {
                    if (!helpText.contains(QRegularExpression(option + QStringLiteral("(?![a-z-])"))))
                        unknown += path + QStringLiteral(": ") + code;
                }
            }
        }
        QVERIFY2(unknown.isEmpty(), qPrintable(unknown.join(u'\n')));
    }
};

LATCHKEY_TEST(TestManual)

} // namespace tst_manual

#include "tst_manual.moc"

#include "tests/support/sources.h"
#include "tests/support/testprogram.h"

#include <QRegularExpression>
#include <QTest>

namespace tst_comments {

using latchkey::test::Source;
using latchkey::test::sources;

namespace {

/// Largest share of doc comments in headers that may begin with a pronoun or a preposition.
constexpr double mostRiddles = 0.03;

/// The doc comments of one or more headers.
struct DocComments
{
    qsizetype count = 0;
    QStringList riddles; ///< Those that begin with a word that needs the declaration to be understood.

    /// Adds the comments of a header. Adjacent `///` lines are one comment.
    void add(const Source &header)
    {
        static const QRegularExpression start(QStringLiteral("///<? *(\\w+)"));
        static const QRegularExpression riddle(QStringLiteral("^(Of|Those|Whose|What|Who|Where|Which|For|By|That)$"));
        const QStringList lines = header.text.split(u'\n');
        bool isInComment = false;
        for (qsizetype i = 0; i < lines.size(); ++i) {
            const bool isComment = lines[i].trimmed().startsWith(u"///");
            // A comment behind a declaration is one of its own, also next to another.
            if (const auto match = start.match(lines[i]); match.hasMatch() && !(isComment && isInComment)) {
                ++count;
                if (riddle.match(match.captured(1)).hasMatch())
                    riddles += QStringLiteral("%1:%2: %3").arg(header.path).arg(i + 1).arg(lines[i].trimmed());
            }
            isInComment = isComment;
        }
    }
};

} // namespace

/// Tests of the comments in headers: a reader understands each without the declaration below it.
class TestComments final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void docComments_beginWithTheirSubjectOrAVerb()
    {
        DocComments comments;
        for (const Source &header :
             sources({QStringLiteral("app"), QStringLiteral("core"), QStringLiteral("ui")}, {QStringLiteral("*.h")}))
            comments.add(header);
        QVERIFY(comments.count > 2000);
        QVERIFY2(static_cast<double>(comments.riddles.size()) <= mostRiddles * static_cast<double>(comments.count),
                 qPrintable(comments.riddles.join(u'\n')));
    }

    void riddle_isFoundWithItsPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("found");
        QTest::addRow("plain") << QStringLiteral("/// A pool.\nclass A\n{\n    int b; ///< Number of things.\n")
                               << QStringList();
        QTest::addRow("class") << QStringLiteral("/// Whose it is.\nclass A;\n")
                               << QStringList {QStringLiteral("a.h:1: /// Whose it is.")};
        QTest::addRow("member") << QStringLiteral("    int b; ///< What it has.\n    int c; ///< Of the pool.\n")
                                << QStringList {QStringLiteral("a.h:1: int b; ///< What it has."),
                                                QStringLiteral("a.h:2: int c; ///< Of the pool.")};
        QTest::addRow("second line") << QStringLiteral("/// A pool of\n/// Those.\n") << QStringList();
        QTest::addRow("part of a word") << QStringLiteral("/// Forwards it.\n/// Byte.\n") << QStringList();
    }
    void riddle_isFoundWithItsPlace()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, found);
        DocComments comments;
        comments.add({QStringLiteral("a.h"), text});
        QCOMPARE(comments.riddles, found);
    }
};

LATCHKEY_TEST(TestComments)

} // namespace tst_comments

#include "tst_comments.moc"

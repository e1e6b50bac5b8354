#include "tests/support/sources.h"
#include "tests/support/testprogram.h"

#include <QRegularExpression>
#include <QTest>

namespace tst_headers {

using latchkey::test::Source;
using latchkey::test::sources;

namespace {

/// Returns the namespace of a file: `latchkey::resp` in core/redis/resp, `latchkey::ui::theme` in ui/kit/theme.
QString namespaceOf(const QString &path)
{
    QStringList parts = path.section(u'/', 0, -2).split(u'/');
    if (parts.first() != u"app")
        parts.remove(1); // The wing.
    parts.first() = parts.first() == u"ui" ? QStringLiteral("latchkey::ui") : QStringLiteral("latchkey");
    return parts.join(QStringLiteral("::"));
}

} // namespace

/// Tests of the headers: each header can be used alone.
class TestHeaders final : public QObject
{
    Q_OBJECT

    const QStringList folders {QStringLiteral("app"), QStringLiteral("core"), QStringLiteral("ui")};

private Q_SLOTS:
    void everyHeader_isIncludedOnceAndIsInItsNamespace()
    {
        for (const Source &source : sources(folders, {QStringLiteral("*.h")})) {
            QVERIFY2(source.text.startsWith(QStringLiteral("#pragma once\n")), qPrintable(source.path));
            const QString expected = QStringLiteral("namespace ") + namespaceOf(source.path);
            QVERIFY2(source.text.contains(expected + QStringLiteral(" {")),
                     qPrintable(source.path + QStringLiteral(" lacks ") + expected));
        }
    }

    void everyClass_hasAComment()
    {
        // A class or struct at the outermost level with a definition, and the line above it.
        static const QRegularExpression definition(
            QStringLiteral("^(?:class|struct)(?:\\s+\\[\\[nodiscard\\]\\])?\\s+(\\w+)[^;{]*\\{?$"),
            QRegularExpression::MultilineOption);
        int seen = 0;
        QStringList silent;
        for (const Source &source : sources(folders, {QStringLiteral("*.h")})) {
            if (source.text.contains(QStringLiteral("namespace detail")))
                continue;
            const QStringList lines = source.text.split(u'\n');
            for (qsizetype i = 1; i < lines.size(); ++i) {
                const auto match = definition.match(lines[i]);
                if (!match.hasMatch() || lines[i].endsWith(u';'))
                    continue;
                qsizetype above = i - 1;
                while (above > 0
                       && (lines[above].startsWith(QStringLiteral("template"))
                           || lines[above].startsWith(QStringLiteral("[["))))
                    --above;
                ++seen;
                if (!lines[above].startsWith(QStringLiteral("///")))
                    silent += QStringLiteral("%1: %2 has no comment").arg(source.path, match.captured(1));
            }
        }
        QVERIFY(seen > 60);
        QVERIFY2(silent.isEmpty(), qPrintable(silent.join(u'\n')));
    }

    void noSource_hasASleepOrANestedEventLoop()
    {
        static const QRegularExpression forbidden(
            QStringLiteral("processEvents\\(|QEventLoop|\\.exec\\(\\)|->exec\\(\\)"));
        for (const Source &source :
             sources({QStringLiteral("core"), QStringLiteral("ui")}, {QStringLiteral("*.cpp")})) {
            const auto match = forbidden.match(source.text);
            QVERIFY2(!match.hasMatch(), qPrintable(source.path + u' ' + match.captured(0)));
        }
    }
};

LATCHKEY_TEST(TestHeaders)

} // namespace tst_headers

#include "tst_headers.moc"

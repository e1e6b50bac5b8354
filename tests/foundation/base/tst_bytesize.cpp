#include "core/foundation/base/bytesize.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_bytesize {

using namespace latchkey;
using base::formatByteSize;
using base::parseByteSize;

class TestByteSize final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sizes_areReadAndWritten_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("shown");
        QTest::addRow("none") << QStringLiteral("0B") << qint64(0) << QStringLiteral("0 B");
        QTest::addRow("bytes") << QStringLiteral("512B") << qint64(512) << QStringLiteral("512 B");
        QTest::addRow("kilobytes") << QStringLiteral("500KB") << qint64(512'000) << QStringLiteral("500 KB");
        QTest::addRow("small letters") << QStringLiteral("1gb") << qint64(1'073'741'824) << QStringLiteral("1 GB");
        QTest::addRow("part") << QStringLiteral("3277KB") << qint64(3'355'648) << QStringLiteral("3.2 MB");
        QTest::addRow("many") << QStringLiteral("5000GB") << qint64(5'368'709'120'000) << QStringLiteral("5000 GB");
    }
    void sizes_areReadAndWritten()
    {
        QFETCH(QString, typed);
        QFETCH(qint64, bytes);
        const auto read = parseByteSize(typed);
        QVERIFY2(read.has_value(), read ? "" : qPrintable(read.error().message()));
        QCOMPARE(*read, bytes);
        QTEST(formatByteSize(bytes), "shown");
    }

    void otherTexts_areRefused()
    {
        for (const char *text :
             {"", "10", "MB", "-1MB", "1.5MB", "1TB", "1 MB", "99999999999999999999GB", "9999999999999GB"}) {
            const auto read = parseByteSize(QString::fromLatin1(text));
            QVERIFY2(!read, text);
            QVERIFY(read.error().message().startsWith(QStringLiteral("\"%1\" is not a size").arg(QLatin1String(text))));
        }
    }
};

LATCHKEY_TEST(TestByteSize)

} // namespace tst_bytesize

#include "tst_bytesize.moc"

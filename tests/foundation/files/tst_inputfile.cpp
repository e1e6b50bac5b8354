#include "core/foundation/files/inputfile.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

namespace tst_inputfile {

using namespace latchkey;
using base::ErrorKind;
using files::contentsOf;

class TestInputFile final : public QObject
{
    Q_OBJECT

private:
    [[nodiscard]] QString path(const QString &name) const { return folder.filePath(name); }
    [[nodiscard]] QString written(const QByteArray &contents) const
    {
        QFile file(path(QStringLiteral("file")));
        return file.open(QIODevice::WriteOnly) && file.write(contents) == contents.size() ? file.fileName() : QString();
    }

    QTemporaryDir folder;

private Q_SLOTS:
    void fileUpToTheLimit_isRead()
    {
        QCOMPARE(contentsOf(written("12345678"), 8).value_or("error"), QByteArray("12345678"));
        QCOMPARE(contentsOf(written(""), 8).value_or("error"), QByteArray());
    }
    void largerFile_isRefused()
    {
        const auto contents = contentsOf(written("123456789"), 8);
        QVERIFY(!contents);
        QCOMPARE(contents.error().kind, ErrorKind::Usage);
        QCOMPARE(contents.error().message(), QStringLiteral("it is larger than 8 bytes"));
    }
    void pipe_isRefused_withoutWaiting()
    {
        QCOMPARE(::mkfifo(path(QStringLiteral("pipe")).toLocal8Bit().constData(), 0600), 0);
        const auto contents = contentsOf(path(QStringLiteral("pipe")), 8);
        QVERIFY(!contents);
        QCOMPARE(contents.error().kind, ErrorKind::Usage);
        QCOMPARE(contents.error().message(), QStringLiteral("it is not a regular file"));
    }
    void absentFile_isALocalError()
    {
        const auto contents = contentsOf(path(QStringLiteral("absent")), 8);
        QVERIFY(!contents);
        QCOMPARE(contents.error().kind, ErrorKind::Local);
    }
    /// /proc/self/mem has no page at address 0: it opens, but a read fails.
    void fileThatCannotBeRead_isALocalError()
    {
        const auto contents = contentsOf(QStringLiteral("/proc/self/mem"), 8);
        QVERIFY(!contents);
        QCOMPARE(contents.error().kind, ErrorKind::Local);
    }
};

LATCHKEY_TEST(TestInputFile)

} // namespace tst_inputfile

#include "tst_inputfile.moc"

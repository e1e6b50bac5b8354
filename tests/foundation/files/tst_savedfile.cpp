#include "core/foundation/files/savedfile.h"
#include "tests/support/filesizelimit.h"
#include "tests/support/testprogram.h"

#include <QBuffer>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tst_savedfile {

using namespace latchkey;
using files::saveFile;
using test::FileSizeLimit;

namespace {

QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

/// A device that accepts three bytes at a time.
class SlowDevice final : public QBuffer
{
protected:
    qint64 writeData(const char *data, qint64 size) override
    {
        return QBuffer::writeData(data, std::min<qint64>(size, 3));
    }
};

} // namespace

class TestSavedFile final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    [[nodiscard]] QString path() const { return folder->filePath(QStringLiteral("report.xml")); }

private Q_SLOTS:
    void init() { folder = std::make_unique<QTemporaryDir>(); }

    void file_isReplaced()
    {
        QVERIFY(saveFile(path(), "old"));
        QVERIFY(saveFile(path(), "new"));
        QCOMPARE(contentsOf(path()), QByteArray("new"));
        QCOMPARE(QDir(folder->path()).entryList(QDir::Files).size(), 1);
    }

    /// Also contents that fit into the buffer of a QSaveFile: its commit() would replace the old file by an empty one.
    void fullDisk_leavesTheOldFile_data()
    {
        QTest::addColumn<int>("size");
        QTest::addRow("less than a buffer") << 600;
        QTest::addRow("several buffers") << 100'000;
    }
    void fullDisk_leavesTheOldFile()
    {
        QFETCH(int, size);
        QVERIFY(saveFile(path(), "old"));
        const auto saved = [&] {
            const FileSizeLimit full(100);
            return saveFile(path(), QByteArray(size, 'x'));
        }();
        QVERIFY(!saved);
        QCOMPARE(saved.error().kind, base::ErrorKind::Local);
        QCOMPARE(saved.error().message(), QStringLiteral("cannot write %1: File too large").arg(path()));
        QCOMPARE(contentsOf(path()), QByteArray("old"));
        QCOMPARE(QDir(folder->path()).entryList(QDir::Files).size(), 1);
    }

    void fullDisk_leavesNoNewFile()
    {
        const auto saved = [&] {
            const FileSizeLimit full(0);
            return saveFile(path(), "new");
        }();
        QVERIFY(!saved);
        QVERIFY(!QFile::exists(path()));
    }

    void folderThatIsNotThere_isReportedBeforeAnythingIsDone()
    {
        const auto opened = files::SavedFile::open(folder->filePath(QStringLiteral("no/such/folder")));
        QVERIFY(!opened);
        QVERIFY2(opened.error().message().startsWith(QStringLiteral("cannot write ")),
                 qPrintable(opened.error().message()));
    }

    /// Replaced by a temporary file, the device would be gone for all programs.
    void device_isWrittenDirectly()
    {
        const auto saved = saveFile(QStringLiteral("/dev/full"), "new");
        QVERIFY(!saved);
        QCOMPARE(saved.error().message(), QStringLiteral("cannot write /dev/full: No space left on device"));
        QVERIFY(saveFile(QStringLiteral("/dev/null"), "new"));
        QVERIFY(!QFileInfo(QStringLiteral("/dev/null")).isFile());
    }

    void folderForAFile_isMade()
    {
        const QString deep = folder->filePath(QStringLiteral("a/b/c.ini"));
        QVERIFY(files::makeFolderFor(deep));
        QVERIFY(files::makeFolderFor(deep));
        QVERIFY(saveFile(deep, "x"));
        const auto below = files::makeFolderFor(deep + QStringLiteral("/d/e"));
        QVERIFY(!below);
        QVERIFY2(below.error().message().endsWith(QStringLiteral("Not a directory")),
                 qPrintable(below.error().message()));
    }

    void partialWrites_areContinued()
    {
        SlowDevice device;
        QVERIFY(device.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
        QVERIFY(files::writeAll(device, "0123456789"));
        QCOMPARE(device.data(), QByteArray("0123456789"));
    }
};

LATCHKEY_TEST(TestSavedFile)

} // namespace tst_savedfile

#include "tst_savedfile.moc"

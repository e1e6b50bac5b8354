#include "core/foundation/files/inifile.h"
#include "tests/support/filesizelimit.h"
#include "tests/support/testprogram.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRect>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

namespace tst_inifile {

using namespace latchkey;
using files::changeIniFile;
using files::IniValues;

class TestIniFile final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    [[nodiscard]] QString path() const { return folder->filePath(QStringLiteral("kept/file.ini")); }
    [[nodiscard]] IniValues read() const
    {
        const QSettings file(path(), QSettings::IniFormat);
        IniValues values;
        for (const QString &key : file.allKeys())
            values[key] = file.value(key);
        return values;
    }
    [[nodiscard]] QByteArray contents() const
    {
        QFile file(path());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private Q_SLOTS:
    void init() { folder = std::make_unique<QTemporaryDir>(); }

    void values_areThoseOfQSettings_data()
    {
        QTest::addColumn<QVariant>("value");
        const auto text = [](const char *name, const QString &value) { QTest::addRow("%s", name) << QVariant(value); };
        text("word", QStringLiteral("production"));
        text("empty", QLatin1String(""));
        text("spaces", QStringLiteral(" a b "));
        text("semicolon and comma", QStringLiteral("a;b,c=d#e"));
        text("quotes", QStringLiteral("\"a\" \\ 'b'"));
        text("lines", QStringLiteral("a\nb\r\tc"));
        text("control characters before digits", QStringLiteral("\x01"
                                                                "5\x1b[31m"));
        text("Chinese", QString::fromUtf8("锁:订单"));
        text("outside of the first plane", QString::fromUtf8("🔒 lock"));
        text("at sign", QStringLiteral("@ByteArray(x)"));
        text("URL", QStringLiteral("rediss://ann@db:6380/2?sni=x&pin=ab"));
        QTest::addRow("list") << QVariant(QStringList {QStringLiteral("a"), QStringLiteral("b, c"), QLatin1String("")});
        QTest::addRow("empty list") << QVariant(QStringList());
        QByteArray bytes;
        for (int byte = 0; byte < 256; ++byte)
            bytes += static_cast<char>(byte);
        QTest::addRow("bytes") << QVariant(bytes);
        QTest::addRow("rectangle") << QVariant(QRect(1, 2, 3, 4));
    }
    void values_areThoseOfQSettings()
    {
        QFETCH(QVariant, value);
        QVERIFY(changeIniFile(path(), [&](IniValues &values) { values[QStringLiteral("a/b")] = value; }));
        const QVariant back = read().value(QStringLiteral("a/b"));
        if (value.typeId() == QMetaType::QStringList)
            QCOMPARE(back.toStringList(), value.toStringList());
        else
            QCOMPARE(back, value);
        // Once more with the values that were read.
        QVERIFY(changeIniFile(path(), [](IniValues &) {}));
        QCOMPARE(read().value(QStringLiteral("a/b")), back);
    }

    void keys_areThoseOfQSettings()
    {
        const QStringList keys {QStringLiteral("alone"),       QStringLiteral("window/geometry"),
                                QStringLiteral("window/a/b"),  QStringLiteral("General/url"),
                                QStringLiteral("general/url"), QString::fromUtf8("Täglich 100 %, live/url"),
                                QString::fromUtf8("锁/url"),   QStringLiteral("a-b/c"),
                                QStringLiteral("a/c")};
        QVERIFY(changeIniFile(path(), [&](IniValues &values) {
            for (const QString &key : keys)
                values[key] = key;
        }));
        const IniValues values = read();
        QCOMPARE(values.size(), keys.size());
        for (const QString &key : keys)
            QCOMPARE(values.value(key).toString(), key);
    }

    /// Values written by QSettings are kept, whatever this program knows of them.
    void otherValues_stay()
    {
        QVERIFY(changeIniFile(path(), [](IniValues &) {}));
        {
            QSettings file(path(), QSettings::IniFormat);
            file.setValue(QStringLiteral("later/version"), QStringList {QStringLiteral("1"), QStringLiteral("x")});
            file.setValue(QStringLiteral("later/time"), QDateTime::fromSecsSinceEpoch(1));
        }
        const IniValues before = read();
        QVERIFY(changeIniFile(path(), [](IniValues &values) { values[QStringLiteral("own/key")] = 1; }));
        IniValues after = read();
        QCOMPARE(after.take(QStringLiteral("own/key")).toInt(), 1);
        QCOMPARE(after, before);
    }

    void changesInQuickSuccession_areAllKept()
    {
        for (int i = 0; i < 10; ++i) {
            QVERIFY(changeIniFile(path(), [i](IniValues &values) {
                values[QStringLiteral("numbers/%1").arg(i % 2)] = QString::number(i);
            }));
        }
        QCOMPARE(read().value(QStringLiteral("numbers/0")).toString(), QStringLiteral("8"));
        QCOMPARE(read().value(QStringLiteral("numbers/1")).toString(), QStringLiteral("9"));
    }

    void fullDisk_leavesTheOldFile()
    {
        QVERIFY(
            changeIniFile(path(), [](IniValues &values) { values[QStringLiteral("a/b")] = QStringLiteral("old"); }));
        const QByteArray before = contents();
        const auto changed = [&] {
            const test::FileSizeLimit full(8);
            return changeIniFile(path(), [](IniValues &values) { values[QStringLiteral("a/b")] = QString(500, u'x'); });
        }();
        QVERIFY(!changed);
        QCOMPARE(changed.error().message(), QStringLiteral("cannot write %1: File too large").arg(path()));
        QCOMPARE(contents(), before);
    }

    void otherFile_isNotTouched()
    {
        QVERIFY(QDir().mkpath(QFileInfo(path()).path()));
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is\x01 no INI file\n[");
        file.close();
        for (int attempt = 0; attempt < 2; ++attempt) { // QSettings reports it to the first reader only.
            const auto changed = changeIniFile(path(), [](IniValues &values) { values[QStringLiteral("a/b")] = 1; });
            QVERIFY(!changed);
            QCOMPARE(changed.error().message(),
                     QStringLiteral("cannot change %1: it is not in INI format").arg(path()));
            QCOMPARE(contents(), QByteArray("this is\x01 no INI file\n["));
        }
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[a]\nc=2\n");
        file.close();
        QVERIFY(changeIniFile(path(), [](IniValues &values) { values[QStringLiteral("a/b")] = 1; }));
    }

    void newFile_isForItsOwnerOnly()
    {
        QVERIFY(changeIniFile(path(), [](IniValues &values) { values[QStringLiteral("a/b")] = 1; }));
        QCOMPARE(QFile::permissions(path()) & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
    }
};

LATCHKEY_TEST(TestIniFile)

} // namespace tst_inifile

#include "tst_inifile.moc"

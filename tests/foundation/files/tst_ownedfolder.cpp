#include "core/foundation/files/ownedfolder.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QDateTime>
#include <QDir>
#include <QTest>

namespace tst_ownedfolder {

using namespace latchkey;
using files::OwnedFolder;

class TestOwnedFolder final : public QObject
{
    Q_OBJECT

    static constexpr auto prefix = QLatin1String("latchkey-test-");

    QTemporaryDir place;

    [[nodiscard]] QString makeFolder(const char *name) const
    {
        const QString path = place.filePath(QString::fromLatin1(name));
        QDir().mkpath(path);
        return path;
    }
    static void write(const QString &path, const QByteArray &bytes)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

private Q_SLOTS:
    void folder_isPrivateAndGoesWithItsOwner()
    {
        auto folder = OwnedFolder::create(prefix, place.path());
        LATCHKEY_VERIFY_RESULT(folder);
        const QString path = (*folder)->path();
        QCOMPARE(QFile::permissions(path)
                     & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther),
                 QFile::Permissions());
        write((*folder)->filePath(QStringLiteral("dump.rdb")), "x");
        folder->reset();
        QVERIFY(!QFileInfo::exists(path));
    }

    void removeLeft_leavesFoldersOfTheLivingAlone()
    {
        const auto alive = OwnedFolder::create(prefix, place.path());
        LATCHKEY_VERIFY_RESULT(alive);
        QCOMPARE(OwnedFolder::removeLeft(prefix, place.path()), 0);
        QVERIFY(QFileInfo::exists((*alive)->path()));
    }

    void removeLeft_removesFoldersOfTheDead()
    {
        const QString dead = makeFolder("latchkey-test-dead");
        // The content that QLockFile writes: process, program, host. No process has this largest process ID.
        write(dead + QStringLiteral("/owner.lock"),
              "4194304\ntst_ownedfolder\n" + QSysInfo::machineHostName().toLocal8Bit() + "\n");
        write(dead + QStringLiteral("/way"), "");
        QCOMPARE(OwnedFolder::removeLeft(prefix, place.path()), 1);
        QVERIFY(!QFileInfo::exists(dead));
    }

    void removeLeft_sparesAFolderThatIsJustBeingMade()
    {
        const QString young = makeFolder("latchkey-test-young");
        QCOMPARE(OwnedFolder::removeLeft(prefix, place.path()), 0);
        QVERIFY(QFileInfo::exists(young));
    }

    void removeLeft_touchesNothingOfOthers()
    {
        const QString other = makeFolder("somebody-elses");
        write(other + QStringLiteral("/owner.lock"), "4194304\nx\ny\n");
        QCOMPARE(OwnedFolder::removeLeft(prefix, place.path()), 0);
        QVERIFY(QFileInfo::exists(other));
    }

    void create_reportsTheFailedStep()
    {
        const auto folder = OwnedFolder::create(prefix, QStringLiteral("/nonexistent"));
        QVERIFY(!folder);
        QVERIFY(folder.error().message().startsWith(QStringLiteral("cannot make a folder in /nonexistent")));
    }
};

LATCHKEY_TEST(TestOwnedFolder)

} // namespace tst_ownedfolder

#include "tst_ownedfolder.moc"

#include "core/server/serverfolder.h"
#include "tests/support/await.h"

#include <QDateTime>
#include <QDir>
#include <QTest>

using namespace latchkey;
using server::ServerFolder;

class TestServerFolder final : public QObject
{
    Q_OBJECT

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
        auto folder = ServerFolder::create(place.path());
        LATCHKEY_VERIFY_RESULT(folder);
        const QString path = (*folder)->path();
        QCOMPARE(QFile::permissions(path)
                     & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther),
                 QFile::Permissions());
        write((*folder)->filePath(QStringLiteral("dump.rdb")), "x");
        folder->reset();
        QVERIFY(!QFileInfo::exists(path));
    }

    void sweep_leavesFoldersOfTheLivingAlone()
    {
        const auto alive = ServerFolder::create(place.path());
        LATCHKEY_VERIFY_RESULT(alive);
        QCOMPARE(ServerFolder::sweep(place.path()), 0);
        QVERIFY(QFileInfo::exists((*alive)->path()));
    }

    void sweep_removesFoldersOfTheDead()
    {
        const QString dead = makeFolder("latchkey-server-dead");
        // What QLockFile writes: process, program, host. No process has the largest number there is.
        write(dead + QStringLiteral("/owner.lock"),
              "4194304\ntst_serverfolder\n" + QSysInfo::machineHostName().toLocal8Bit() + "\n");
        write(dead + QStringLiteral("/redis.sock"), "");
        QCOMPARE(ServerFolder::sweep(place.path()), 1);
        QVERIFY(!QFileInfo::exists(dead));
    }

    void sweep_sparesAFolderThatIsJustBeingMade()
    {
        const QString young = makeFolder("latchkey-server-young");
        QCOMPARE(ServerFolder::sweep(place.path()), 0);
        QVERIFY(QFileInfo::exists(young));
    }

    void sweep_touchesNothingOfOthers()
    {
        const QString other = makeFolder("somebody-elses");
        write(other + QStringLiteral("/owner.lock"), "4194304\nx\ny\n");
        QCOMPARE(ServerFolder::sweep(place.path()), 0);
        QVERIFY(QFileInfo::exists(other));
    }

    void create_saysWhereItFailed()
    {
        const auto folder = ServerFolder::create(QStringLiteral("/nonexistent"));
        QVERIFY(!folder);
        QVERIFY(folder.error().message().startsWith(QStringLiteral("cannot make a folder in /nonexistent")));
    }
};

QTEST_GUILESS_MAIN(TestServerFolder)
#include "tst_serverfolder.moc"

#include "core/redis/connections/savedconnections.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace tst_redlockgroups {

using namespace latchkey;
using connections::RedlockGroup;
using connections::SavedConnections;

/// Tests of the redlock groups in the file of the saved servers.
class TestRedlockGroups final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    [[nodiscard]] QString path(const char *name = "servers.ini") const { return folder->filePath(QLatin1String(name)); }
    [[nodiscard]] QByteArray contents() const
    {
        QFile file(path());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void write(const QByteArray &contents) const
    {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(contents), contents.size());
    }
    static void putServer(SavedConnections &saved, const char *name, const char *url)
    {
        QVERIFY(saved.put({QString::fromUtf8(name), net::Endpoint::fromUrl(QLatin1String(url)).value()}));
    }
    [[nodiscard]] static RedlockGroup group(const char *name, const QStringList &members)
    {
        return {QString::fromUtf8(name), members};
    }

private Q_SLOTS:
    void init() { folder = std::make_unique<QTemporaryDir>(); }

    void group_isReadByAnotherInstance()
    {
        SavedConnections saved(path());
        putServer(saved, "a, first", "redis://one");
        const QSignalSpy changes(&saved, &SavedConnections::changed);
        QVERIFY(saved.putGroup(group("Trio 100 %", {QStringLiteral("A, FIRST"), QStringLiteral("redis://two"),
                                                    QStringLiteral("redis://ann:s3cret@three:7000")})));
        QVERIFY(!changes.isEmpty());
        QVERIFY2(!contents().contains("s3cret"), contents().constData());
        const SavedConnections other(path());
        QVERIFY(other.problems().empty());
        QCOMPARE(other.servers().size(), std::size_t(1));
        const RedlockGroup *found = other.findGroup(QStringLiteral("trio 100 %"));
        QVERIFY(found != nullptr);
        QCOMPARE(found->members, QStringList({QStringLiteral("a, first"), QStringLiteral("redis://two:6379"),
                                              QStringLiteral("redis://ann@three:7000")}));
        const auto members = other.membersOf(*found);
        QVERIFY(members && members->size() == 3);
        QCOMPARE((*members)[0].name, QStringLiteral("a, first"));
        QCOMPARE((*members)[2].endpoint.port, quint16(7000));
    }

    void unusableGroup_isRefused_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("members");
        QTest::addColumn<QString>("says");
        const QString one = QStringLiteral("one");
        QTest::addRow("twice by name") << QStringLiteral("g") << QStringList {one, QStringLiteral("ONE")}
                                       << QStringLiteral("is twice in it");
        QTest::addRow("twice by address") << QStringLiteral("g") << QStringList {one, QStringLiteral("redis://one/3")}
                                          << QStringLiteral("is twice in it");
        QTest::addRow("single") << QStringLiteral("g") << QStringList {one}
                                << QStringLiteral("it needs at least two servers");
        QTest::addRow("empty") << QStringLiteral("g") << QStringList()
                               << QStringLiteral("it needs at least two servers");
        QTest::addRow("unknown") << QStringLiteral("g") << QStringList {one, QStringLiteral("lost")}
                                 << QStringLiteral("no server is saved as \"lost\"");
        QTest::addRow("URL") << QStringLiteral("g") << QStringList {one, QStringLiteral("nonsense://x")}
                             << QStringLiteral("nonsense");
        QTest::addRow("name of a server") << QStringLiteral("One") << QStringList {one, QStringLiteral("redis://two")}
                                          << QStringLiteral("another server is called \"one\" already");
        QTest::addRow("name of a group") << QStringLiteral("PAIR") << QStringList {one, QStringLiteral("redis://two")}
                                         << QStringLiteral("another group is called \"pair\" already");
        QTest::addRow("slash") << QStringLiteral("a/b") << QStringList {one, QStringLiteral("redis://two")}
                               << QStringLiteral("without slashes");
    }
    void unusableGroup_isRefused()
    {
        QFETCH(const QString, name);
        QFETCH(const QStringList, members);
        QFETCH(const QString, says);
        SavedConnections saved(path());
        putServer(saved, "one", "redis://one");
        QVERIFY(saved.putGroup(group("pair", {QStringLiteral("one"), QStringLiteral("redis://two")})));
        const QByteArray before = contents();
        const auto refused = saved.putGroup({name, members});
        QVERIFY(!refused && refused.error().kind == base::ErrorKind::Usage);
        QVERIFY2(refused.error().message().contains(says), qPrintable(refused.error().message()));
        QCOMPARE(contents(), before);
        const auto server =
            saved.put({QStringLiteral("Pair"), net::Endpoint::fromUrl(QStringLiteral("redis://z")).value()});
        QCOMPARE(server.error().message(), QStringLiteral("another group is called \"pair\" already"));
    }

    void changedGroup_isReplaced()
    {
        SavedConnections saved(path());
        const QStringList urls {QStringLiteral("redis://a:6379"), QStringLiteral("redis://b:6379"),
                                QStringLiteral("redis://c:6379")};
        QVERIFY(saved.putGroup({QStringLiteral("g"), urls}));
        QVERIFY(saved.putGroup({QStringLiteral("h"), urls.mid(1)}, QStringLiteral("G")));
        QCOMPARE(saved.groups().size(), std::size_t(1));
        QVERIFY(saved.groups().front() == (RedlockGroup {QStringLiteral("h"), urls.mid(1)}));
        QVERIFY(saved.removeGroup(QStringLiteral("H")));
        QVERIFY(saved.groups().empty() && saved.removeGroup(QStringLiteral("h")));
    }

    void renamedServer_staysInItsGroups()
    {
        SavedConnections saved(path());
        putServer(saved, "a", "redis://one");
        putServer(saved, "b", "redis://two");
        QVERIFY(saved.putGroup(group("g", {QStringLiteral("a"), QStringLiteral("b")})));
        QVERIFY(saved.put({QStringLiteral("c"), saved.find(QStringLiteral("a"))->endpoint}, QStringLiteral("a")));
        QCOMPARE(saved.findGroup(QStringLiteral("g"))->members,
                 QStringList({QStringLiteral("c"), QStringLiteral("b")}));
        QVERIFY(saved.problems().empty());
    }

    void groupWithoutItsServer_isReportedAndKept()
    {
        SavedConnections saved(path());
        putServer(saved, "a", "redis://one");
        putServer(saved, "b", "redis://two");
        QVERIFY(saved.putGroup(group("g", {QStringLiteral("a"), QStringLiteral("b")})));
        QVERIFY(saved.remove(QStringLiteral("a")));
        QVERIFY(!saved.membersOf(*saved.findGroup(QStringLiteral("g"))));
        QCOMPARE(saved.problemOf(QStringLiteral("G"))->message(),
                 QStringLiteral("the group \"g\": no server is saved as \"a\": save it, or take it out of the group"));
        putServer(saved, "a", "redis://one");
        QVERIFY(saved.problems().empty());
    }

    /// A file of an earlier version, and an entry of a later one.
    void otherVersions_loseNothing()
    {
        write("[a]\nurl=redis://one\n\n[later]\nkind=mesh\nnodes=7\n");
        SavedConnections saved(path());
        QCOMPARE(saved.servers().size(), std::size_t(1));
        QCOMPARE(saved.problems().size(), std::size_t(1));
        QVERIFY(saved.putGroup(group("g", {QStringLiteral("a"), QStringLiteral("redis://two")})));
        QSettings file(path(), QSettings::IniFormat);
        QCOMPARE(file.value(QStringLiteral("later/kind")).toString(), QStringLiteral("mesh"));
        QCOMPARE(file.value(QStringLiteral("later/nodes")).toString(), QStringLiteral("7"));
        QCOMPARE(file.value(QStringLiteral("a/url")).toString(), QStringLiteral("redis://one"));
        QVERIFY(saved.problemOf(QStringLiteral("later")) != nullptr);
        QVERIFY(saved.problemOf(QStringLiteral("g")) == nullptr);
    }

    void import_keepsTheMembers()
    {
        SavedConnections theirs(path("theirs.ini"));
        putServer(theirs, "a", "redis://theirs");
        QVERIFY(theirs.putGroup(group("g", {QStringLiteral("a"), QStringLiteral("redis://two")})));
        QVERIFY(theirs.exportTo(path("out.ini")));
        SavedConnections ours(path());
        putServer(ours, "a", "redis://ours");
        putServer(ours, "g", "redis://g");
        const auto taken = ours.importFrom(path("out.ini"));
        QVERIFY(taken && *taken == 1);
        QCOMPARE(ours.groups().size(), std::size_t(1));
        QCOMPARE(ours.findGroup(QStringLiteral("g 2"))->members,
                 QStringList({QStringLiteral("a 2"), QStringLiteral("redis://two:6379")}));
        QVERIFY(ours.importFrom(path("out.ini")));
        QCOMPARE(ours.findGroup(QStringLiteral("g")) == nullptr, true);
    }
};

LATCHKEY_TEST(TestRedlockGroups)

} // namespace tst_redlockgroups

#include "tst_redlockgroups.moc"

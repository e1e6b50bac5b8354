#include "core/redis/connections/savedconnections.h"
#include "tests/support/filesizelimit.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace tst_savedconnections {

using namespace latchkey;
using base::ErrorKind;
using connections::ColourMark;
using connections::Environment;
using connections::SavedConnection;
using connections::SavedConnections;

class TestSavedConnections final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    [[nodiscard]] QString path(const char *name = "kept/servers.ini") const
    {
        return folder->filePath(QLatin1String(name));
    }
    [[nodiscard]] static SavedConnection server(const QString &name, const QString &url)
    {
        return {name, net::Endpoint::fromUrl(url).value()};
    }
    [[nodiscard]] static QByteArray contentsOf(const QString &file)
    {
        QFile opened(file);
        return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
    }
    void write(const QString &file, const QByteArray &contents) const
    {
        QFile opened(file);
        QVERIFY(opened.open(QIODevice::WriteOnly));
        QCOMPARE(opened.write(contents), contents.size());
    }

private Q_SLOTS:
    void init() { folder = std::make_unique<QTemporaryDir>(); }

    void savedConnection_isReadByAnotherInstance()
    {
        SavedConnections saved(path());
        QVERIFY(saved.servers().empty() && saved.problems().empty());
        const QSignalSpy changes(&saved, &SavedConnections::changed);
        SavedConnection live =
            server(QString::fromUtf8("Täglich 100 %, live"), QStringLiteral("rediss://ann@db:6380/2?sni=x"));
        live.environment = Environment::Production;
        live.group = QStringLiteral("Shop");
        live.mark = ColourMark::Red;
        QVERIFY(saved.put(live));
        QVERIFY(saved.put(server(QStringLiteral("General"), QStringLiteral("unix:///tmp/a%20b.sock?db=3"))));
        QVERIFY(changes.count() >= 2);
        const SavedConnections other(path());
        QCOMPARE(other.servers().size(), std::size_t(2));
        QCOMPARE(other.servers()[0].name, QStringLiteral("General")); // Without a group.
        QVERIFY(other.servers()[1] == live);
        QVERIFY(other.find(QString::fromUtf8("täglich 100 %, LIVE")) == &other.servers()[1]);
        QVERIFY(other.find(QStringLiteral("Täglich")) == nullptr);
    }

    /// A password is never written to a file, and one in a file is never used.
    void passwords_areNotKept()
    {
        SavedConnections saved(path());
        QVERIFY(saved.put(server(QStringLiteral("a"), QStringLiteral("redis://ann:s3cret@db"))));
        QVERIFY(!contentsOf(path()).contains("s3cret"));
        QVERIFY(saved.find(QStringLiteral("a"))->endpoint.password.isEmpty());
        QVERIFY(saved.findEndpoint(net::Endpoint::fromUrl(QStringLiteral("redis://ann:other@db")).value()) != nullptr);
        QVERIFY(saved.findEndpoint(net::Endpoint::fromUrl(QStringLiteral("redis://eve:other@db")).value()) == nullptr);
        QVERIFY(saved.exportTo(path("out.ini")));
        QVERIFY(!contentsOf(path("out.ini")).contains("s3cret"));
        write(path(), "[b]\nurl=redis://:s3cret@db\n");
        saved.reload();
        QVERIFY(saved.find(QStringLiteral("b"))->endpoint.password.isEmpty());
        QCOMPARE(saved.problems().size(), std::size_t(1));
        QCOMPARE(saved.problems().front().message(),
                 QStringLiteral("the server \"b\" has a password in %1, which is not used: take it out of the file")
                     .arg(path()));
    }

    void fullDisk_leavesTheOldList()
    {
        SavedConnections saved(path());
        QVERIFY(saved.put(server(QStringLiteral("a"), QStringLiteral("redis://one"))));
        const QByteArray before = contentsOf(path());
        const auto written = [&] {
            const test::FileSizeLimit full(8);
            return saved.put(server(QStringLiteral("b"), QStringLiteral("redis://two")));
        }();
        QVERIFY(!written);
        QCOMPARE(written.error().message(), QStringLiteral("cannot write %1: File too large").arg(path()));
        QCOMPARE(contentsOf(path()), before);
        QCOMPARE(saved.servers().size(), std::size_t(1));
        const auto exported = [&] {
            const test::FileSizeLimit full(8);
            return saved.exportTo(path());
        }();
        QVERIFY(!exported);
        QCOMPARE(contentsOf(path()), before);
    }

    /// QUrl makes it an empty URL, and the address would be lost.
    void addressThatNoUrlHolds_isRefused()
    {
        SavedConnections saved(path());
        SavedConnection relative = server(QStringLiteral("a"), QStringLiteral("unix:///run/redis.sock"));
        relative.endpoint.path = QStringLiteral("relative.sock");
        SavedConnection dots = server(QStringLiteral("b"), QStringLiteral("redis://db"));
        dots.endpoint.host = QStringLiteral("a..b");
        for (const SavedConnection &wrong : {relative, dots}) {
            const auto written = saved.put(wrong);
            QVERIFY(!written);
            QCOMPARE(written.error().message(),
                     QStringLiteral("the server \"%1\" has an address that no URL can hold").arg(wrong.name));
        }
        QVERIFY(saved.servers().empty());
    }

    void renamedOne_keepsItsPlace()
    {
        SavedConnections saved(path());
        QVERIFY(saved.put(server(QStringLiteral("a"), QStringLiteral("redis://one"))));
        QVERIFY(saved.put(server(QStringLiteral("b"), QStringLiteral("redis://two"))));
        QVERIFY(saved.put(server(QStringLiteral("A2"), QStringLiteral("redis://one:1")), QStringLiteral("a")));
        QCOMPARE(saved.servers().size(), std::size_t(2));
        QVERIFY(saved.find(QStringLiteral("a")) == nullptr);
        QCOMPARE(saved.find(QStringLiteral("a2"))->endpoint.port, 1);
        const auto taken = saved.put(server(QStringLiteral("B"), QStringLiteral("redis://x")), QStringLiteral("A2"));
        QVERIFY(!taken);
        QCOMPARE(taken.error().message(), QStringLiteral("another server is called \"b\" already"));
        QVERIFY(saved.remove(QStringLiteral("B")));
        QVERIFY(saved.remove(QStringLiteral("never there")));
        QCOMPARE(saved.servers().size(), std::size_t(1));
    }

    void names_haveOneLine_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addRow("empty") << QString();
        QTest::addRow("slash") << QStringLiteral("a/b");
        QTest::addRow("two lines") << QStringLiteral("a\nb");
        QTest::addRow("blank") << QStringLiteral(" a");
    }
    void names_haveOneLine()
    {
        QFETCH(QString, name);
        SavedConnections saved(path());
        const auto refused = saved.put(server(name, QStringLiteral("redis://one")));
        QVERIFY(!refused && refused.error().kind == ErrorKind::Usage);
        QVERIFY(!QFile::exists(path()));
    }

    /// Unreadable entries are reported, and writing other entries does not remove them.
    void brokenEntries_areReportedAndStay()
    {
        SavedConnections saved(path());
        QVERIFY(saved.put(server(QStringLiteral("good"), QStringLiteral("redis://one"))));
        write(path(), contentsOf(path()) + "\n[bad]\nurl=http://x\n[odd]\nurl=redis://odd\nenvironment=moon\n");
        saved.reload();
        QCOMPARE(saved.servers().size(), std::size_t(2));
        QVERIFY(saved.find(QStringLiteral("odd"))->environment == Environment::Unspecified);
        QCOMPARE(saved.problems().size(), std::size_t(1));
        QVERIFY(saved.problems().front().message().startsWith(QStringLiteral("the server \"bad\": ")));
        QVERIFY(saved.put(server(QStringLiteral("more"), QStringLiteral("redis://two"))));
        QVERIFY(contentsOf(path()).contains("http://x"));
        QVERIFY(contentsOf(path()).contains("moon"));
    }

    /// A list that was damaged by hand still contains servers.
    void fileThatIsNotInIniFormat_isNotReplaced()
    {
        QVERIFY(QDir().mkpath(QFileInfo(path()).path()));
        const QByteArray broken = "[live]\nurl=redis://db\n[lab\n";
        write(path(), broken);
        SavedConnections saved(path());
        QVERIFY(!saved.problems().empty());
        for (int attempt = 0; attempt < 2; ++attempt) {
            QVERIFY(!saved.put(server(QStringLiteral("new"), QStringLiteral("redis://new"))));
            QCOMPARE(contentsOf(path()), broken);
            QVERIFY(!saved.problems().empty());
        }
    }

    /// Two windows, each with its own book.
    void changesOfAnotherWindow_areKept()
    {
        SavedConnections one(path());
        SavedConnections two(path());
        QVERIFY(one.put(server(QStringLiteral("a"), QStringLiteral("redis://one"))));
        QVERIFY(two.put(server(QStringLiteral("b"), QStringLiteral("redis://two"))));
        one.reload();
        QCOMPARE(one.servers().size(), std::size_t(2));
    }

    void import_addsAndReplacesNothingElse()
    {
        SavedConnections theirs(path("theirs.ini"));
        QVERIFY(theirs.put(server(QStringLiteral("same"), QStringLiteral("redis://same"))));
        QVERIFY(theirs.put(server(QStringLiteral("other"), QStringLiteral("redis://theirs"))));
        QVERIFY(theirs.put(server(QStringLiteral("new"), QStringLiteral("redis://new"))));
        QVERIFY(theirs.exportTo(path("out.ini")));
        SavedConnections ours(path());
        QVERIFY(ours.put(server(QStringLiteral("same"), QStringLiteral("redis://same"))));
        QVERIFY(ours.put(server(QStringLiteral("other"), QStringLiteral("redis://ours"))));
        const auto taken = ours.importFrom(path("out.ini"));
        QVERIFY(taken && *taken == 3);
        QCOMPARE(ours.servers().size(), std::size_t(4));
        QCOMPARE(ours.find(QStringLiteral("other"))->endpoint.host, QStringLiteral("ours"));
        QCOMPARE(ours.find(QStringLiteral("other 2"))->endpoint.host, QStringLiteral("theirs"));
        write(path("empty.ini"), "\n");
        QCOMPARE(ours.importFrom(path("empty.ini")).error().message(),
                 path("empty.ini") + QStringLiteral(" holds no server"));
        QVERIFY(!ours.importFrom(path("absent.ini")));
        QCOMPARE(ours.servers().size(), std::size_t(4));
    }

    void fileThatCannotBeWritten_isReported()
    {
        write(path("plain"), "x");
        SavedConnections saved(path("plain/servers.ini"));
        const auto refused = saved.put(server(QStringLiteral("a"), QStringLiteral("redis://one")));
        QVERIFY(!refused);
        QCOMPARE(refused.error().message(),
                 QStringLiteral("cannot make the folder %1: Not a directory").arg(path("plain")));
    }
};

LATCHKEY_TEST(TestSavedConnections)

} // namespace tst_savedconnections

#include "tst_savedconnections.moc"

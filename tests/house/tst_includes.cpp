#include "tests/support/sources.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

namespace tst_includes {

using latchkey::test::Source;
using latchkey::test::sources;

namespace {

/// Returns the path of a folder in the map.
QString folderNamed(const QString &name)
{
    return name.startsWith(QStringLiteral("ui/")) || name == u"app" ? name : QStringLiteral("core/") + name;
}

/// Returns the arrows of the map in core/README.md, with lines such as `base ← resp ← exchange` and `locks, server ←
/// playground`: the folders that a folder may use, including indirect ones.
QHash<QString, QStringList> readArrows()
{
    QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/core/README.md"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("there is no core/README.md");
    QHash<QString, QStringList> arrows;
    for (const QString &line : QString::fromUtf8(file.readAll()).split(u'\n')) {
        if (!line.startsWith(QStringLiteral("    ")) || !line.contains(QChar(0x2190)))
            continue;
        QStringList used;
        for (const QString &place : line.split(QChar(0x2190))) {
            QStringList folders;
            for (const QString &name : place.split(u','))
                folders += folderNamed(name.trimmed());
            for (const QString &folder : folders)
                arrows[folder] += used;
            used = folders;
        }
    }
    return arrows;
}

const QHash<QString, QStringList> &arrows()
{
    static const QHash<QString, QStringList> map = readArrows();
    return map;
}

QSet<QString> reachable(const QString &folder)
{
    QSet<QString> all {folder};
    for (const QString &next : arrows().value(folder))
        all.unite(reachable(next));
    return all;
}

/// Returns `core/redis/resp`, `ui/kit/theme`, or `app` for all of its files.
QString folderOf(const QString &path)
{
    return path.startsWith(QStringLiteral("app/")) ? QStringLiteral("app") : path.section(u'/', 0, 1);
}

QStringList includesOf(const QString &text, const QString &pattern)
{
    const QRegularExpression include(QStringLiteral("^\\s*#\\s*include\\s+") + pattern,
                                     QRegularExpression::MultilineOption);
    QStringList found;
    for (auto match = include.globalMatch(text); match.hasNext();)
        found += match.next().captured(1);
    return found;
}

/// Returns the includes of a file that violate the arrows, as sentences.
QStringList violations(const Source &source)
{
    QStringList found;
    const QString own = folderOf(source.path);
    if (!arrows().contains(own))
        return {QStringLiteral("%1: the folder %2 is not on the map").arg(source.path, own)};
    const QSet<QString> allowed = reachable(own);
    for (const QString &included : includesOf(source.text, QStringLiteral("\"([^\"]+)\""))) {
        if (included.endsWith(QStringLiteral(".moc")))
            continue;
        const QString target = folderOf(included);
        if (!allowed.contains(target))
            found +=
                QStringLiteral("%1 includes %2: no arrow leads from %3 to %4").arg(source.path, included, own, target);
    }
    return found;
}

const QStringList everything {QStringLiteral("core"), QStringLiteral("ui"), QStringLiteral("app")};
const QStringList cppFiles {QStringLiteral("*.cpp"), QStringLiteral("*.h")};

} // namespace

class TestIncludes final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyInclude_runsAlongTheArrows()
    {
        const QList<Source> all = sources(everything, cppFiles);
        QVERIFY(all.size() > 100);
        QStringList found;
        for (const Source &source : all)
            found += violations(source);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    void includesAgainstTheArrows_areFound_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("include");
        QTest::addRow("upward") << QStringLiteral("core/redis/resp/x.cpp")
                                << QStringLiteral("core/redis/exchange/exchange.h");
        QTest::addRow("sideways") << QStringLiteral("core/keyspace/keys/x.h")
                                  << QStringLiteral("core/redis/resp/reply.h");
        QTest::addRow("core to ui") << QStringLiteral("core/playground/playground/x.cpp")
                                    << QStringLiteral("ui/kit/theme/theme.h");
        QTest::addRow("upward in ui") << QStringLiteral("ui/kit/widgets/x.h")
                                      << QStringLiteral("ui/shell/shell/mainwindow.h");
        QTest::addRow("page to page") << QStringLiteral("ui/pages/playground/x.h")
                                      << QStringLiteral("ui/pages/inspector/rediscli.h");
        QTest::addRow("ui to app") << QStringLiteral("ui/shell/shell/x.cpp") << QStringLiteral("app/cli/command.h");
        QTest::addRow("tests in the program")
            << QStringLiteral("ui/shell/shell/x.cpp") << QStringLiteral("tests/support/await.h");
        QTest::addRow("a folder nobody knows")
            << QStringLiteral("core/misc/x.cpp") << QStringLiteral("core/foundation/base/bytes.h");
    }
    void includesAgainstTheArrows_areFound()
    {
        QFETCH(QString, path);
        QFETCH(QString, include);
        QCOMPARE(violations({path, QStringLiteral("#include \"%1\"\n").arg(include)}).size(), 1);
    }

    void hiredis_isKnownToOneFile()
    {
        QStringList users;
        for (const Source &source : sources(everything, cppFiles)) {
            if (!includesOf(source.text, QStringLiteral("[<\"](hiredis[^>\"]*)")).isEmpty())
                users += source.path;
        }
        QCOMPARE(users, QStringList {QStringLiteral("core/redis/resp/codec.cpp")});
    }

    void core_knowsNoGui()
    {
        static const QRegularExpression gui(QStringLiteral(
            "^Q(Application|GuiApplication|Widget|Painter|Color|Font|Icon|Image|Pixmap|Palette|Window|Clipboard|Svg)"));
        for (const Source &source : sources({QStringLiteral("core")}, cppFiles)) {
            for (const QString &included : includesOf(source.text, QStringLiteral("<([^>]+)>")))
                QVERIFY2(!gui.match(included).hasMatch(), qPrintable(source.path + u' ' + included));
        }
        for (const Source &source : sources({QStringLiteral("core")}, {QStringLiteral("CMakeLists.txt")}))
            QVERIFY2(!source.text.contains(QStringLiteral("Qt6::Gui"))
                         && !source.text.contains(QStringLiteral("Qt6::Widgets")),
                     qPrintable(source.path));
    }
};

LATCHKEY_TEST(TestIncludes)

} // namespace tst_includes

#include "tst_includes.moc"

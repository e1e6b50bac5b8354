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

/// The arrows of core/README.md, by name: the wings, or the folders of a wing, that another one may use directly.
using Arrows = QHash<QString, QStringList>;

/// The map in core/README.md.
struct Map
{
    Arrows wings;                  ///< From lines such as `foundation ← redis ← recipes`.
    QHash<QString, Arrows> inside; ///< From lines such as `redis: ssh ← resp ← exchange, connections`, by wing.
};

/// Adds the arrows of a line such as `ssh ← resp ← exchange, connections`.
void addArrows(Arrows &arrows, const QString &line)
{
    QStringList used;
    for (const QString &place : line.split(QChar(0x2190))) {
        QStringList names;
        for (const QString &name : place.split(u','))
            names += name.trimmed();
        for (const QString &name : names)
            arrows[name] += used;
        used = names;
    }
}

Map readMap()
{
    QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/core/README.md"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("there is no core/README.md");
    Map map;
    for (const QString &line : QString::fromUtf8(file.readAll()).split(u'\n')) {
        if (!line.startsWith(QStringLiteral("    ")) || !line.contains(QChar(0x2190)))
            continue;
        if (line.contains(u':'))
            addArrows(map.inside[line.section(u':', 0, 0).trimmed()], line.section(u':', 1));
        else
            addArrows(map.wings, line);
    }
    return map;
}

const Map &theMap()
{
    static const Map map = readMap();
    return map;
}

/// Returns everything to which the arrows lead, directly or not, and the start.
QSet<QString> reachable(const Arrows &arrows, const QString &start)
{
    QSet<QString> all {start};
    QStringList ahead {start};
    while (!ahead.isEmpty()) {
        for (const QString &next : arrows.value(ahead.takeLast())) {
            if (!all.contains(next)) {
                all.insert(next);
                ahead += next;
            }
        }
    }
    return all;
}

/// Returns `redis`, `ui/kit`, or `app`.
QString wingOf(const QString &path)
{
    const QString top = path.section(u'/', 0, 0);
    return top == u"core" ? path.section(u'/', 1, 1) : top == u"ui" ? path.section(u'/', 0, 1) : top;
}

/// Returns `core/redis/resp`, `ui/kit/theme`, or `app` for all of its files.
QString folderOf(const QString &path)
{
    return path.startsWith(QStringLiteral("app/")) ? QStringLiteral("app") : path.section(u'/', 0, 2);
}

/// Returns the name of the folder of a file: `resp`.
QString nameOf(const QString &folder)
{
    return folder.section(u'/', -1);
}

/// Returns the folders that a folder links, from the CMakeLists.txt of all of them.
Arrows readLinks()
{
    static const QRegularExpression target(
        QStringLiteral("(?:latchkey_(ui_)?library\\(\\s*|\\blatchkey::(ui::)?)(\\w+)"));
    QHash<QString, QString> folders; // By target.
    QHash<QString, QStringList> targets;
    for (const Source &list : sources({QStringLiteral("core"), QStringLiteral("ui"), QStringLiteral("app")},
                                      {QStringLiteral("CMakeLists.txt")})) {
        const QString folder = folderOf(list.path);
        if (folder == list.path)
            continue; // That of a wing.
        for (auto match = target.globalMatch(list.text); match.hasNext();) {
            const auto found = match.next();
            const bool isUi = !found.captured(1).isEmpty() || !found.captured(2).isEmpty();
            const QString name = (isUi ? QStringLiteral("ui::") : QString()) + found.captured(3);
            if (found.captured().startsWith(QStringLiteral("latchkey::")))
                targets[folder] += name;
            else
                folders[name] = folder;
        }
    }
    Arrows links;
    for (auto each = targets.cbegin(); each != targets.cend(); ++each) {
        for (const QString &name : each.value())
            links[each.key()] += folders.value(name, name);
    }
    for (const QString &folder : folders)
        links[folder] += QStringList(); // What links nothing of ours is known as well.
    return links;
}

const Arrows &theLinks()
{
    static const Arrows links = readLinks();
    return links;
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

/// Returns why a folder must not use another one, by the arrows of the map; empty: it may.
QString whyNotOnTheMap(const QString &own, const QString &target)
{
    const QString wing = wingOf(own);
    const QString other = wingOf(target);
    if (own == target)
        return {};
    if (wing != other) {
        return reachable(theMap().wings, wing).contains(other)
                 ? QString()
                 : QStringLiteral("no arrow leads from the wing %1 to %2").arg(wing, other);
    }
    return reachable(theMap().inside.value(wing), nameOf(own)).contains(nameOf(target))
             ? QString()
             : QStringLiteral("within %1 no arrow leads from %2 to %3").arg(wing, nameOf(own), nameOf(target));
}

/// Returns the includes of a file that violate the arrows between wings, those within its wing, or the links of its
/// folder, as sentences: one for each include.
QStringList violations(const Source &source)
{
    QStringList found;
    const QString own = folderOf(source.path);
    if (!theMap().wings.contains(wingOf(own)))
        return {QStringLiteral("%1: the wing %2 is not on the map").arg(source.path, wingOf(own))};
    const QSet<QString> linked = reachable(theLinks(), own);
    for (const QString &included : includesOf(source.text, QStringLiteral("\"([^\"]+)\""))) {
        if (included.endsWith(QStringLiteral(".moc")))
            continue;
        const QString target = folderOf(included);
        QString why = whyNotOnTheMap(own, target);
        if (why.isEmpty() && !linked.contains(target))
            why = QStringLiteral("the LINKS of %1 do not lead to %2").arg(own, target);
        if (!why.isEmpty())
            found += QStringLiteral("%1 includes %2: %3").arg(source.path, included, why);
    }
    return found;
}

/// The arrows along which an include or a link leads.
struct UsedArrows
{
    QSet<QString> wings;  ///< As `explore ← playground`.
    QSet<QString> inside; ///< With the wing, as `explore: races ← programs`.
};

QString arrow(const QString &used, const QString &user)
{
    return used + QStringLiteral(" ← ") + user;
}

void addUse(UsedArrows &used, const QString &user, const QString &target)
{
    const QString wing = wingOf(user);
    if (wing == wingOf(target))
        used.inside += wing + QStringLiteral(": ") + arrow(nameOf(target), nameOf(user));
    else
        used.wings += arrow(wingOf(target), wing);
}

UsedArrows usedArrows(const QList<Source> &all)
{
    UsedArrows used;
    for (const Source &source : all) {
        for (const QString &included : includesOf(source.text, QStringLiteral("\"([^\"]+)\"")))
            addUse(used, folderOf(source.path), folderOf(included));
    }
    for (auto each = theLinks().cbegin(); each != theLinks().cend(); ++each) {
        for (const QString &linked : each.value())
            addUse(used, each.key(), linked);
    }
    return used;
}

QStringList unused(const Arrows &arrows, const QString &wing, const QSet<QString> &used)
{
    QStringList found;
    for (auto each = arrows.cbegin(); each != arrows.cend(); ++each) {
        for (const QString &other : each.value()) {
            const QString name = wing + arrow(other, each.key());
            if (!used.contains(name))
                found += name;
        }
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

    void everyLink_runsAlongTheArrows()
    {
        QVERIFY(theLinks().size() > 40);
        QStringList found;
        for (auto each = theLinks().cbegin(); each != theLinks().cend(); ++each) {
            for (const QString &linked : each.value()) {
                if (const QString why = whyNotOnTheMap(each.key(), linked); !why.isEmpty())
                    found += QStringLiteral("%1 links %2: %3").arg(each.key(), linked, why);
            }
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    void everyArrow_isUsed()
    {
        const UsedArrows used = usedArrows(sources(everything, cppFiles));
        QStringList found = unused(theMap().wings, {}, used.wings);
        for (auto each = theMap().inside.cbegin(); each != theMap().inside.cend(); ++each)
            found += unused(each.value(), each.key() + QStringLiteral(": "), used.inside);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    void arrows_leadOneWay()
    {
        QList<Arrows> all = theMap().inside.values();
        all += theMap().wings;
        for (const Arrows &arrows : all) {
            for (auto each = arrows.cbegin(); each != arrows.cend(); ++each) {
                for (const QString &used : each.value())
                    QVERIFY2(!reachable(arrows, used).contains(each.key()), qPrintable(each.key()));
            }
        }
    }

    void inspectAndPlayground_doNotKnowEachOther()
    {
        const QString inspect = QStringLiteral("inspect");
        const QString playground = QStringLiteral("playground");
        QVERIFY(theMap().wings.contains(inspect) && theMap().wings.contains(playground));
        QVERIFY(!reachable(theMap().wings, inspect).contains(playground));
        QVERIFY(!reachable(theMap().wings, playground).contains(inspect));
    }

    void includesAgainstTheArrows_areFound_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("include");
        QTest::addRow("upward in a wing")
            << QStringLiteral("core/redis/resp/x.cpp") << QStringLiteral("core/redis/exchange/exchange.h");
        QTest::addRow("from wing to wing, upward")
            << QStringLiteral("core/redis/resp/x.cpp") << QStringLiteral("core/recipes/locks/lock.h");
        QTest::addRow("sideways in a wing")
            << QStringLiteral("core/keyspace/rows/x.h") << QStringLiteral("core/keyspace/watching/watcher.h");
        QTest::addRow("not linked") << QStringLiteral("core/keyspace/keys/x.h")
                                    << QStringLiteral("core/redis/resp/reply.h");
        QTest::addRow("inspect to playground")
            << QStringLiteral("core/inspect/inspection/x.h") << QStringLiteral("core/playground/sequence/sequence.h");
        QTest::addRow("inspect to recipes")
            << QStringLiteral("core/inspect/inspection/x.h") << QStringLiteral("core/recipes/locks/lock.h");
        QTest::addRow("playground to inspect")
            << QStringLiteral("core/playground/playground/x.h") << QStringLiteral("core/inspect/history/history.h");
        QTest::addRow("explore to keyspace")
            << QStringLiteral("core/explore/programs/x.cpp") << QStringLiteral("core/keyspace/keys/key.h");
        QTest::addRow("core to ui") << QStringLiteral("core/playground/playground/x.cpp")
                                    << QStringLiteral("ui/kit/theme/theme.h");
        QTest::addRow("upward in ui") << QStringLiteral("ui/kit/widgets/x.h")
                                      << QStringLiteral("ui/shell/shell/mainwindow.h");
        QTest::addRow("view to page") << QStringLiteral("ui/views/keytable/x.h")
                                      << QStringLiteral("ui/pages/inspector/inspectorpage.h");
        QTest::addRow("view to view") << QStringLiteral("ui/views/keytable/x.h")
                                      << QStringLiteral("ui/views/timeline/timelineview.h");
        QTest::addRow("page to page") << QStringLiteral("ui/pages/playground/x.h")
                                      << QStringLiteral("ui/pages/inspector/rediscli.h");
        QTest::addRow("page to a view that it does not link")
            << QStringLiteral("ui/pages/lab/x.h") << QStringLiteral("ui/views/diagram/diagramview.h");
        QTest::addRow("ui to app") << QStringLiteral("ui/shell/shell/x.cpp") << QStringLiteral("app/cli/command.h");
        QTest::addRow("tests in the program")
            << QStringLiteral("ui/shell/shell/x.cpp") << QStringLiteral("tests/support/await.h");
        QTest::addRow("an unknown wing") << QStringLiteral("core/misc/x.cpp")
                                         << QStringLiteral("core/foundation/base/bytes.h");
        QTest::addRow("an unknown folder")
            << QStringLiteral("core/redis/misc/x.cpp") << QStringLiteral("core/foundation/base/bytes.h");
        QTest::addRow("without a wing") << QStringLiteral("core/redis/resp/x.cpp")
                                        << QStringLiteral("core/base/bytes.h");
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

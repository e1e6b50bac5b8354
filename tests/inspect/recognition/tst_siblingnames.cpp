#include "core/inspect/recognition/lockpattern.h"
#include "core/inspect/recognition/siblingnames.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_siblingnames {

using namespace latchkey;
using recognition::namesLike;
using recognition::SiblingNames;
using recognition::wholeKey;

/// Tests of the pattern that a key and its siblings give.
class TestSiblingNames final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pattern_hasTheConstantPartsOfTheSiblings_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArrayList>("others");
        QTest::addColumn<QByteArray>("pattern");
        const auto row = [](const char *name, const QByteArray &key, const QByteArrayList &others,
                            const QByteArray &pattern) { QTest::addRow("%s", name) << key << others << pattern; };
        row("a part in the middle", "job:import-1:lock", {"job:import-2:lock", "job:mail:lock"}, "job:*:lock");
        row("the last part", "lock:order:17", {"lock:order:18", "lock:user:1"}, "lock:order:*");
        row("the first part", "17:lock", {"18:lock"}, "*:lock");
        row("more siblings decide", "job:import-1:lock",
            {"job:import-1:data", "job:import-2:lock", "job:import-2:data", "job:import-3:lock"}, "job:*:lock");
        row("as many siblings: the last part", "job:a:lock", {"job:a:data", "job:b:lock"}, "job:a:*");
        row("a second identifier", "lock:tenant1:order:17", {"lock:tenant1:order:18", "lock:tenant2:order:5"},
            "lock:*:order:*");
        row("a second word", "lock:eu:order:17", {"lock:eu:order:18", "lock:us:order:5"}, "lock:eu:order:*");
        row("two identifiers at once", "lock:t1:order:17", {"lock:t2:order:5"}, "lock:*:order:*");
        row("another number of parts", "job:a:lock", {"job:b:c:lock", "job:lock"}, "job:a:*");
        row("identifiers, and nothing in common", "order1:item1", {"cart2:page2"}, "order1:*");
        row("nothing in common", "job:a:lock", {"x:y:z"}, "job:a:*");
        row("no sibling", "job:import-1:lock", {}, "job:import-1:*");
        row("other separators", "job-1-lock", {"job-2-lock"}, "job-*-lock");
        row("no parts", "mutex", {"mutex2"}, "mutex");
        row("too short a constant part", "a:17", {"a:18"}, "a:17");
        row("what means something in a pattern", "a*[b?]:7:lock", {"a*[b?]:8:lock"}, "a[*][[]b[?]]:*:lock");
        row("bytes", QByteArray("a\xff\x01:7:lock"), {QByteArray("a\xff\x01:8:lock")}, QByteArray("a\xff\x01:*:lock"));
        row("itself", "job:a:lock", {"job:a:lock", "job:b:lock"}, "job:*:lock");
        row("an empty part", "job::lock", {"job:a:lock"}, "job:*:lock");
        row("more parts than bits", QByteArray("a:").repeated(70) + 'b', {QByteArray("a:").repeated(70) + 'c'},
            namesLike(QByteArray("a:").repeated(70) + 'b'));
    }
    void pattern_hasTheConstantPartsOfTheSiblings()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArrayList, others);
        SiblingNames siblings(key);
        for (const QByteArray &other : others)
            siblings.add(other);
        QTEST(siblings.pattern(), "pattern");
        QVERIFY(wholeKey(siblings.pattern()).matches(key));
    }
};

LATCHKEY_TEST(TestSiblingNames)

} // namespace tst_siblingnames

#include "tst_siblingnames.moc"

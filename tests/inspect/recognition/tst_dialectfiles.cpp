#include "core/inspect/recognition/dialectfile.h"
#include "core/inspect/recognition/recogniser.h"
#include "core/redis/exchange/script.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryFile>
#include <QTest>

#include <algorithm>

namespace tst_dialectfiles {

using namespace latchkey;
using namespace latchkey::recognition;
using keys::KeyType;

namespace {

KeySample stringAt(const QByteArray &key, const QByteArray &value)
{
    KeySample sample;
    sample.key = key;
    sample.type = KeyType::String;
    sample.value = keys::RawValue {KeyType::String, value.size(), {value}};
    sample.isExpiryKnown = true;
    sample.left = std::chrono::seconds(30);
    sample.now = base::WallTime(std::chrono::milliseconds(1'795'320'000'000));
    return sample;
}

/// Returns a file with one dialect. `form` has the members of its form other than the type.
QByteArray fileWith(const QByteArray &form, const QByteArray &dialect = {})
{
    return "{\"format\": \"latchkey-dialects\", \"version\": 1,\n"
           " \"dialects\": [\n"
           "  {\"id\": \"mine\", \"title\": \"Ours\", \"family\": \"lock\""
         + dialect
         + ",\n"
           "   \"forms\": [\n"
           "    {\"type\": \"string\",\n"
           "     "
         + form + "}]}]}\n";
}

} // namespace

class TestDialectFiles final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFile_isReadAndHasTheFormat()
    {
        const QDir folder(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/dialects"));
        const QStringList names = folder.entryList({QStringLiteral("*.json")});
        QVERIFY(names.size() >= 10);
        std::size_t dialects = 0;
        std::size_t notLocks = 0;
        for (const QString &name : names) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QByteArrayList hints;
            try {
                if (name == u"names.json") {
                    QVERIFY(readNameWords(name, file.readAll()).lockWords.contains("mutex"));
                    continue;
                }
                const DialectFile read = readDialects(name, file.readAll(), hints);
                dialects += read.dialects.size();
                notLocks += read.notLocks.size();
            } catch (const base::Failure &failed) {
                QFAIL(qPrintable(failed.error().message()));
            }
        }
        // The program has all dialects of the files, each with its own id.
        QCOMPARE(Dialects::builtIn().all().size(), dialects);
        QCOMPARE(Dialects::builtIn().notLocks().size(), notLocks);
        QVERIFY(dialects >= 70);
        QSet<QString> ids;
        for (const Dialect &dialect : Dialects::builtIn().all())
            ids += dialect.id;
        QCOMPARE(static_cast<std::size_t>(ids.size()), dialects);
    }

    /// The current scripts of our own recipes.
    void ownScripts_areKnownByTheirSha1_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("dialect");
        QTest::addRow("release") << QStringLiteral("compare-and-delete") << QStringLiteral("latchkey.token");
        QTest::addRow("extend") << QStringLiteral("compare-and-extend") << QStringLiteral("latchkey.token");
        QTest::addRow("store") << QStringLiteral("store-and-release") << QStringLiteral("latchkey.token");
        QTest::addRow("fenced") << QStringLiteral("fenced-acquire") << QStringLiteral("latchkey.fenced");
    }
    void ownScripts_areKnownByTheirSha1()
    {
        QFETCH(QString, script);
        QFETCH(QString, dialect);
        QVERIFY(Dialects::builtIn().find(dialect)->scripts.contains(exchange::Script(script).sha1()));
    }

    void aUsersPattern_goesFirstAndDecodes()
    {
        const auto dialects = Dialects::builtIn().with(
            QStringLiteral("mine.json"),
            fileWith(
                R"("name": "^deploy/(?<name>.+)$", "hints": ["deploy/"], "value": "^by (?<host>[^ ]+) (?<pid>\\d+)$", "alone": "certain",
                     "reads": ["deploy-queue/<name>"])"));
        QVERIFY2(dialects, dialects ? "" : qPrintable(dialects.error().message()));
        const Recogniser recogniser(*dialects);
        QCOMPARE(recogniser.lockLikelihood("deploy/web"), LockLikelihood::High);
        const Recognition found = recogniser.recognise(stringAt("deploy/web", "by hostA 4711"));
        QVERIFY(found.isLock());
        QCOMPARE(found.best().dialect, QStringLiteral("mine"));
        QCOMPARE(found.decoded.holders.front().host, QByteArray("hostA"));
        QCOMPARE(found.decoded.holders.front().pid, std::optional<qint64>(4711));
        const std::vector<ReadRequest> requests {{ReadRequest::Kind::Companion, "deploy-queue/web"}};
        QCOMPARE(found.requests, requests);
        QVERIFY(!recogniser.recognise(stringAt("deploy/web", "by nobody")).isLock());
        QVERIFY(recogniser.recognise(stringAt("lock:a", "1")).isLock());
        QVERIFY(!Recogniser().recognise(stringAt("deploy/web", "by hostA 4711")).isLock());
    }

    void aUsersPattern_takesThePlaceOfOneOfTheSameName()
    {
        QByteArray contents = fileWith(R"("value": "constant", "raises": [{"to": "high", "lock_word": true}])");
        contents.replace("\"mine\"", "\"textbook.constant\"");
        const auto dialects = Dialects::builtIn().with(QStringLiteral("mine.json"), contents);
        QVERIFY(dialects);
        QCOMPARE(dialects->all().size(), Dialects::builtIn().all().size());
        QCOMPARE(dialects->find(QStringLiteral("textbook.constant"))->title, QStringLiteral("Ours"));
    }

    void aUsersFile_canSayWhatIsNoLock()
    {
        const auto dialects = Dialects::builtIn().with(QStringLiteral("mine.json"),
                                                       R"({"format": "latchkey-dialects", "version": 1, "dialects": [],
                                             "not_locks": [{"id": "canal", "name": "^canal:lock:.*$"}]})");
        QVERIFY(dialects);
        QVERIFY(!Recogniser(*dialects).recognise(stringAt("canal:lock:7", "1")).isLock());
        QVERIFY(Recogniser().recognise(stringAt("canal:lock:7", "1")).isLock());
    }

    void eachMistake_isOneSentenceWithItsPlace_data()
    {
        QTest::addColumn<QByteArray>("contents");
        QTest::addColumn<QString>("sentence");
        const auto add = [](const char *name, const QByteArray &contents, const char *sentence) {
            QTest::addRow("%s", name) << contents << QString::fromUtf8(sentence);
        };
        add("nothing", "", "mine.json:1: not JSON: illegal value");
        add("cut", "{\"format\": \"latchkey-dialects\",\n\"version\": 1,",
            "mine.json:2: not JSON: unterminated object");
        add("an array", "[]", "mine.json:1: not an object");
        add("another format", "{\"format\": \"story\"}", "mine.json:1: format: not \"latchkey-dialects\"");
        add("a later version", "{\"format\": \"latchkey-dialects\",\n \"version\": 2}",
            "mine.json:2: version: the file is of version 2, this program reads version 1");
        add("no dialects", "{\"format\": \"latchkey-dialects\", \"version\": 1}", "mine.json:1: dialects: missing");
        add("misspelt", fileWith("\"value\": \"uuid4\", \"alon\": \"high\""),
            "mine.json:6: dialects[0].forms[0].alon: there is no such member here, only type, name, hints, value, "
            "needs, alone, "
            "raises, reads, counts, asks, holder_field");
        add("a field of a string", fileWith("\"holder_field\": \"who\", \"alone\": \"high\""),
            "mine.json:6: dialects[0].forms[0].holder_field: only a hash has fields");
        add("no such shape", fileWith("\"value\": \"uuid9\", \"alone\": \"high\""),
            "mine.json:6: dialects[0].forms[0].value: \"uuid9\" is no shape that is known, and no pattern, which "
            "begins with ^");
        add("another type's shape", fileWith("\"value\": \"symfony-members\", \"alone\": \"high\""),
            "mine.json:6: dialects[0].forms[0].value: \"symfony-members\" is a shape of another type: zset");
        add("a wrong pattern", fileWith("\"name\": \"^a(b$\", \"value\": \"uuid4\", \"alone\": \"high\""),
            "mine.json:6: dialects[0].forms[0].name: the pattern is wrong at character 5: missing closing parenthesis");
        add("half a pattern", fileWith("\"name\": \"^ab\", \"value\": \"uuid4\", \"alone\": \"high\""),
            "mine.json:6: dialects[0].forms[0].name: a pattern has to be about the whole: begin it with ^ and end it "
            "with $");
        add("no such confidence", fileWith("\"value\": \"uuid4\",\n     \"alone\": \"sure\""),
            "mine.json:7: dialects[0].forms[0].alone: \"sure\" is none of low, medium, high, certain");
        add("never", fileWith("\"value\": \"uuid4\""),
            "mine.json:5: dialects[0].forms[0]: without \"alone\" and \"raises\" this can never be recognised");
        add("no such variable",
            fileWith("\"value\": \"uuid4\", \"alone\": \"low\", \"reads\": [\"<key>\",\n \"<nam>:q\"]"),
            "mine.json:7: dialects[0].forms[0].reads[1]: <nam> stands for nothing; there are key, tagged, hashtag, "
            "value");
        add("script without scripts",
            fileWith("\"value\": \"uuid4\", \"raises\": [{\"to\": \"low\", \"script\": true}]"),
            "mine.json:6: dialects[0].forms[0].raises[0].script: the dialect has no \"scripts\"");
        add("renewal without renewal",
            fileWith("\"value\": \"uuid4\", \"raises\": [{\"to\": \"low\", \"renewal\": true}]"),
            "mine.json:6: dialects[0].forms[0].raises[0].renewal: the dialect has no \"renewal\"");
        add("not a SHA1", fileWith("\"value\": \"uuid4\", \"alone\": \"low\"", ", \"scripts\": [\"abc\"]"),
            "mine.json:3: dialects[0].scripts[0]: not a SHA1 in 40 lower-case hexadecimal digits");
        add("no such hazard", fileWith("\"value\": \"uuid4\", \"alone\": \"low\"", ", \"family\": \"lok\""),
            "mine.json:3: dialects[0].family: \"lok\" is none of lock, read-write-lock, semaphore, latch, job, leader, "
            "uniqueness, "
            "limiter, presence");
        add("a share of two", fileWith("\"value\": \"uuid4\", \"alone\": \"low\"", ", \"renewal\": {\"share\": 2}"),
            "mine.json:3: dialects[0].renewal.share: not a number between 0 and 1");
        add("a time of nothing",
            fileWith("\"value\": \"uuid4\", \"alone\": \"low\", \"needs\": {\"lease_at_most_ms\": 0}"),
            "mine.json:6: dialects[0].forms[0].needs.lease_at_most_ms: 0 is not from 1 to 31622400000");
        add("a short hint",
            fileWith("\"name\": \"^ab$\", \"hints\": [\"ab\"], \"value\": \"uuid4\", \"alone\": \"low\""),
            "mine.json:6: dialects[0].forms[0].hints[0]: shorter than three characters, which every other name would "
            "have");
        add("a hint of nothing", fileWith("\"hints\": [\"abc\"], \"value\": \"uuid4\", \"alone\": \"low\""),
            "mine.json:6: dialects[0].forms[0].hints: hints are parts of a name, and there is no \"name\"");
        add("truth in words", fileWith("\"value\": \"uuid4\", \"alone\": \"low\", \"asks\": \"no\""),
            "mine.json:6: dialects[0].forms[0].asks: neither true nor false");
        add("a control character",
            fileWith("\"value\": \"uuid4\", \"alone\": \"low\"", ", \"title\": \"a\\u001b[31m\""),
            "mine.json:3: dialects[0].title: holds control characters");
    }
    void eachMistake_isOneSentenceWithItsPlace()
    {
        QFETCH(QByteArray, contents);
        QFETCH(QString, sentence);
        const auto dialects = Dialects::builtIn().with(QStringLiteral("mine.json"), contents);
        QVERIFY(!dialects);
        QCOMPARE(dialects.error().message(), sentence);
        QCOMPARE(dialects.error().kind, base::ErrorKind::Usage);
    }

    void twiceTheSameId_isRefused()
    {
        QByteArray contents = fileWith("\"value\": \"uuid4\", \"alone\": \"low\"");
        const QByteArray dialect =
            contents.mid(contents.indexOf("  {\"id\""), contents.lastIndexOf("]}") - contents.indexOf("  {\"id\""));
        contents.replace(dialect, dialect + ",\n" + dialect);
        const auto dialects = Dialects::builtIn().with(QStringLiteral("mine.json"), contents);
        QVERIFY(!dialects);
        QCOMPARE(dialects.error().message(), QStringLiteral("mine.json:7: dialects[1].id: \"mine\" is there twice"));
    }

    void aFileThatIsNotThere_isReported()
    {
        const auto dialects = Dialects::builtIn().withFile(QStringLiteral("/nonexistent/mine.json"));
        QVERIFY(!dialects);
        QCOMPARE(dialects.error().kind, base::ErrorKind::Local);
        QVERIFY(dialects.error().message().startsWith(QStringLiteral("/nonexistent/mine.json: ")));
    }

    void aFile_isReadFromWhereItIs()
    {
        QTemporaryFile file;
        QVERIFY(file.open());
        file.write(fileWith("\"value\": \"uuid4\", \"alone\": \"low\""));
        file.close();
        const auto dialects = Dialects::builtIn().withFile(file.fileName());
        QVERIFY(dialects);
        QCOMPARE(dialects->all().front().id, QStringLiteral("mine"));
    }

    /// The page that describes the format lists all shapes.
    void thePageOnTheFormat_isComplete()
    {
        QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/dialects/README.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray page = file.readAll();
        for (const Shape &shape : allShapes())
            QVERIFY2(page.contains('`' + QByteArray(shape.id) + '`'), shape.id);
    }
};

LATCHKEY_TEST(TestDialectFiles)

} // namespace tst_dialectfiles

#include "tst_dialectfiles.moc"

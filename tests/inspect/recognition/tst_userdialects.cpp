#include "core/inspect/recognition/dialectfile.h"
#include "core/inspect/recognition/recogniser.h"
#include "core/inspect/recognition/userdialects.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace tst_userdialects {

using namespace latchkey;
using namespace latchkey::recognition;
using keys::KeyType;
using Where = LockPattern::Where;

namespace {

KeySample seen(const QByteArray &key, const keys::RawValue &value)
{
    KeySample sample;
    sample.key = key;
    sample.type = value.type;
    sample.value = value;
    sample.isExpiryKnown = true;
    sample.left = std::chrono::seconds(30);
    return sample;
}

KeySample seen(const QByteArray &key, const QByteArray &value)
{
    return seen(key, keys::RawValue {KeyType::String, value.size(), {value}});
}

LockPattern patternOf(const QByteArray &keys, Where where = Where::Shape, const QByteArray &detail = "any",
                      KeyType type = KeyType::String)
{
    return {QString(), QStringLiteral("Our lock"), keys, type, where, detail};
}

/// A user's dialect file in its own folder.
struct Fixture
{
    [[nodiscard]] QString path() const { return folder.filePath(QStringLiteral("config/dialects.json")); }
    [[nodiscard]] QByteArray contents() const
    {
        QFile file(path());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void write(const QByteArray &contents) const
    {
        QDir().mkpath(folder.filePath(QStringLiteral("config")));
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(contents) == contents.size());
    }
    [[nodiscard]] static LockPattern named(const UserDialects &own, LockPattern pattern)
    {
        pattern.id = own.newId(pattern.title);
        return pattern;
    }

    QTemporaryDir folder;
};

const QByteArray handWritten =
    "{\"format\": \"latchkey-dialects\",   \"version\": 1,\n"
    "\n"
    " \"not_locks\": [{\"id\": \"canal\", \"name\": \"^canal:lock:.*$\"}],\n"
    " \"dialects\": [\n"
    "\t{\"id\": \"mine\", \"title\": \"Mine, \\u201cby hand\\u201d ]}\", \"family\": \"leader\",\n"
    "\t \"forms\": [{\"type\":\"string\",\"value\":\"^x(?<holder>.*)$\",\"alone\":\"low\"}]}\n"
    " ]}";

} // namespace

/// Tests of a user's own lock patterns, from the fields of a dialog to the file and back.
class TestUserDialects final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keysLikeOne_areNamedByItsParts_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("names");
        QTest::newRow("two parts") << QByteArray("lock:7") << QByteArray("lock:*");
        QTest::newRow("three parts") << QByteArray("lock:order:17") << QByteArray("lock:order:*");
        QTest::newRow("other separators") << QByteArray("deploys/web") << QByteArray("deploys/*");
        QTest::newRow("a colon goes first") << QByteArray("lock:a-b") << QByteArray("lock:*");
        QTest::newRow("no parts") << QByteArray("mutex") << QByteArray("mutex");
        QTest::newRow("nothing behind the colon") << QByteArray("lock:") << QByteArray("lock:");
        QTest::newRow("too short a part") << QByteArray("a:17") << QByteArray("a:17");
        QTest::newRow("what means something in a pattern") << QByteArray("a*[b?]:7") << QByteArray("a[*][[]b[?]]:*");
        QTest::newRow("such a name without parts") << QByteArray("a*[b") << QByteArray("a[*][[]b");
        QTest::newRow("brackets alone") << QByteArray("job[7]") << QByteArray("job[7]");
        QTest::newRow("Chinese") << QByteArray("锁:订单:7") << QByteArray("锁:订单:*");
        QTest::newRow("bytes") << QByteArray("a\xff\x01:b:7") << QByteArray("a\xff\x01:b:*");
    }
    void keysLikeOne_areNamedByItsParts()
    {
        QFETCH(const QByteArray, key);
        QTEST(namesLike(key), "names");
        QVERIFY(wholeKey(namesLike(key)).matches(key));
    }

    /// The dialog counts by the glob and the table uses the file, so both must match the same names.
    void fileAndDialog_matchTheSameNames()
    {
        QRandomGenerator random(20261122);
        const QByteArray letters("ab:*?[]^-\\\xe9\x01{}.$ ");
        const auto text = [&](int longest) {
            QByteArray bytes;
            for (int i = random.bounded(longest); i > 0; --i)
                bytes += letters[random.bounded(letters.size())];
            return bytes;
        };
        int matches = 0;
        for (int i = 0; i < 3000; ++i) {
            LockPattern pattern = patternOf("lck" + text(9));
            pattern.id = QStringLiteral("own.x");
            const auto written = dialectText(pattern);
            LATCHKEY_VERIFY_RESULT(written);
            QByteArrayList hints;
            const DialectFile file =
                readDialects(QStringLiteral("mine.json"),
                             "{\"format\":\"latchkey-dialects\",\"version\":1,\"dialects\":[" + *written + "]}", hints);
            const QRegularExpression &name = *file.dialects.front().forms.front().name;
            const base::Glob glob = wholeKey(pattern.keys);
            const NameClassifier nameClassifier({}, hints);
            for (int j = 0; j < 20; ++j) {
                const QByteArray key = j == 0 ? pattern.keys : "lck" + text(9);
                const bool isMatch = glob.matches(key);
                QVERIFY2(name.match(QString::fromLatin1(key)).hasMatch() == isMatch,
                         (pattern.keys.toPercentEncoding() + ' ' + key.toPercentEncoding()).constData());
                QVERIFY(!isMatch || nameClassifier.classify(key).hints.any());
                matches += isMatch ? 1 : 0;
            }
            // If the pattern can be read back, it equals the written pattern.
            const auto again = lockPatternFrom(QJsonDocument::fromJson(*written).object());
            QVERIFY(!again || wholeKey(again->keys).pattern() == glob.pattern() || dialectText(*again) == written);
        }
        QVERIFY2(matches > 1000, qPrintable(QString::number(matches)));
    }

    void pattern_survivesARoundTrip_data()
    {
        QTest::addColumn<LockPattern>("pattern");
        QTest::newRow("a shape") << patternOf("lock:order:*");
        QTest::newRow("one key") << patternOf("the lock [7]", Where::Shape, "uuid4");
        QTest::newRow("JSON") << patternOf("job:*", Where::JsonField, "worker id");
        QTest::newRow("JSON with signs") << patternOf("job:*", Where::JsonField, "a.*b(\"");
        QTest::newRow("a hash") << patternOf("job:*", Where::HashField, "besitzer-ü", KeyType::Hash);
        QTest::newRow("a list") << patternOf("sem:*", Where::Shape, "elements", KeyType::List);
        QTest::newRow("Chinese") << patternOf("锁:*");
        QTest::newRow("set and any character") << patternOf("lock:[a-c]?:*");
        QTest::newRow("stars that are meant") << patternOf("lock:[*]:[?][[]*");
        QTest::newRow("bytes") << patternOf("lock:\xff\x01*");
    }
    void pattern_survivesARoundTrip()
    {
        QFETCH(LockPattern, pattern);
        const Fixture fixture;
        UserDialects own(fixture.path());
        pattern = Fixture::named(own, pattern);
        LATCHKEY_VERIFY_RESULT(own.put(pattern));
        QVERIFY(fixture.contents().contains("Our lock"));
        const UserDialects read(fixture.path());
        QVERIFY(!read.problem());
        QCOMPARE(read.entries().size(), std::size_t {1});
        QVERIFY(read.entries().front().pattern.has_value());
        QVERIFY(*read.entries().front().pattern == pattern);
    }

    /// A name that the fields of the dialog cannot show.
    void nameOfCharacters_isNoPattern()
    {
        LockPattern pattern = patternOf("lock:a b:*");
        pattern.id = QStringLiteral("own.x");
        const auto written = dialectText(pattern);
        LATCHKEY_VERIFY_RESULT(written);
        QVERIFY2(written->contains("lock:a b:"), written->constData());
        QJsonObject dialect = QJsonDocument::fromJson(*written).object();
        QVERIFY(lockPatternFrom(dialect).has_value());
        QJsonArray forms = dialect[QStringLiteral("forms")].toArray();
        QJsonObject form = forms[0].toObject();
        form[QStringLiteral("name")] =
            form[QStringLiteral("name")].toString().replace(QStringLiteral("a b"), QStringLiteral("a\u00e9b"));
        forms[0] = form;
        dialect[QStringLiteral("forms")] = forms;
        QVERIFY(!lockPatternFrom(dialect).has_value());
    }

    void userDialect_isRecognised_data()
    {
        QTest::addColumn<LockPattern>("pattern");
        QTest::addColumn<KeySample>("sample");
        QTest::addColumn<QByteArray>("holder"); // Null: the key does not match the pattern.
        const keys::RawValue hash {KeyType::Hash, 2, {"at", "7", "who", "worker-7"}};
        QTest::newRow("any value") << patternOf("job:*") << seen("job:7", QByteArray("Ann")) << QByteArray("Ann");
        QTest::newRow("an everyday name")
            << patternOf("session:*") << seen("session:7", QByteArray("Ann")) << QByteArray("Ann");
        QTest::newRow("another name") << patternOf("job:*") << seen("jobs:7", QByteArray("Ann")) << QByteArray();
        QTest::newRow("another value") << patternOf("job:*", Where::Shape, "uuid4") << seen("job:7", QByteArray("Ann"))
                                       << QByteArray();
        QTest::newRow("another type") << patternOf("job:*") << seen("job:7", hash) << QByteArray();
        QTest::newRow("JSON") << patternOf("job:*", Where::JsonField, "who")
                              << seen("job:7", QByteArray(R"({"at":7,"who":"worker 7","x":{"who":"no"}})"))
                              << QByteArray("worker 7");
        QTest::newRow("JSON with a number") << patternOf("job:*", Where::JsonField, "who")
                                            << seen("job:7", QByteArray("{ \"who\" : 4711 }")) << QByteArray("4711");
        QTest::newRow("JSON without the field") << patternOf("job:*", Where::JsonField, "who")
                                                << seen("job:7", QByteArray(R"({"whom":"x"})")) << QByteArray();
        QTest::newRow("a hash") << patternOf("job:*", Where::HashField, "who", KeyType::Hash) << seen("job:7", hash)
                                << QByteArray("worker-7");
        QTest::newRow("a hash without the field")
            << patternOf("job:*", Where::HashField, "whom", KeyType::Hash) << seen("job:7", hash) << QByteArray();
        QTest::newRow("Chinese") << patternOf("锁:*") << seen("锁:7", QByteArray("安")) << QByteArray("安");
    }
    void userDialect_isRecognised()
    {
        QFETCH(LockPattern, pattern);
        QFETCH(const KeySample, sample);
        QFETCH(const QByteArray, holder);
        const Fixture fixture;
        UserDialects own(fixture.path());
        pattern = Fixture::named(own, pattern);
        const auto before = own.with(pattern);
        LATCHKEY_VERIFY_RESULT(before);
        QVERIFY2(!QFile::exists(fixture.path()), "a question must not write");
        LATCHKEY_VERIFY_RESULT(own.put(pattern));
        for (const Dialects &dialects : {*before, own.dialects()}) {
            const Recogniser recogniser(dialects);
            const Recognition found = recogniser.recognise(sample);
            const bool isOurs = found.isLock() && found.best().dialect == pattern.id;
            QCOMPARE(isOurs, !holder.isNull());
            if (!isOurs)
                continue;
            QCOMPARE(recogniser.lockLikelihood(sample.key), LockLikelihood::High);
            QCOMPARE(found.best().confidence, Confidence::Certain);
            QCOMPARE(found.decoded.holders.front().bytes, holder);
        }
    }

    void failedSave_givesASentence_data()
    {
        QTest::addColumn<LockPattern>("pattern");
        QTest::addColumn<QString>("message");
        LockPattern nameless = patternOf("lock:*");
        nameless.title = QStringLiteral("  ");
        const QString keys = QStringLiteral("the keys' names need three characters in a row that are always the same");
        const QString field = QStringLiteral("the field needs a name that is text");
        QTest::newRow("no name") << nameless << QStringLiteral("the locks need a name");
        QTest::newRow("any key") << patternOf("*") << keys;
        QTest::newRow("no key") << patternOf("") << keys;
        QTest::newRow("little that stays") << patternOf("a:*:b*") << keys;
        QTest::newRow("no value known") << patternOf("job:*", Where::Shape, "")
                                        << QStringLiteral("the value of these keys is unknown, or contains no holder");
        QTest::newRow("no field") << patternOf("job:*", Where::JsonField, "") << field;
        QTest::newRow("a field of bytes") << patternOf("job:*", Where::HashField, "\xff", KeyType::Hash) << field;
    }
    void failedSave_givesASentence()
    {
        QFETCH(LockPattern, pattern);
        const Fixture fixture;
        UserDialects own(fixture.path());
        pattern.id = QStringLiteral("own.x");
        const auto outcome = own.put(pattern);
        QVERIFY(!outcome);
        QTEST(outcome.error().message(), "message");
        QVERIFY(!QFile::exists(fixture.path()));
    }

    void everythingElseInTheFile_staysAsItWasWritten()
    {
        const Fixture fixture;
        fixture.write(handWritten);
        UserDialects own(fixture.path());
        QSignalSpy changes(&own, &UserDialects::changed);
        const LockPattern first = Fixture::named(own, patternOf("first:*"));
        LATCHKEY_VERIFY_RESULT(own.put(first));
        const LockPattern second = Fixture::named(own, patternOf("second:*"));
        QCOMPARE(second.id, QStringLiteral("own.our-lock-2"));
        LATCHKEY_VERIFY_RESULT(own.put(second));
        QCOMPARE(own.entries().size(), std::size_t {3});
        QVERIFY(!own.entries().front().pattern);
        QCOMPARE(own.entries().front().line, 5);

        LockPattern other = first;
        other.keys = "other:*";
        LATCHKEY_VERIFY_RESULT(own.put(other));
        QCOMPARE(own.entries().size(), std::size_t {3});
        QVERIFY(*own.entries()[1].pattern == other);

        const auto removed = own.remove(other.id);
        LATCHKEY_VERIFY_RESULT(removed);
        LATCHKEY_VERIFY_RESULT(own.restore(*removed));
        QVERIFY(*own.entries().back().pattern == other);
        LATCHKEY_VERIFY_RESULT(own.remove(other.id));
        LATCHKEY_VERIFY_RESULT(own.remove(second.id));
        QCOMPARE(fixture.contents(), handWritten);
        QCOMPARE(changes.count(), 7);
        LATCHKEY_VERIFY_RESULT(own.remove(QStringLiteral("mine")));
        QVERIFY(own.entries().empty() && !own.problem());
        QVERIFY(!own.remove(QStringLiteral("mine")));
    }

    void firstOfSeveral_canBeRemoved()
    {
        const Fixture fixture;
        UserDialects own(fixture.path());
        const LockPattern first = Fixture::named(own, patternOf("first:*"));
        LATCHKEY_VERIFY_RESULT(own.put(first));
        const LockPattern second = Fixture::named(own, patternOf("second:*"));
        LATCHKEY_VERIFY_RESULT(own.put(second));
        LATCHKEY_VERIFY_RESULT(own.remove(first.id));
        QCOMPARE(own.entries().size(), std::size_t {1});
        QVERIFY(*own.entries().front().pattern == second);
    }

    void brokenFile_isReportedAndNeverWritten()
    {
        const Fixture fixture;
        fixture.write(handWritten);
        UserDialects own(fixture.path());
        QVERIFY(own.dialects().find(QStringLiteral("mine")) != nullptr);
        const QByteArray broken = QByteArray(handWritten).replace("leader", "boss");
        fixture.write(broken);
        const auto outcome = own.put(Fixture::named(own, patternOf("first:*")));
        QVERIFY(!outcome);
        QVERIFY2(outcome.error().message().startsWith(fixture.path() + QStringLiteral(":5: dialects[0].family: ")),
                 qPrintable(outcome.error().message()));
        QCOMPARE(fixture.contents(), broken);
        QVERIFY(own.problem());
        QVERIFY2(own.dialects().find(QStringLiteral("mine")) != nullptr, "what was good last is used on");
        QVERIFY(!own.remove(QStringLiteral("mine")));
        QVERIFY(!own.restore("{}"));
        QCOMPARE(fixture.contents(), broken);
        fixture.write("{ this is not JSON");
        own.reload();
        QVERIFY(own.problem()->message().startsWith(fixture.path() + QStringLiteral(":1: not JSON")));
        // After the correction the file is valid again.
        fixture.write(handWritten);
        LATCHKEY_VERIFY_RESULT(own.put(Fixture::named(own, patternOf("first:*"))));
        QVERIFY(!own.problem());
    }

    void keysOfOtherClients_areKept()
    {
        const Fixture fixture;
        UserDialects own(fixture.path());
        fixture.write(handWritten);
        LATCHKEY_VERIFY_RESULT(own.put(Fixture::named(own, patternOf("first:*"))));
        QVERIFY(fixture.contents().contains("by hand"));
        QCOMPARE(own.entries().size(), std::size_t {2});
    }

    void fileThatCannotBeWritten_isReported()
    {
        const Fixture fixture;
        fixture.write("file");
        // A file cannot contain a folder, even for root.
        UserDialects own(fixture.path() + QStringLiteral("/mine.json"));
        const auto outcome = own.put(Fixture::named(own, patternOf("first:*")));
        QVERIFY(!outcome);
        QVERIFY(outcome.error().message().contains(QStringLiteral("cannot make the folder ")));
        QVERIFY(own.entries().empty());
    }

    void builtInOnes_areNotReplacedByAName()
    {
        const Fixture fixture;
        const UserDialects own(fixture.path());
        QVERIFY(Dialects::builtIn().find(own.newId(QStringLiteral("redis-py.Lock"))) == nullptr);
        QCOMPARE(own.newId(QStringLiteral("  Ein Schloß! ")), QStringLiteral("own.ein-schlo"));
        QCOMPARE(own.newId(QStringLiteral("锁")), QStringLiteral("own.lock"));
        QCOMPARE(own.newId(QStringLiteral("Jazz 09 A")), QStringLiteral("own.jazz-09-a"));
    }
};

LATCHKEY_TEST(TestUserDialects)

} // namespace tst_userdialects

#include "tst_userdialects.moc"

#include "core/foundation/base/error.h"
#include "tests/support/testprogram.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <QTranslator>

namespace tst_text {

using namespace latchkey::base;

namespace {

/// A test language in capitals with another word order.
class Capitals final : public QTranslator
{
public:
    [[nodiscard]] bool isEmpty() const override { return false; }
    [[nodiscard]] QString translate(const char *context, const char *english, const char * /*disambiguation*/,
                                    int count) const override
    {
        if (qstrcmp(context, Text::context) != 0)
            return {};
        if (qstrcmp(english, "%1 holds %2") == 0)
            return QStringLiteral("%2 IN %1");
        if (qstrcmp(english, "%n keys in %1") == 0)
            return count == 1 ? QStringLiteral("A KEY IN %1") : QStringLiteral("%n KEYS IN %1");
        return QString::fromLatin1(english).toUpper();
    }
};

Text holds(const Text &key, const Text &value)
{
    return Text(QT_TRANSLATE_NOOP("core", "%1 holds %2"), key, value);
}

} // namespace

class TestText final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void places_areFilledIn_data()
    {
        QTest::addColumn<Text>("text");
        QTest::addColumn<QString>("words");
        const QString name = QStringLiteral("k");
        QTest::addRow("nothing") << Text() << QString();
        QTest::addRow("as it is") << Text(QStringLiteral("100 % of %1")) << QStringLiteral("100 % of %1");
        QTest::addRow("no place") << Text(QT_TRANSLATE_NOOP("core", "a 100 %")) << QStringLiteral("a 100 %");
        QTest::addRow("twice") << Text(QT_TRANSLATE_NOOP("core", "%1ms or %1s"), 5) << QStringLiteral("5ms or 5s");
        QTest::addRow("out of order") << Text(QT_TRANSLATE_NOOP("core", "%2 of %1"), name, 7)
                                      << QStringLiteral("7 of k");
        QTest::addRow("ten is one and a nought")
            << Text(QT_TRANSLATE_NOOP("core", "%10"), name) << QStringLiteral("k0");
        QTest::addRow("an argument that looks like a place")
            << holds(QStringLiteral("%2 %1 %n"), QStringLiteral("%1")) << QStringLiteral("%2 %1 %n holds %1");
        QTest::addRow("a text in a text") << holds(Text(QT_TRANSLATE_NOOP("core", "the counter %1"), name), name)
                                          << QStringLiteral("the counter k holds k");
        QTest::addRow("about") << Text::about(name, Text(QT_TRANSLATE_NOOP("core", "busy")))
                               << QStringLiteral("k: busy");
        QTest::addRow("joined") << Text::joined(name, Text(QT_TRANSLATE_NOOP("core", "busy")))
                                << QStringLiteral("k; busy");
        QTest::addRow("joined with nothing") << Text::joined(Text::joined({}, name), {}) << name;
        QTest::addRow("counted") << Text::counted(3, QT_TRANSLATE_N_NOOP("core", "%n keys in %1"), name)
                                 << QStringLiteral("3 keys in k");
        QTest::addRow("not ASCII") << Text(QT_TRANSLATE_NOOP("core", "“%1” is inside"), name)
                                   << QStringLiteral("“k” is inside");
    }
    void places_areFilledIn()
    {
        QFETCH(Text, text);
        QTEST(text.toString(), "words");
        const QJsonDocument sent(QJsonObject {{QStringLiteral("text"), text.toJson()}});
        const auto received = QJsonDocument::fromJson(sent.toJson(QJsonDocument::Compact));
        const Text again = Text::fromJson(received[QLatin1String("text")]);
        QCOMPARE(again, text);
        QCOMPARE(again.toString(), text.toString());
        Capitals capitals;
        QVERIFY(QCoreApplication::installTranslator(&capitals));
        QTEST(text.english(), "words");
    }

    /// All texts are translated when they are read, including nested ones; names and foreign texts stay unchanged.
    void language_isThatOfTheReading()
    {
        const Text counter(QT_TRANSLATE_NOOP("core", "the counter %1"), QStringLiteral("k"));
        const Error error =
            Error {ErrorKind::WrongType, holds(counter, QStringLiteral("words"))}.during(QStringLiteral("release"));
        const QString english = QStringLiteral("release: the counter k holds words");
        QCOMPARE(error.message(), english);
        const Text one = Text::counted(1, QT_TRANSLATE_N_NOOP("core", "%n keys in %1"), 5);
        const Text sent = Text::fromJson(error.text.toJson());
        {
            Capitals capitals;
            QVERIFY(QCoreApplication::installTranslator(&capitals));
            QCOMPARE(error.message(), QStringLiteral("release: words IN THE COUNTER k"));
            QCOMPARE(sent.toString(), error.message());
            QCOMPARE(one.toString(), QStringLiteral("A KEY IN 5"));
        }
        QCOMPARE(error.message(), english);
    }

    void equalReplies_areRecognised()
    {
        const QString key = QStringLiteral("k");
        QCOMPARE(holds(key, key), holds(key, key));
        QVERIFY(!(holds(key, key) == holds(key, QStringLiteral("v"))));
        QVERIFY(!(Text(QT_TRANSLATE_NOOP("core", "busy")) == Text(QStringLiteral("busy"))));
        QVERIFY(!(Text() == Text(key)));
        QCOMPARE(Text(QString()), Text());
        QVERIFY(!(Text::counted(1, QT_TRANSLATE_N_NOOP("core", "%n keys")) == Text::counted(2, "%n keys")));
    }
};

LATCHKEY_TEST(TestText)

} // namespace tst_text

#include "tst_text.moc"

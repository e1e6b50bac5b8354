#include "tests/support/testprogram.h"

#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

namespace tst_glossary {

namespace {

/// A message of a .ts file.
struct Message
{
    QString context;
    QString english;
    QString comment;
    QString chinese;
    QString state; ///< "unfinished", "vanished", "obsolete"; empty if finished.

    [[nodiscard]] QString name() const { return context + QStringLiteral(": ") + english.left(100); }
    [[nodiscard]] QStringList id() const { return {context, english, comment}; }
};

QString textOf(QXmlStreamReader &xml)
{
    return xml.readElementText(QXmlStreamReader::IncludeChildElements).trimmed();
}

QList<Message> messagesOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("there is no %s", qPrintable(path));
    QList<Message> messages;
    QString context;
    Message message;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd()) {
        const auto token = xml.readNext();
        if (token == QXmlStreamReader::EndElement && xml.name() == u"message")
            messages += message;
        if (token != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == u"name") {
            context = xml.readElementText();
        } else if (xml.name() == u"message") {
            message = {context, {}, {}, {}, {}};
        } else if (xml.name() == u"source") {
            message.english = xml.readElementText();
        } else if (xml.name() == u"comment") {
            message.comment = xml.readElementText();
        } else if (xml.name() == u"translation") {
            message.state = xml.attributes().value(QStringLiteral("type")).toString();
            message.chinese = textOf(xml);
        }
    }
    if (xml.hasError())
        qFatal("%s: %s", qPrintable(path), qPrintable(xml.errorString()));
    return messages;
}

const QString translationsFolder = QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/translations/");

struct Term
{
    QString english;
    QRegularExpression found; ///< Matches the word, also with an ending.
    QStringList chinese;
};

struct Glossary
{
    QList<Term> terms;
    QHash<QString, QString> exceptions; ///< English text, and the reason why the term has another meaning there.
};

Glossary readGlossary()
{
    QFile file(translationsFolder + QStringLiteral("glossary.json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("there is no glossary");
    const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
    Glossary glossary;
    for (const auto &value : json[QStringLiteral("terms")].toArray()) {
        const QString english = value[QStringLiteral("english")].toString();
        const QRegularExpression found(
            QStringLiteral("(?<![\\w-])%1(s|es|d|ed|ing)?(?![\\w-])").arg(QRegularExpression::escape(english)),
            QRegularExpression::CaseInsensitiveOption);
        glossary.terms += {english, found, value[QStringLiteral("chinese")].toVariant().toStringList()};
    }
    for (const auto &value : json[QStringLiteral("exceptions")].toArray())
        glossary.exceptions[value[QStringLiteral("english")].toString()] = value[QStringLiteral("why")].toString();
    return glossary;
}

/// Returns the terms without their translation. An untranslated word does not count, because it is part of a
/// command.
QStringList missingTerms(const Glossary &glossary, const Message &message)
{
    QStringList missing;
    for (const Term &term : glossary.terms) {
        const auto found = term.found.match(message.english);
        const bool exists =
            std::ranges::any_of(term.chinese, [&](const QString &word) { return message.chinese.contains(word); });
        if (found.hasMatch() && !exists && !message.chinese.contains(found.captured(0)))
            missing += term.english;
    }
    return missing;
}

QSet<QString> captured(const QString &pattern, const QString &text)
{
    QSet<QString> all;
    const QRegularExpression expression(pattern);
    for (auto match = expression.globalMatch(text); match.hasNext();)
        all.insert(match.next().captured(1).toUpper());
    return all;
}

/// Returns the punctuation at the end of a text, as Chinese punctuation.
QChar endOf(const QString &text, bool isEnglish)
{
    static const QString english = QStringLiteral(".:?,;\u2026");
    static const QString chinese = QStringLiteral("\u3002\uff1a\uff1f\uff0c\uff1b\u2026");
    QString words = text.trimmed();
    words.remove(QRegularExpression(QStringLiteral("\\(&\\w\\)")));
    const QString &marks = isEnglish ? english : chinese;
    const auto at = words.size() < 2 ? -1 : marks.indexOf(words.back());
    return at < 0 ? QChar() : chinese[at];
}

/// Returns a difference besides the language; empty if there is none.
QString difference(const Message &message)
{
    const auto &[context, english, comment, chinese, state] = message;
    if (captured(QStringLiteral("(%L?[1-9n])"), english) != captured(QStringLiteral("(%L?[1-9n])"), chinese))
        return QStringLiteral("its places");
    if (captured(QStringLiteral("(</?\\w+[^>]*/?>)"), english)
        != captured(QStringLiteral("(</?\\w+[^>]*/?>)"), chinese))
        return QStringLiteral("its markup");
    if (captured(QStringLiteral("&(\\w)"), english) != captured(QStringLiteral("\\(&(\\w)\\)"), chinese))
        return QStringLiteral("its mnemonic");
    if (endOf(english, true) != endOf(chinese, false))
        return QStringLiteral("how it ends");
    static const QRegularExpression narrow(QStringLiteral("[\\x{4e00}-\\x{9fff}][,;:?!]"));
    if (narrow.match(chinese).hasMatch())
        return QStringLiteral("Latin punctuation behind a Chinese word");
    static const QRegularExpression joined(
        QStringLiteral("[\\x{4e00}-\\x{9fff}][A-Za-z0-9]|[A-Za-z0-9][\\x{4e00}-\\x{9fff}]"));
    if (QString text = chinese; joined.match(text.remove(QRegularExpression(QStringLiteral("%L?[1-9n]")))).hasMatch())
        return QStringLiteral("no space between a Chinese word and another");
    return {};
}

} // namespace

/// Tests of the Chinese translation: it is complete and finished, has no obsolete texts, and uses the terms of the
/// glossary. `tests/translations` updates the file.
class TestGlossary final : public QObject
{
    Q_OBJECT

    QList<Message> messages;
    Glossary glossary;

private Q_SLOTS:
    void initTestCase()
    {
        messages = messagesOf(translationsFolder + QStringLiteral("latchkey_zh_CN.ts"));
        glossary = readGlossary();
        QVERIFY(messages.size() > 1500);
        QVERIFY(glossary.terms.size() > 50);
    }

    void everyText_isTranslated()
    {
        QStringList found;
        for (const Message &message : messages) {
            if (!message.state.isEmpty() || message.chinese.isEmpty())
                found += message.name() + QStringLiteral(": ")
                       + (message.chinese.isEmpty() ? QStringLiteral("missing") : message.state);
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    void theFile_isUpToDate()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("now.ts"));
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/translations"), {QStringLiteral("--into"), path});
        QVERIFY(process.waitForFinished(120'000));
        const QByteArray said = process.readAll();
        if (process.exitCode() == 3)
            QSKIP(said.constData());
        QCOMPARE(said, QByteArray()); // A tr() without a context would cause a message.
        QCOMPARE(process.exitCode(), 0);

        QSet<QStringList> there;
        for (const Message &message : messages)
            there.insert(message.id());
        QStringList found;
        QSet<QStringList> needed;
        for (const Message &message : messagesOf(path)) {
            needed.insert(message.id());
            if (!there.contains(message.id()))
                found += QStringLiteral("not in the file: ") + message.name();
        }
        for (const Message &message : messages) {
            if (!needed.contains(message.id()))
                found += QStringLiteral("nobody says any more: ") + message.name();
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n') + QStringLiteral("\ncall tests/translations")));
    }

    void places_markup_mnemonics_andPunctuation_areTheSame()
    {
        QStringList found;
        for (const Message &message : messages) {
            if (const QString what = difference(message); !what.isEmpty())
                found += QStringLiteral("%1 -> %2: %3").arg(message.name(), message.chinese.left(60), what);
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    void terms_areThoseOfTheGlossary()
    {
        QStringList found;
        QSet<QString> needed;
        for (const Message &message : messages) {
            const QStringList missing = missingTerms(glossary, message);
            if (missing.isEmpty())
                continue;
            if (glossary.exceptions.contains(message.english))
                needed.insert(message.english);
            else
                found +=
                    QStringLiteral("%1 -> %2: %3").arg(message.name(), message.chinese.left(60), missing.join(u' '));
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
        for (const QString &exception : glossary.exceptions.keys())
            QVERIFY2(needed.contains(exception), qPrintable(exception + QStringLiteral(" is no exception any more")));
    }

    void wrongTerm_isDetected_data()
    {
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("chinese");
        QTest::addColumn<bool>("isWrong");
        const QString lock = QStringLiteral("\u9501");
        const QString gone = QStringLiteral("\u5df2\u6d88\u5931");
        const QString stop = QStringLiteral("\u3002");
        QTest::addRow("right") << QStringLiteral("The lock %1 is gone.") << lock + QStringLiteral(" %1 ") + gone + stop
                               << false;
        QTest::addRow("no place") << QStringLiteral("The lock %1 is gone.") << lock + gone + stop << true;
        QTest::addRow("another place") << QStringLiteral("The lock %1 is gone.")
                                       << lock + QStringLiteral(" %2 ") + gone + stop << true;
        QTest::addRow("no full stop") << QStringLiteral("The lock is gone.") << lock + gone << true;
        QTest::addRow("no term") << QStringLiteral("The lock is gone.") << gone + stop << true;
        QTest::addRow("a command") << QStringLiteral("lock: gone") << QStringLiteral("lock: ") + gone << false;
        QTest::addRow("mnemonic") << QStringLiteral("A &lock") << lock + QStringLiteral("(&L)") << false;
        QTest::addRow("no mnemonic") << QStringLiteral("A &lock") << lock << true;
        QTest::addRow("another mnemonic") << QStringLiteral("A &lock") << lock + QStringLiteral("(&X)") << true;
        QTest::addRow("markup") << QStringLiteral("a <b>lock</b>") << lock << true;
        QTest::addRow("Latin comma") << QStringLiteral("A lock, gone") << lock + QStringLiteral(", ") + gone << true;
        QTest::addRow("no space") << QStringLiteral("A lock TTL") << lock + QStringLiteral("TTL") << true;
    }
    void wrongTerm_isDetected()
    {
        QFETCH(QString, english);
        QFETCH(QString, chinese);
        const Message message {QStringLiteral("core"), english, {}, chinese, {}};
        QTEST(!difference(message).isEmpty() || !missingTerms(glossary, message).isEmpty(), "isWrong");
    }
};

LATCHKEY_TEST(TestGlossary)

} // namespace tst_glossary

#include "tst_glossary.moc"

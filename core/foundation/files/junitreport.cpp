#include "core/foundation/files/junitreport.h"

#include <QDateTime>
#include <QTimeZone>
#include <QXmlStreamWriter>

#include <algorithm>
#include <span>

namespace latchkey::files {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Outcome = JUnitCase::Outcome;

namespace {

/// Replaces characters that XML 1.0 cannot contain, even as references, by \uNNNN.
QString forXml(const QString &text)
{
    QString safe;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const bool isPair = c.isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        if (isPair)
            safe += QStringView(text).mid(i++, 2);
        else if ((c >= u' ' && c < QChar(0xFFFE) && !c.isSurrogate()) || c == u'\t' || c == u'\n')
            safe += c;
        else
            safe += QStringLiteral("\\u%1").arg(c.unicode(), 4, 16, QLatin1Char('0'));
    }
    return safe;
}

QString seconds(nanoseconds time)
{
    return QString::number(std::chrono::duration<double>(time).count(), 'f', 3);
}

QString elementOf(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Passed:
        return {};
    case Outcome::Failed:
        return QStringLiteral("failure");
    case Outcome::Errored:
        return QStringLiteral("error");
    case Outcome::Skipped:
        return QStringLiteral("skipped");
    }
    Q_UNREACHABLE();
}

void writeCase(QXmlStreamWriter &xml, const JUnitCase &one)
{
    xml.writeStartElement(QStringLiteral("testcase"));
    xml.writeAttribute(QStringLiteral("classname"), forXml(one.className));
    xml.writeAttribute(QStringLiteral("name"), forXml(one.name));
    xml.writeAttribute(QStringLiteral("time"), seconds(one.time));
    if (one.outcome != Outcome::Passed) {
        xml.writeStartElement(elementOf(one.outcome));
        if (!one.type.isEmpty() && one.outcome != Outcome::Skipped) // The schema permits no type for a skipped case.
            xml.writeAttribute(QStringLiteral("type"), forXml(one.type));
        xml.writeAttribute(QStringLiteral("message"), forXml(one.message));
        if (!one.details.isEmpty())
            xml.writeCharacters(forXml(one.details));
        xml.writeEndElement();
    }
    xml.writeEndElement();
}

void writeCounts(QXmlStreamWriter &xml, std::span<const JUnitSuite> suites, bool isOfSuite)
{
    const auto count = [&](auto isOne) {
        qsizetype all = 0;
        for (const JUnitSuite &suite : suites)
            all += std::ranges::count_if(suite.cases, isOne);
        return QString::number(all);
    };
    const auto countOf = [&](Outcome outcome) {
        return count([outcome](const JUnitCase &one) { return one.outcome == outcome; });
    };
    nanoseconds time {};
    for (const JUnitSuite &suite : suites)
        time += suite.time;
    xml.writeAttribute(QStringLiteral("tests"), count([](const JUnitCase &) { return true; }));
    xml.writeAttribute(QStringLiteral("failures"), countOf(Outcome::Failed));
    xml.writeAttribute(QStringLiteral("errors"), countOf(Outcome::Errored));
    if (isOfSuite) // The schema permits the attribute only in a test suite.
        xml.writeAttribute(QStringLiteral("skipped"), countOf(Outcome::Skipped));
    xml.writeAttribute(QStringLiteral("time"), seconds(time));
}

} // namespace

QByteArray toJUnit(const std::vector<JUnitSuite> &suites)
{
    QByteArray bytes;
    QXmlStreamWriter xml(&bytes);
    xml.setAutoFormatting(true);
    xml.writeStartDocument();
    xml.writeStartElement(QStringLiteral("testsuites"));
    writeCounts(xml, suites, false);
    for (const JUnitSuite &suite : suites) {
        xml.writeStartElement(QStringLiteral("testsuite"));
        xml.writeAttribute(QStringLiteral("name"), forXml(suite.name));
        writeCounts(xml, std::span(&suite, 1), true);
        const auto began = QDateTime::fromMSecsSinceEpoch(suite.began.time_since_epoch().count(), QTimeZone::utc());
        xml.writeAttribute(QStringLiteral("timestamp"), began.toString(QStringLiteral("yyyy-MM-dd'T'HH:mm:ss")));
        if (!suite.hostname.isEmpty())
            xml.writeAttribute(QStringLiteral("hostname"), forXml(suite.hostname));
        for (const JUnitCase &one : suite.cases)
            writeCase(xml, one);
        xml.writeEndElement();
    }
    xml.writeEndElement();
    xml.writeEndDocument();
    return bytes;
}

} // namespace latchkey::files

#include "core/explore/reports/page.h"
#include "tests/support/testprogram.h"

#include <QTest>
#include <QXmlStreamReader>

namespace tst_page {

using namespace latchkey;
using reports::CheckedPromise;
using reports::ExplorationReport;
using schedules::ScheduleStep;

namespace {

ScheduleStep command(const QString &client, const resp::Command &words, const resp::Reply &reply,
                     std::optional<bool> inside = {})
{
    ScheduleStep step;
    step.client = client;
    step.command = words;
    step.reply = reply;
    step.inside = inside;
    return step;
}

CheckedPromise brokenBy(std::vector<ScheduleStep> steps)
{
    CheckedPromise promise;
    promise.result.promise = QStringLiteral("mutual-exclusion");
    promise.result.verdict = races::Verdict::Broken;
    promise.summary = QStringLiteral("BROKEN: two clients are inside");
    schedules::RecordedSchedule schedule;
    schedule.steps = std::move(steps);
    promise.result.counterexample = schedule;
    return promise;
}

QByteArray pageOf(const CheckedPromise &promise)
{
    ExplorationReport report;
    report.subject = QStringLiteral("<worker>.py");
    return reports::toHtml(report, promise);
}

/// Returns the diagram of a page.
QByteArray svgOf(const QByteArray &page)
{
    const qsizetype from = page.indexOf("<svg ");
    return page.mid(from, page.indexOf("</svg>") + 6 - from);
}

/// Counts the elements of a class. -1 if the diagram is not well-formed.
int countOf(const QByteArray &svg, const QString &style)
{
    QXmlStreamReader xml(svg);
    int count = 0;
    while (!xml.atEnd()) {
        if (xml.readNext() == QXmlStreamReader::StartElement
            && xml.attributes().value(QStringLiteral("class")).toString() == style)
            ++count;
    }
    return xml.hasError() ? -1 : count;
}

} // namespace

/// Tests of the pages with a sequence diagram.
class TestPage final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void diagram_hasALaneForEachClientAndServer()
    {
        ScheduleStep lapse;
        lapse.kind = ScheduleStep::Kind::Lapse;
        lapse.key = "lock";
        ScheduleStep lost = command(QStringLiteral("B"), {"DEL", "lock"}, resp::Reply::integer(1), false);
        lost.isLost = true;
        const QByteArray svg = svgOf(pageOf(
            brokenBy({command(QStringLiteral("A"), {"SET", "lock", "t"}, resp::Reply::status("OK"), true), lapse,
                      command(QStringLiteral("B"), {"SET", "lock", "u"}, resp::Reply::status("OK"), true), lost})));
        QCOMPARE(countOf(svg, QStringLiteral("lane")), 3);
        QCOMPARE(countOf(svg, QStringLiteral("arrow")), 3);
        QCOMPARE(countOf(svg, QStringLiteral("arrow reply")), 2);
        QCOMPARE(countOf(svg, QStringLiteral("arrow reply cut")), 1);
        QCOMPARE(countOf(svg, QStringLiteral("fault")), 1);
        QCOMPARE(countOf(svg, QStringLiteral("inside")), 2);
    }

    void faultOfAServer_isMarkedAtItsLane()
    {
        ScheduleStep failover;
        failover.kind = ScheduleStep::Kind::Failover;
        failover.server = 1;
        CheckedPromise broken =
            brokenBy({command(QStringLiteral("A"), {"SET", "lock", "t"}, resp::Reply::status("OK"), true), failover});
        broken.result.counterexample->servers = 2;
        const QByteArray svg = svgOf(pageOf(broken));
        QCOMPARE(countOf(svg, QStringLiteral("mark")), 1);
        QCOMPARE(countOf(svg, QStringLiteral("at-server")), 1);
        QCOMPARE(countOf(svg, QStringLiteral("fault")), 0);
        QVERIFY2(svg.contains("failover on #2</text>"), svg.constData());
    }

    void page_isSelfContained()
    {
        const QByteArray page = pageOf(brokenBy({command(QStringLiteral("A"), {"GET", "k"}, resp::Reply::nil())}));
        QVERIFY(page.contains("prefers-color-scheme: dark"));
        QVERIFY(!page.contains("<script") && !page.contains("href=") && !page.contains("src="));
        QVERIFY(page.contains("<title>&lt;worker&gt;.py: mutual-exclusion</title>"));
        QVERIFY(page.contains("<p class=\"verdict\">BROKEN: two clients are inside</p>"));
    }

    void hostileText_isEscaped()
    {
        const QByteArray hostile("</text><script>alert(1)</script>\"'&\x1b\x01\xff");
        const QByteArray page =
            pageOf(brokenBy({command(QStringLiteral("A"), {"GET", hostile}, resp::Reply::bulk(hostile))}));
        QVERIFY2(!page.contains("<script"), page.constData());
        QVERIFY(!page.contains('\x1b') && !page.contains('\x01'));
        QVERIFY2(countOf(svgOf(page), QStringLiteral("lane")) == 2, page.constData());
    }

    void longText_isCutInTheDiagramOnly()
    {
        const QByteArray key = QByteArray("k").repeated(60);
        const QByteArray page = pageOf(brokenBy({command(QStringLiteral("A"), {"GET", key}, resp::Reply::nil())}));
        QCOMPARE(page.count("GET " + key), 2); // The tooltip and the list of steps.
        QVERIFY(page.contains("k\u2026</text>"));
    }
};

LATCHKEY_TEST(TestPage)

} // namespace tst_page

#include "tst_page.moc"

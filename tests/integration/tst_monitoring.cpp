#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/metricspage.h"
#include "tests/support/pages.h"
#include "tests/support/testprogram.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace tst_monitoring {

using namespace latchkey;
using test::captures;
using test::Outcome;
using test::textOf;

/// Tests of resources/monitoring and resources/systemd: their metrics, labels and options exist.
class TestMonitoring final : public test::CommandLineTest
{
    Q_OBJECT

    /// Returns the expressions of the alerts and of the dashboard.
    static QStringList expressions()
    {
        QStringList all =
            captures(textOf("resources/monitoring/prometheus-alerts.yml"), QStringLiteral("^ +expr: (.*)$"));
        const QJsonObject dashboard =
            QJsonDocument::fromJson(textOf("resources/monitoring/grafana-dashboard.json").toUtf8()).object();
        for (const QJsonValue &panel : dashboard[QLatin1String("panels")].toArray()) {
            for (const QJsonValue &target : panel[QLatin1String("targets")].toArray())
                all += target[QLatin1String("expr")].toString();
        }
        return all;
    }
    /// Returns the page of a real watch --metrics, in which locks were held, renewed, released and have expired.
    [[nodiscard]] QByteArray servedPage()
    {
        QProcess watch;
        QByteArray errors;
        connect(&watch, &QProcess::readyReadStandardError, &watch, [&] { errors += watch.readAllStandardError(); });
        watch.setProcessEnvironment(environment);
        watch.start(QStringLiteral(LATCHKEY_CLI),
                    {QStringLiteral("watch"), QStringLiteral("--metrics"), QStringLiteral("0")});
        QByteArray page;
        int locks = 0;
        const bool isComplete =
            test::waitFor([&] { return test::metricsPort(errors) != 0; }) && test::waitFor([&] {
                // A lock may expire before the watch begins. A later one has another key, so that its end is seen.
                if ((*server)({"EXISTS", "lock:short-" + QByteArray::number(locks)}).isInteger(0))
                    (void)(*server)({"SET", "lock:short-" + QByteArray::number(++locks),
                                     "9891ac7c19c1ec9e54f0c08c8074917c", "PX", "1500"});
                page = test::httpResponse(test::metricsPort(errors));
                return page.contains("cause=\"expired\"") && page.contains("latchkey_source{means=");
            });
        watch.disconnect();
        watch.terminate();
        watch.waitForFinished();
        return isComplete ? page : "incomplete: " + page + errors;
    }

    /// Returns the path of promtool, installed or unpacked by tests/run; empty if there is none.
    static QString installedPromtool()
    {
        const QString installed = QStandardPaths::findExecutable(QStringLiteral("promtool"));
        return installed.isEmpty()
                 ? QStandardPaths::findExecutable(QStringLiteral("promtool"),
                                                  {QStringLiteral(LATCHKEY_SOURCE_DIR "/build/prometheus/usr/bin")})
                 : installed;
    }

private Q_SLOTS:
    void everyMetricAndLabel_isServed()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        QVERIFY((*server)({"SET", "lock:kept", "f442172cd0841b68177e827d1a6528b1"}).isOk());
        const QString page = QString::fromUtf8(servedPage());
        QStringList served = captures(page, QStringLiteral("^# TYPE (latchkey_\\w+) (?:gauge|counter)$"));
        for (const QString &histogram : captures(page, QStringLiteral("^# TYPE (latchkey_\\w+) histogram$"))) {
            for (const char *suffix : {"_bucket", "_sum", "_count"})
                served += histogram + QLatin1String(suffix);
        }
        const QStringList all = expressions();
        QVERIFY(all.size() > 15);
        QStringList used;
        for (const QString &expression : all)
            used += captures(expression, QStringLiteral("\\b(latchkey_\\w+)"));
        used.removeDuplicates();
        QVERIFY(used.size() > 8);
        for (const QString &metric : used)
            QVERIFY2(served.contains(metric), qPrintable(metric + u'\n' + page));
        // The metrics of Prometheus itself are left out.
        const QStringList foreign {QStringLiteral("instance"), QStringLiteral("job")};
        const QStringList labels = captures(page, QStringLiteral("[{,](\\w+)=\"")) + foreign
                                 + QStringList {QStringLiteral("question")}; // Only of a server that refuses one.
        for (const QString &expression : all) {
            for (const QString &list : captures(expression, QStringLiteral("\\bby \\(([^)]*)\\)"))) {
                for (const QString &label : list.split(u','))
                    QVERIFY2(labels.contains(label.trimmed()), qPrintable(expression));
            }
            for (const QString &label : captures(expression, QStringLiteral("[{,](\\w+)=~?\"")))
                QVERIFY2(labels.contains(label), qPrintable(expression));
        }
    }

    /// The expressions of the dashboard, as rules, since promtool reads no dashboards.
    void dashboardAndMetrics_areValid()
    {
        const QString promtool = installedPromtool();
        if (promtool.isEmpty())
            QSKIP("promtool is not installed");
        const QTemporaryDir folder;
        QFile rules(folder.filePath(QStringLiteral("rules.yml")));
        QVERIFY(rules.open(QIODevice::WriteOnly));
        rules.write("groups:\n- name: dashboard\n  rules:\n");
        int number = 0;
        for (QString expression : expressions()) {
            expression.replace(QStringLiteral("$__rate_interval"), QStringLiteral("1m"));
            rules.write("  - record: expression" + QByteArray::number(number++) + "\n    expr: '"
                        + expression.replace(u'\'', QStringLiteral("''")).toUtf8() + "'\n");
        }
        rules.close();
        const Outcome checked =
            runProgram(promtool, {QStringLiteral("check"), QStringLiteral("rules"), rules.fileName()});
        QVERIFY2(checked.exitCode == 0, (checked.output + checked.errors).constData());
        QProcess metrics;
        metrics.start(promtool, {QStringLiteral("check"), QStringLiteral("metrics")});
        const QByteArray response = servedPage();
        metrics.write(response.sliced(response.indexOf("\r\n\r\n") + 4));
        metrics.closeWriteChannel();
        const Outcome outcome = test::outcomeOf(metrics);
        QVERIFY2(outcome.exitCode == 0, (outcome.output + outcome.errors).constData());
    }

    void alerts_areValid()
    {
        const QString promtool = installedPromtool();
        if (promtool.isEmpty())
            QSKIP("promtool is not installed");
        const Outcome outcome =
            runProgram(promtool, {QStringLiteral("check"), QStringLiteral("rules"),
                                  QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/monitoring/prometheus-alerts.yml")});
        QVERIFY2(outcome.exitCode == 0, (outcome.output + outcome.errors).constData());
    }

    void service_startsACommandThatExists()
    {
        const QString unit = textOf("resources/systemd/latchkey-metrics.service");
        const QString start = captures(unit, QStringLiteral("^ExecStart=latchkey-cli (.*)$")).value(0);
        QStringList words = start.split(u' ');
        QVERIFY(words.size() > 2);
        const QString address =
            captures(unit, QStringLiteral("^Environment=LATCHKEY_METRICS=(.*):\\d+$")).value(0) + QStringLiteral(":0");
        words.replaceInStrings(QStringLiteral("${LATCHKEY_METRICS}"), address);
        words += {QStringLiteral("--for"), QStringLiteral("10ms")};
        const Outcome outcome = run(words);
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
    }
};

LATCHKEY_TEST(TestMonitoring)

} // namespace tst_monitoring

#include "tst_monitoring.moc"

#include "tests/support/faulttest.h"

#include "tests/support/await.h"
#include "tests/support/metricspage.h"

#include <QProcessEnvironment>
#include <QRegularExpression>

namespace latchkey::test {

namespace {

using Page = Fault::Page;

/// A running latchkey-cli command.
class Program final
{
public:
    Program(const FaultyServer &server, const Fault &fault, QStringList arguments, int exitCode)
        : m_arguments(std::move(arguments))
        , m_exitCode(exitCode)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"LATCHKEY_TOKEN", "LATCHKEY_KEY", "LATCHKEY_FENCING", "LATCHKEY_PASSWORD", "COLUMNS"})
            environment.remove(QString::fromLatin1(name));
        environment.insert(QStringLiteral("LATCHKEY_URL"), server.url());
        if (fault.password != nullptr)
            environment.insert(QStringLiteral("LATCHKEY_PASSWORD"), QString::fromLatin1(fault.password));
        m_process.setProcessEnvironment(environment);
        QObject::connect(&m_process, &QProcess::readyReadStandardOutput, &m_process,
                         [this] { m_output += m_process.readAllStandardOutput(); });
        QObject::connect(&m_process, &QProcess::readyReadStandardError, &m_process,
                         [this] { m_errors += m_process.readAllStandardError(); });
        m_process.start(QStringLiteral(LATCHKEY_CLI), m_arguments);
    }

    [[nodiscard]] const QByteArray &output() const { return m_output; }
    [[nodiscard]] const QByteArray &errors() const { return m_errors; }
    [[nodiscard]] bool hasEnded() const { return m_process.state() == QProcess::NotRunning; }
    void stop() { m_process.terminate(); }
    [[nodiscard]] QByteArray context() const
    {
        return m_arguments.join(u' ').toUtf8() + " exits " + QByteArray::number(m_process.exitCode()) + ", not "
             + QByteArray::number(m_exitCode) + "\n" + m_output + m_errors;
    }
    /// Returns a description of a wrong exit code or output of the command; empty if both are as expected.
    [[nodiscard]] QByteArray complaint(const Fault &fault) const
    {
        const QByteArray all = m_output + m_errors;
        if (!hasEnded() || m_process.exitStatus() != QProcess::NormalExit || m_process.exitCode() != m_exitCode)
            return context();
        if (std::ranges::any_of(all, [](char byte) { return static_cast<uchar>(byte) < ' ' && byte != '\n'; }))
            return "a control byte is printed: " + context().toPercentEncoding(" \n");
        const QRegularExpression sentence(QString::fromUtf8(fault.sentence));
        if (m_exitCode == 3 && !sentence.match(QString::fromUtf8(all)).hasMatch())
            return "no sentence: " + context();
        return {};
    }

private:
    const QStringList m_arguments;
    const int m_exitCode;
    QProcess m_process;
    QByteArray m_output;
    QByteArray m_errors;
};

/// Returns the metrics page from the address that the program printed; empty if the program no longer serves it.
QByteArray pageOf(const Program &watch)
{
    if (!waitFor([&] { return metricsPort(watch.errors()) != 0 || watch.hasEnded(); }))
        return {};
    return httpResponse(metricsPort(watch.errors()));
}

bool isIncomplete(const QByteArray &line)
{
    const QJsonObject coverage = QJsonDocument::fromJson(line).object();
    return coverage.contains(QStringLiteral("complete")) && !coverage[QStringLiteral("complete")].toBool();
}

/// Returns the error in the output of `ls`. Empty for correct output: a complete array, an array with its coverage, or
/// a message without an array.
QByteArray complaintOfListing(const Program &ls, int exitCode, bool isListed)
{
    const QJsonDocument rows = QJsonDocument::fromJson(ls.output());
    if (exitCode == 0)
        return rows.isArray() && rows.array().size() == 2 ? QByteArray() : "not both locks: " + ls.context();
    const QByteArray lastLine = ls.errors().trimmed().split('\n').last();
    const bool isReported = ls.output().isEmpty() ? !isListed && lastLine.startsWith("latchkey-cli: ls: ")
                                                  : rows.isArray() && isIncomplete(lastLine);
    return isReported ? QByteArray() : "no coverage: " + ls.context();
}

QByteArray complaintOfPage(Program &watch, Page wanted)
{
    const bool isUp = wanted == Page::Seeing || wanted == Page::Partial;
    // A node of a cluster that is down is named.
    static const QRegularExpression up(QStringLiteral("\\nlatchkey_up(?:\\{node=\"[^\"]+\"\\})? ([01])\\n"));
    const auto isExpected = [&](const QByteArray &page) {
        return up.match(QString::fromUtf8(page)).captured(1) == (isUp ? u"1" : u"0")
            && page.contains(wanted == Page::Seeing ? "latchkey_coverage_complete 1\n"
                                                    : "latchkey_coverage_complete 0\n");
    };
    QByteArray page;
    if (wanted == Page::Ended) {
        page = pageOf(watch);
        (void)waitFor([&] { return watch.hasEnded(); });
        return page.isEmpty() || isExpected(page) ? QByteArray() : "another page: " + page;
    }
    const bool exists = waitFor([&] {
        if (wanted == Page::Blind && !watch.output().contains("\"event\":\"blind\""))
            return watch.hasEnded();
        page = pageOf(watch);
        const bool isDenied = wanted != Page::Partial || page.contains("latchkey_denied{");
        return (isDenied && isExpected(page)) || watch.hasEnded();
    });
    if (!exists || watch.hasEnded() || !isExpected(page))
        return "another page: " + page + watch.context();
    watch.stop();
    (void)waitFor([&] { return watch.hasEnded(); });
    return {};
}

} // namespace

FaultTest::FaultTest(std::vector<Fault> faults)
    : m_faults(std::move(faults))
{}

void FaultTest::everyCommand_saysWhatItCouldNotSee_data()
{
    QTest::addColumn<int>("place");
    for (std::size_t i = 0; i < m_faults.size(); ++i)
        QTest::addRow("%s", m_faults[i].name) << static_cast<int>(i);
}

void FaultTest::everyCommand_saysWhatItCouldNotSee()
{
    QFETCH(int, place);
    const Fault &fault = m_faults[static_cast<std::size_t>(place)];
    const FaultyServer server(fault);
    const auto words = [](const char *text) { return QString::fromUtf8(text).split(u' '); };
    Program ls(server, fault, words("ls lock:* --locks --json"), fault.ls);
    Program acquire(server, fault, words("acquire token k --lease 20s"), fault.acquire);
    Program run(server, fault, words("run renewing r --lease 20s -- true"), fault.run);
    Program watch(server, fault, words("watch lock:* --for 2s --json"), fault.watch);
    Program expect(server, fault,
                   {QStringLiteral("expect"), QStringLiteral("lock:a exists until 300ms"), QStringLiteral("--for"),
                    QStringLiteral("1s"), QStringLiteral("--json")},
                   fault.expect);
    Program why(server, fault, words("why lock:a --json"), fault.why);
    Program metrics(server, fault, words("watch lock:* --json --metrics 0"), fault.page == Page::Seeing ? 0 : 3);
    QByteArrayList complaints {complaintOfPage(metrics, fault.page)};
    for (const Program *each : {&ls, &acquire, &run, &watch, &expect, &why, &metrics}) {
        (void)waitFor([&] { return each->hasEnded(); });
        complaints += each->complaint(fault);
    }
    complaints += complaintOfListing(ls, fault.ls, fault.isListed);
    complaints.removeAll({});
    QVERIFY2(complaints.isEmpty(), complaints.join("\n").constData());
}

} // namespace latchkey::test

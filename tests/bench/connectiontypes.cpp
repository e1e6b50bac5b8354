// Benchmarks that compare the connection types: TLS with plain hiredis, and ssh with a direct connection.

#include "tests/bench/runner.h"
#include "tests/support/sshsetup.h"
#include "tests/support/tlssetup.h"

#include <QFile>

#include <cstdio>

using namespace latchkey;

namespace bench {

namespace {

constexpr int serverCore = 0;
constexpr int clientCore = 1;

void compareTls(test::TestServer &server, QJsonObject &result)
{
    const test::TlsSetup bed;
    if (!bed.obstacle().isEmpty() || !QFile::exists(QStringLiteral(LATCHKEY_BENCH_FOLDER "/bench-tls"))) {
        std::printf("TLS: %s\n", bed.obstacle().isEmpty() ? "libssl-dev is missing to build the reference with"
                                                          : qPrintable(bed.obstacle()));
        return;
    }
    const quint16 port = bed.encrypt(server, QStringLiteral("server"));
    const QString authority = bed.certificate(QStringLiteral("ca"));
    std::vector<double> ours;
    std::vector<double> reference;
    for (int round = 0; round < (isQuick ? 1 : 5); ++round) {
        reference.push_back(
            run(QStringLiteral("bench-tls"), {QString::number(port), authority}, clientCore).toDouble());
        ours.push_back(run(QStringLiteral("bench-ways"), {bed.endpoint(port).toUrl()}, clientCore).toDouble());
    }
    std::printf("Keys and PTTLs by TLS: hiredis %.3f s, ours %.3f s\n", median(reference), median(ours));
    const double ratio = median(reference) / median(ours);
    report("  by TLS, to hiredis", ratio, "");
    result[QStringLiteral("tls_scan_vs_hiredis")] = ratio;
}

void compareSsh(test::TestServer &server, QJsonObject &result)
{
    const test::SshSetup bed;
    if (!bed.obstacle().isEmpty()) {
        std::printf("ssh: %s\n", qPrintable(bed.obstacle()));
        return;
    }
    const QByteArray before = qgetenv("PATH");
    qputenv("PATH", bed.searchPath());
    net::Endpoint behind = server.endpoint();
    behind.ssh = bed.sshHost();
    std::vector<double> direct;
    std::vector<double> bySsh;
    for (int round = 0; round < (isQuick ? 1 : 5); ++round) {
        direct.push_back(run(QStringLiteral("bench-ways"), {server.url()}, -1).toDouble());
        bySsh.push_back(run(QStringLiteral("bench-ways"), {behind.toUrl()}, -1).toDouble());
    }
    qputenv("PATH", before);
    std::printf("Keys and PTTLs by ssh: %.3f s, without %.3f s\n", median(bySsh), median(direct));
    const double ratio = median(direct) / median(bySsh);
    report("  by ssh, to without", ratio, "");
    result[QStringLiteral("ssh_scan_vs_direct")] = ratio;
}

} // namespace

void benchWays(QJsonObject &result)
{
    test::TestServer server;
    fill(server, isQuick ? 20'000 : 200'000);
    compareSsh(server, result);
    pin(static_cast<pid_t>(server.process().processId()), serverCore);
    compareTls(server, result);
}

} // namespace bench

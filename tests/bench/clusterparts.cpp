// Benchmark of the command line on a cluster: its primaries are scanned in parallel.

#include "tests/bench/runner.h"
#include "tests/support/clustersetup.h"

#include <QElapsedTimer>
#include <QProcess>

#include <cstdio>
#include <functional>

using namespace latchkey;

namespace bench {

namespace {

using test::ClusterSetup;

/// Returns names with a hash tag whose slots belong to this primary.
QByteArrayList tagsOf(int primary, int count)
{
    QByteArrayList tags;
    for (int number = 0; tags.size() < count; ++number) {
        const QByteArray tag = "lock:{" + QByteArray::number(number) + "}:";
        if (ClusterSetup::ownerOf(tag + '0') == primary)
            tags += tag;
    }
    return tags;
}

/// Writes keys that expire hours later by scripts in the server: `count` names, which begin with one of the tags.
void fill(const std::function<resp::Reply(const resp::Command &)> &server, const QByteArrayList &tags, int count)
{
    constexpr int portion = 20'000;
    for (int first = 0; first < count; first += portion) {
        resp::Command command {"EVAL",
                               "for i = ARGV[1], ARGV[1] + ARGV[2] - 1 do redis.call('SET', "
                               "ARGV[3 + i % (#ARGV - 2)] .. (100000000 + i), '0123456789abcdef0123456789abcdef', "
                               "'PX', 36000000 + (i * 7919) % 80000000) end return 1",
                               "0", QByteArray::number(first), QByteArray::number(std::min(portion, count - first))};
        for (const QByteArray &tag : tags)
            command << tag;
        if (const auto reply = server(command); !reply.isInteger(1))
            qFatal("%s", qPrintable(reply.toText()));
    }
}

/// Returns the seconds in which ls prints all keys. Aborts if it fails, or does not see everything.
double secondsOfListing(const QString &url)
{
    QProcess ls;
    ls.setStandardOutputFile(QProcess::nullDevice());
    QElapsedTimer timer;
    timer.start();
    ls.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("--url"), url, QStringLiteral("ls")});
    if (!ls.waitForFinished(-1) || ls.exitCode() != 0)
        qFatal("ls: %s", ls.readAllStandardError().constData());
    return static_cast<double>(timer.nsecsElapsed()) / 1e9;
}

} // namespace

void benchCluster(QJsonObject &result)
{
    const int keys = isQuick ? 30'000 : 1'000'000;
    constexpr int tagsPerPrimary = 100;
    ClusterSetup cluster;
    test::TestServer single;
    const int share = keys / ClusterSetup::primaryCount;
    for (int primary = 0; primary < ClusterSetup::primaryCount; ++primary) {
        const QByteArrayList tags = tagsOf(primary, tagsPerPrimary);
        fill([&](const resp::Command &command) { return cluster.ask(primary, command); }, tags, share);
        fill([&](const resp::Command &command) { return single(command); }, tags, share);
    }
    std::printf("ls on %d keys: three primaries of a cluster, and one server alone\n",
                share * ClusterSetup::primaryCount);
    std::vector<double> ofCluster;
    std::vector<double> ofSingle;
    for (int round = 0; round < (isQuick ? 1 : 3); ++round) {
        ofSingle.push_back(secondsOfListing(single.url()));
        ofCluster.push_back(secondsOfListing(cluster.url(0)));
    }
    report("  one server", median(ofSingle), "s");
    report("  three primaries", median(ofCluster), "s");
    result[QStringLiteral("cluster_scan_vs_single")] = median(ofSingle) / median(ofCluster);
    report("  speed of the cluster to that of one server", median(ofSingle) / median(ofCluster), "");
}

} // namespace bench

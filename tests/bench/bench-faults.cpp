// The window on a server with a fault: the longest delay of its event loop, for each fault of tests/support/faults.
//
//   bench-faults SECONDS     SECONDS on each fault, from the opening of the server on. Prints the longest delay of all,
//                            the fault that caused it, and the number of faults

#include "tests/bench/benchwindow.h"
#include "tests/bench/loopdelay.h"
#include "tests/support/faults.h"

#include <QApplication>
#include <QEventLoop>
#include <QJsonDocument>

using namespace bench;

namespace {

void wait(std::chrono::milliseconds time)
{
    QEventLoop loop;
    QTimer::singleShot(time, Qt::PreciseTimer, &loop, &QEventLoop::quit);
    loop.exec();
}

std::vector<test::Fault> allFaults()
{
    std::vector<test::Fault> all;
    for (const auto &some : {test::faultsOfConnecting(), test::faultsOfPermission(), test::faultsOfState(),
                             test::faultsOfReplies(), test::faultsOfSilence(), test::faultsOfMissingReplies()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

/// Returns the longest delay in milliseconds while the window has this server.
double longestDelay(Window &window, const test::Fault &fault, std::chrono::milliseconds time)
{
    const test::FaultyServer server(fault);
    auto endpoint = net::Endpoint::fromUrl(server.url()).value();
    if (fault.password != nullptr)
        endpoint.password = QString::fromLatin1(fault.password);
    LoopDelay delay;
    delay.start();
    window.workspace.open(endpoint);
    wait(time);
    delay.stop();
    return delay.quantile(1);
}

} // namespace

int main(int argc, char *argv[])
{
    if (argc < 2)
        fail(QStringLiteral("see the comment at the top of its source"));
    QApplication application(argc, argv);
    Window window(application);
    window.window.resize(1600, 1000);
    window.window.show();
    wait(std::chrono::seconds(1));

    const std::chrono::milliseconds time(static_cast<int>(std::atof(argv[1]) * 1000));
    const std::vector<test::Fault> faults = allFaults();
    (void)longestDelay(window, faults.front(), time); // The first server loads what every server uses.
    double longest = 0;
    QString slowest;
    std::vector<double> all;
    for (const test::Fault &fault : faults) {
        all.push_back(longestDelay(window, fault, time));
        if (all.back() >= longest) {
            longest = all.back();
            slowest = QString::fromLatin1(fault.name);
        }
    }
    QJsonObject result {{QStringLiteral("fault"), slowest}};
    reportSamples(result, all);
    std::printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
    return 0;
}

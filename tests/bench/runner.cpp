#include "tests/bench/runner.h"

#include "tests/support/testserver.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QProcess>
#include <QProcessEnvironment>

#include <algorithm>
#include <cstdio>
#include <sched.h>

namespace bench {

using namespace latchkey;

bool isQuick = false;

void pin(pid_t process, int core)
{
    if (core < 0)
        return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    if (::sched_setaffinity(process, sizeof set, &set) != 0)
        qFatal("cannot pin a process to core %d", core);
}

QByteArray run(const QString &program, const QStringList &arguments, int core, std::chrono::milliseconds atMost)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::SeparateChannels);
    process.setChildProcessModifier([core] { pin(0, core); });
    process.start(program.startsWith(u'/') ? program : QCoreApplication::applicationDirPath() + u'/' + program,
                  arguments);
    if (!process.waitForFinished(static_cast<int>(atMost.count())))
        qFatal("%s has not ended in time", qPrintable(program));
    if (process.exitCode() != 0)
        qFatal("%s failed: %s", qPrintable(program), process.readAllStandardError().constData());
    return process.readAllStandardOutput().trimmed();
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void report(const char *what, double value, const char *unit)
{
    std::printf("%-58s %9.3f %s\n", what, value, unit);
    std::fflush(stdout);
}

QJsonObject runForJson(const QString &program, const QStringList &arguments, int core, std::chrono::milliseconds atMost)
{
    return QJsonDocument::fromJson(run(program, arguments, core, atMost)).object();
}

void fill(test::TestServer &server, int count)
{
    // A script in the server writes the keys, because the benchmark measures only reading.
    constexpr int portion = 20'000;
    for (int first = 0; first < count; first += portion) {
        const auto reply =
            server({"EVAL",
                    "for i = ARGV[1], ARGV[1] + ARGV[2] - 1 do redis.call('SET', 'lock:session:' .. (100000000 + i), "
                    "'0123456789abcdef0123456789abcdef', 'PX', 36000000 + (i * 7919) % 80000000) end return 1",
                    "0", QByteArray::number(first), QByteArray::number(std::min(portion, count - first))});
        if (!reply.isInteger(1))
            qFatal("%s", qPrintable(reply.toText()));
    }
}

} // namespace bench

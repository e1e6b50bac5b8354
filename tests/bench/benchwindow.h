#pragma once

#include "core/foundation/base/random.h"
#include "core/redis/net/blockingconnection.h"
#include "core/redis/net/dialer.h"
#include "tests/bench/quantile.h"
#include "ui/shell/shell/mainwindow.h"

#include <QJsonObject>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace bench {

using namespace latchkey;

[[noreturn]] inline void fail(const QString &what)
{
    std::fprintf(stderr, "%s: %s\n", qPrintable(QCoreApplication::applicationName()), qPrintable(what));
    std::exit(1);
}

using base::MonotonicTime;

inline MonotonicTime now()
{
    return base::SystemClock::instance().now();
}

/// Returns the CPU time of this process since its start, in seconds.
inline double cpuSeconds()
{
    timespec time {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

inline void reportSamples(QJsonObject &result, std::vector<double> &samples)
{
    result[QStringLiteral("samples")] = static_cast<qint64>(samples.size());
    result[QStringLiteral("median")] = quantile(samples, 0.5);
    result[QStringLiteral("p99")] = quantile(samples, 0.99);
    result[QStringLiteral("longest")] = quantile(samples, 1);
}

/// Returns a blocking connection to the server, or ends the program with an error.
inline std::unique_ptr<net::BlockingConnection> dial(const net::Endpoint &endpoint)
{
    auto dialled = net::dialBlocking(endpoint, std::chrono::seconds(5));
    if (!dialled)
        fail(dialled.error().message());
    return std::move(dialled->connection);
}

inline resp::Reply ask(net::BlockingConnection &connection, const resp::Command &command)
{
    const auto reply = connection.execute(command, std::chrono::seconds(60));
    if (!reply)
        fail(reply.error().message());
    return *reply;
}

/// The main window, built as latchkey's own main() builds it, with private settings.
class Window final
{
public:
    explicit Window(QApplication &application)
        : settings(folder.filePath(QStringLiteral("latchkey.ini")))
        , appearance(application)
        , workspace(settings, QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance(),
                    base::SystemRandom::instance())
        , window(workspace, appearance, languageSwitcher)
    {}

    [[nodiscard]] ui::keytable::KeyTableView &table() const
    {
        return *window.findChild<ui::inspector::InspectorPage *>()->findChild<ui::keytable::KeyTableView *>();
    }

    const QTemporaryDir folder;
    ui::shell::Settings settings;
    ui::theme::Appearance appearance;
    ui::i18n::LanguageSwitcher languageSwitcher {language::Language::English};
    ui::shell::Workspace workspace;
    ui::shell::MainWindow window;
};

} // namespace bench

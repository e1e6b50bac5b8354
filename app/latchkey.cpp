// latchkey: the window.

#include "core/base/unixsignals.h"
#include "core/base/utf8locale.h"
#include "core/base/version.h"
#include "ui/shell/mainwindow.h"

#include <QApplication>
#include <QCommandLineParser>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace {

using latchkey::resp::Endpoint;

QString actorProgram()
{
    return QCoreApplication::applicationDirPath() + QStringLiteral("/latchkey-cli");
}

/// Whether only text is wanted, for which there need be no display.
bool asksForText(int argc, char **argv)
{
    return std::any_of(argv + 1, argv + argc, [](const char *word) {
        const QByteArrayView view(word);
        return view == "-h" || view == "--help" || view == "-v" || view == "--version";
    });
}

} // namespace

int main(int argc, char *argv[])
{
    if (asksForText(argc, argv))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    latchkey::base::ensureUtf8Locale();
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("latchkey"));
    QApplication::setApplicationDisplayName(QStringLiteral("Latchkey"));
    QApplication::setApplicationVersion(latchkey::base::programVersion());

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Watches the locks and expiring keys of a Redis server.\n\nExamples:\n  latchkey\n  latchkey "
                       "redis://127.0.0.1:6379/2\n  latchkey --demo"));
    parser.addPositionalArgument(
        QStringLiteral("url"),
        QStringLiteral("The server, redis://[user[:password]@]host[:port][/db] or unix:///path?db=N; else "
                       "LATCHKEY_URL, else the last one, else the local one."),
        QStringLiteral("[URL]"));
    const QCommandLineOption demo(QStringLiteral("demo"),
                                  QStringLiteral("Start a private server with a few clients at work."));
    parser.addOption(demo);
    parser.addHelpOption();
    parser.addVersionOption();
    parser.process(application);

    const auto refuse = [](const QString &message) {
        std::fprintf(stderr, "latchkey: %s\n", qPrintable(message));
        return 2;
    };
    if (parser.positionalArguments().size() > 1)
        return refuse(QStringLiteral("one URL at most"));
    const QString url = parser.positionalArguments().value(0, qEnvironmentVariable("LATCHKEY_URL"));
    std::optional<Endpoint> endpoint;
    if (!url.isEmpty()) {
        const auto read = Endpoint::fromUrl(url);
        if (!read)
            return refuse(read.error().message);
        endpoint = *read;
        if (endpoint->password.isEmpty())
            endpoint->password = qEnvironmentVariable("LATCHKEY_PASSWORD");
    }

    // Told to stop, it ends as when its window is closed: the private server and the clients go with it.
    const latchkey::base::UnixSignals unixSignals {SIGTERM, SIGINT, SIGHUP};
    QObject::connect(&unixSignals, &latchkey::base::UnixSignals::received, &application, &QApplication::quit);

    namespace shell = latchkey::ui::shell;
    shell::Settings settings;
    latchkey::ui::theme::Appearance appearance(application);
    appearance.setMode(settings.appearanceMode());
    shell::Workspace workspace(settings, actorProgram(), latchkey::base::SystemClock::instance(),
                               latchkey::base::SystemRandom::instance());
    shell::MainWindow window(workspace, appearance);
    window.show();
    if (parser.isSet(demo))
        workspace.openDemo();
    else if (endpoint)
        workspace.open(*endpoint);
    else
        workspace.openUsual();
    return QApplication::exec();
}

// latchkey: the program with the window.

#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/standarddescriptors.h"
#include "core/foundation/base/terminaltext.h"
#include "core/foundation/base/unixsignals.h"
#include "core/foundation/base/utf8locale.h"
#include "core/foundation/base/version.h"
#include "core/redis/net/password.h"
#include "ui/pages/recording/recordingwindow.h"
#include "ui/shell/shell/mainwindow.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QNetworkProxy>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace {

using latchkey::help::CommandLine;
using latchkey::net::Endpoint;

constexpr auto helpText = QT_TRANSLATE_NOOP(
    "CommandLine",
    "Usage: latchkey [--demo] [URL|FILE]\n"
    "\n"
    "Watches the locks and expiring keys of a Redis server.\n"
    "\n"
    "  URL            redis://[user[:password]@]host[:port][/db], the same with rediss:// for TLS, or "
    "unix:///path/to.sock?db=N; else LATCHKEY_URL, else the last one, else the local one. Behind rediss://host:port/db "
    "may stand ?cacert=FILE, cert=FILE, key=FILE, sni=NAME and pin=SHA256, joined by &. Behind any of them may stand "
    "ssh=[USER@]HOST[:PORT], for a server behind that host, or proxy=URL (socks5:// or http://).\n"
    "  FILE           a recording, see latchkey-cli replay --help: it is shown, and no server is opened\n"
    "\n"
    "Options:\n"
    "  --demo         start a private server with a few clients at work\n"
    "  -h, --help     print this help\n"
    "  -v, --version  print the version\n"
    "\n"
    "Environment:\n"
    "  LATCHKEY_URL           the server, where none is named here\n"
    "  LATCHKEY_PASSWORD      its password, where the URL has none\n"
    "  LATCHKEY_PROXY_PASSWORD  password of a proxy, if its URL has none\n"
    "  LATCHKEY_REDIS_SERVER  the program for a private server, else redis-server or valkey-server\n"
    "  COLUMNS                width of the help; default 80\n"
    "\n"
    "A password in the URL goes before LATCHKEY_PASSWORD; beside a different one in LATCHKEY_URL it is an error.\n"
    "\n"
    "Examples:\n"
    "  latchkey\n"
    "  latchkey redis://127.0.0.1:6379/2\n"
    "  latchkey 'redis://10.0.0.7:6379?ssh=me@jump.example'\n"
    "  latchkey bug.latchkey-recording\n"
    "  latchkey --demo\n");

QString actorProgram()
{
    return QCoreApplication::applicationDirPath() + QStringLiteral("/latchkey-cli");
}

/// Whether only text is requested, which needs no display.
bool asksForText(int argc, char **argv)
{
    return std::any_of(argv + 1, argv + argc, [](const char *word) {
        const QByteArrayView view(word);
        return view == "-h" || view == "--help" || view == "-v" || view == "--version";
    });
}

/// Whether the argument is a recording: an existing file, or a name with the suffix of recordings.
bool isRecording(const QString &typed)
{
    return !typed.contains(QLatin1String("://"))
        && (QFileInfo(typed).isFile() || typed.endsWith(QLatin1String(".latchkey-recording")));
}

} // namespace

int main(int argc, char *argv[])
{
    latchkey::base::occupyStandardDescriptors();
    latchkey::base::logAsTerminalText();
    if (asksForText(argc, argv))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const auto language = latchkey::language::environmentLanguage();
    latchkey::base::ensureUtf8Locale();
    QNetworkProxy::setApplicationProxy(QNetworkProxy::NoProxy);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("latchkey"));
    QApplication::setApplicationDisplayName(QStringLiteral("Latchkey"));
    QApplication::setApplicationVersion(latchkey::base::programVersion());

    latchkey::ui::i18n::LanguageSwitcher languageSwitcher(language);

    QCommandLineParser parser;
    parser.addPositionalArgument(QStringLiteral("url"), QString());
    const QCommandLineOption demo(QStringLiteral("demo"));
    parser.addOption(demo);
    parser.addHelpOption();
    parser.addVersionOption();
    const bool isParsed = parser.parse(QCoreApplication::arguments());

    const auto refuse = [](const QString &message) {
        std::fprintf(stderr, "latchkey: %s\n", qPrintable(latchkey::base::terminalText(message)));
        return 2;
    };
    if (!isParsed)
        return refuse(parser.errorText());
    if (parser.isSet(QStringLiteral("version")))
        parser.showVersion();
    if (parser.isSet(QStringLiteral("help")) || parser.isSet(QStringLiteral("help-all"))) {
        namespace help = latchkey::help;
        std::fputs(help::filled(CommandLine::tr(helpText), help::helpWidth()).toUtf8().constData(), stdout);
        return 0;
    }
    if (parser.positionalArguments().size() > 1)
        return refuse(CommandLine::tr("one URL or file at most"));
    const QString typed = parser.positionalArguments().value(0);
    const bool isFile = isRecording(typed);
    if (isFile && parser.isSet(demo))
        return refuse(CommandLine::tr("a recording needs no --demo"));
    const QString url = isFile ? QString() : typed.isEmpty() ? qEnvironmentVariable("LATCHKEY_URL") : typed;
    std::optional<Endpoint> endpoint;
    if (!url.isEmpty()) {
        const latchkey::net::PasswordSources passwords {!typed.isEmpty(), std::nullopt,
                                                        qEnvironmentVariable("LATCHKEY_PASSWORD"),
                                                        qEnvironmentVariable("LATCHKEY_PROXY_PASSWORD")};
        const auto read = Endpoint::fromUrl(url).and_then(
            [&](const Endpoint &there) { return latchkey::net::withPassword(there, passwords); });
        if (!read)
            return refuse(read.error().message());
        endpoint = *read;
    }

    // A signal has the same effect as closing the window: the private server and the clients end too.
    const latchkey::base::UnixSignals unixSignals {SIGTERM, SIGINT, SIGHUP};
    QObject::connect(&unixSignals, &latchkey::base::UnixSignals::received, &application, &QApplication::quit);

    namespace shell = latchkey::ui::shell;
    shell::Settings settings;
    languageSwitcher.choose(settings.languageChoice());
    latchkey::ui::theme::Appearance appearance(application);
    appearance.setMode(settings.appearanceMode());
    if (isFile) {
        latchkey::ui::recording::RecordingWindow recording(appearance);
        if (const auto opened = recording.open(typed); !opened)
            return refuse(opened.error().message());
        recording.show();
        return QApplication::exec();
    }
    shell::Workspace workspace(settings, actorProgram(), latchkey::base::SystemClock::instance(),
                               latchkey::base::SystemRandom::instance());
    shell::MainWindow window(workspace, appearance, languageSwitcher);
    window.show();
    window.welcome();
    if (parser.isSet(demo))
        workspace.openDemo();
    else if (endpoint)
        workspace.open(*endpoint);
    else
        workspace.openUsual();
    return QApplication::exec();
}

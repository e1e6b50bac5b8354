// latchkey: the program with the window.

#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "app/help/manualpage.h"
#include "app/help/versiontext.h"
#include "core/foundation/base/standarddescriptors.h"
#include "core/foundation/base/terminaltext.h"
#include "core/foundation/base/unixsignals.h"
#include "core/foundation/base/utf8locale.h"
#include "core/foundation/base/version.h"
#include "core/redis/net/password.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/pages/recording/recordingwindow.h"
#include "ui/pages/stories/openedscenario.h"
#include "ui/shell/shell/mainwindow.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QMessageBox>
#include <QNetworkProxy>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace {

using latchkey::help::CommandLine;
using latchkey::net::Endpoint;

constexpr auto helpText = QT_TRANSLATE_NOOP(
    "CommandLine",
    "Usage: latchkey [--demo] [--dialog] [URL|FILE]\n"
    "\n"
    "Watches the locks and expiring keys of a Redis server.\n"
    "\n"
    "  URL            redis://[user[:password]@]host[:port][/db], the same with rediss:// for TLS, or "
    "unix:///path/to.sock?db=N, or redis+sentinel://host[:port],host.../master[/db] with sentinels; else LATCHKEY_URL, "
    "else the last one, else the local one. Behind rediss://host:port/db "
    "may stand ?cacert=FILE, cert=FILE, key=FILE, sni=NAME and pin=SHA256, joined by &. Behind any of them may stand "
    "ssh=[USER@]HOST[:PORT], for a server behind that host, or proxy=URL (socks5:// or http://).\n"
    "  FILE           a recording, see latchkey-cli replay --help: it is shown, and no server is opened; or a story "
    "with a name that ends in .json, see latchkey-cli story --help: it is shown on the page Stories\n"
    "\n"
    "Options:\n"
    "  --demo         start a private server with a few clients at work\n"
    "  --dialog       show an error in a dialog too, for a start without a terminal\n"
    "  --man          print a page for man(1)\n"
    "  -h, --help     print this help\n"
    "  -v, --version  print the version\n"
    "\n"
    "Environment:\n"
    "  LATCHKEY_URL           the server, where none is named here\n"
    "  LATCHKEY_PASSWORD      its password, where the URL has none\n"
    "  LATCHKEY_PROXY_PASSWORD  password of a proxy, if its URL has none\n"
    "  LATCHKEY_SENTINEL_PASSWORD  password at the sentinels, if the URL has none\n"
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
    "  latchkey race.latchkey-story.json\n"
    "  latchkey --demo\n");

QString clientProgram()
{
    return QCoreApplication::applicationDirPath() + QStringLiteral("/latchkey-cli");
}

/// Returns whether only text is requested, which needs no display.
bool asksForText(int argc, char **argv)
{
    return std::any_of(argv + 1, argv + argc, [](const char *word) {
        const QByteArrayView view(word);
        return view == "-h" || view == "--help" || view == "--man" || view == "-v" || view == "--version";
    });
}

/// Returns whether the argument is a file: an existing file, or a name with the suffix of recordings or stories.
bool isFile(const QString &typed)
{
    return !typed.contains(QLatin1String("://"))
        && (QFileInfo(typed).isFile() || typed.endsWith(QLatin1String(".latchkey-recording"))
            || typed.endsWith(QLatin1String(".json"), Qt::CaseInsensitive));
}

/// The request of the command line: a recording, a story, the demonstration, or a server. By default, the usual server.
struct Request
{
    QString recording;
    QString story;
    bool isDemo = false;
    std::optional<Endpoint> endpoint;
};

latchkey::base::Result<Request> requestOf(const QCommandLineParser &parser)
{
    using latchkey::base::ErrorKind;
    using latchkey::base::failure;
    if (parser.positionalArguments().size() > 1)
        return failure(ErrorKind::Usage, CommandLine::tr("one URL or file at most"));
    const QString typed = parser.positionalArguments().value(0);
    Request request;
    request.isDemo = parser.isSet(QStringLiteral("demo"));
    if (isFile(typed)) {
        const bool isStory = typed.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
        if (request.isDemo)
            return failure(ErrorKind::Usage, isStory ? CommandLine::tr("a story needs no --demo")
                                                     : CommandLine::tr("a recording needs no --demo"));
        (isStory ? request.story : request.recording) = typed;
        return request;
    }
    const QString url = typed.isEmpty() ? qEnvironmentVariable("LATCHKEY_URL") : typed;
    if (url.isEmpty())
        return request;
    const latchkey::net::PasswordSources passwords {
        !typed.isEmpty(), std::nullopt, qEnvironmentVariable("LATCHKEY_PASSWORD"),
        qEnvironmentVariable("LATCHKEY_PROXY_PASSWORD"), qEnvironmentVariable("LATCHKEY_SENTINEL_PASSWORD")};
    const auto read = Endpoint::fromUrl(url).and_then(
        [&](const Endpoint &there) { return latchkey::net::withPassword(there, passwords); });
    if (!read)
        return latchkey::base::failure(read.error());
    request.endpoint = *read;
    return request;
}

void defineOptions(QCommandLineParser &parser)
{
    parser.addPositionalArgument(QStringLiteral("url"), QString());
    for (const char *name : {"demo", "dialog", "man"})
        parser.addOption(QCommandLineOption(QString::fromLatin1(name)));
    parser.addHelpOption();
    parser.addVersionOption();
}

/// Prints the requested text. Returns false if none is requested.
bool printText(const QCommandLineParser &parser)
{
    namespace help = latchkey::help;
    const QString text = CommandLine::tr(helpText);
    QString printed;
    if (parser.isSet(QStringLiteral("version"))) {
        printed = help::versionText(QStringLiteral("latchkey")) + u'\n';
    } else if (parser.isSet(QStringLiteral("man"))) {
        constexpr int width = 78;
        const QString usage = text.section(u'\n', 0, 0).section(QStringLiteral("latchkey "), 1);
        const QString summary = CommandLine::tr("watches the locks and expiring keys of a Redis server");
        printed = help::manualPage({QStringLiteral("latchkey"), summary, usage,
                                    help::manualBody(help::filled(text.section(QStringLiteral("\n\n"), 1), width))});
    } else if (parser.isSet(QStringLiteral("help")) || parser.isSet(QStringLiteral("help-all"))) {
        printed = help::filled(text, help::helpWidth());
    } else {
        return false;
    }
    std::fputs(printed.toUtf8().constData(), stdout);
    return true;
}

/// Prints why the program does not start, and shows a dialog if requested. Returns the exit code.
int refuse(const QString &message, bool withDialog)
{
    std::fprintf(stderr, "latchkey: %s\n", qPrintable(latchkey::base::terminalText(message)));
    if (withDialog) {
        QMessageBox box(QMessageBox::Critical, QStringLiteral("Latchkey"), latchkey::ui::widgets::sentence(message));
        box.setObjectName(QStringLiteral("refusal"));
        box.setTextFormat(Qt::PlainText);
        box.show();
        QApplication::exec();
    }
    return 2;
}

/// Shows the main window with the requested story, demonstration or server, until it is closed.
int showWindow(const Request &request, latchkey::ui::shell::Settings &settings,
               latchkey::ui::theme::Appearance &appearance, latchkey::ui::i18n::LanguageSwitcher &languageSwitcher)
{
    namespace shell = latchkey::ui::shell;
    shell::Workspace workspace(settings, clientProgram(), latchkey::base::SystemClock::instance(),
                               latchkey::base::SystemRandom::instance());
    shell::MainWindow window(workspace, appearance, languageSwitcher);
    window.show();
    window.welcome();
    if (request.isDemo)
        workspace.openDemo();
    else if (request.endpoint)
        workspace.open(*request.endpoint);
    else
        workspace.openUsual();
    if (!request.story.isEmpty())
        window.openStory(request.story);
    return QApplication::exec();
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
    defineOptions(parser);
    const bool isParsed = parser.parse(QCoreApplication::arguments());
    const bool withDialog = parser.isSet(QStringLiteral("dialog"));
    if (!isParsed)
        return refuse(parser.errorText(), withDialog);
    if (printText(parser))
        return 0;
    const auto request = requestOf(parser);
    if (!request)
        return refuse(request.error().message(), withDialog);

    // A signal has the same effect as closing the window: the private server and the clients end too.
    const latchkey::base::UnixSignals unixSignals {SIGTERM, SIGINT, SIGHUP};
    QObject::connect(&unixSignals, &latchkey::base::UnixSignals::received, &application, &QApplication::quit);

    latchkey::ui::shell::Settings settings;
    languageSwitcher.choose(settings.languageChoice());
    latchkey::ui::theme::Appearance appearance(application);
    appearance.setMode(settings.appearanceMode());
    if (!request->recording.isEmpty()) {
        latchkey::ui::recording::RecordingWindow recording(appearance);
        if (const auto opened = recording.open(request->recording); !opened)
            return refuse(opened.error().message(), withDialog);
        recording.show();
        return QApplication::exec();
    }
    if (!request->story.isEmpty()) {
        if (const auto scenario = latchkey::ui::stories::openScenario(request->story); !scenario)
            return refuse(scenario.error().message(), withDialog);
    }
    return showWindow(*request, settings, appearance, languageSwitcher);
}

#include "tests/support/keychainsetup.h"

#include "tests/support/await.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>

#include <cstdlib>

namespace latchkey::test {

namespace {

/// Folder into which tests/run unpacks Debian's gnome-keyring. Installing the package would start a service at the next
/// login.
const QString unpackedKeyring = QStringLiteral(LATCHKEY_SOURCE_DIR "/build/gnome-keyring");
const char *const bedVariable = "LATCHKEY_KEYCHAIN_BED";
const char *const daemonVariable = "LATCHKEY_KEYCHAIN_DAEMON";

bool write(const QString &path, const QByteArray &content)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

QString findDaemon()
{
    const QString program = QStringLiteral("/usr/bin/gnome-keyring-daemon");
    for (const QString &place : {program, unpackedKeyring + program}) {
        if (QFile::exists(place))
            return place;
    }
    return {};
}

/// Returns the library path for the unpacked daemon: the folders of its package, then the current LD_LIBRARY_PATH.
QByteArray keyringLibraries()
{
    QByteArray places;
    for (const QString &place : {QStringLiteral("/lib/"), QStringLiteral("/usr/lib/")}) {
        for (const QString &folder :
             QDir(unpackedKeyring + place)
                 .entryList({QStringLiteral("*-linux-gnu*")}, QDir::Dirs | QDir::NoDotAndDotDot))
            places += (unpackedKeyring + place + folder + u':').toUtf8();
    }
    return places + qgetenv("LD_LIBRARY_PATH");
}

/// Returns the environment of this process with these variables set or removed.
QProcessEnvironment with(const QList<process::Launch::Variable> &variables)
{
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const process::Launch::Variable &variable : variables) {
        if (variable.value)
            environment.insert(QString::fromUtf8(variable.name), QString::fromUtf8(*variable.value));
        else
            environment.remove(QString::fromUtf8(variable.name));
    }
    return environment;
}

bool succeeds(const QString &program, const QStringList &arguments, const QProcessEnvironment &environment,
              const QByteArray &expected = {})
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    return process.waitForFinished() && process.exitCode() == 0 && process.readAllStandardOutput().contains(expected);
}

bool locks(const QProcessEnvironment &environment)
{
    return succeeds(QStringLiteral("dbus-send"),
                    {QStringLiteral("--print-reply"), QStringLiteral("--dest=org.freedesktop.secrets"),
                     QStringLiteral("/org/freedesktop/secrets"), QStringLiteral("org.freedesktop.Secret.Service.Lock"),
                     QStringLiteral("array:objpath:/org/freedesktop/secrets/aliases/default")},
                    environment);
}

} // namespace

KeychainSetup::KeychainSetup(Kind kind)
{
    if (findDaemon().isEmpty() || QStandardPaths::findExecutable(QStringLiteral("dbus-daemon")).isEmpty()
        || QStandardPaths::findExecutable(QStringLiteral("dbus-send")).isEmpty())
        m_obstacle = QStringLiteral("there is no keychain or no message bus here; tests/run installs Debian's "
                                    "dbus-daemon and unpacks its gnome-keyring");
    else if (!startBus())
        m_obstacle = QStringLiteral("dbus-daemon does not start here: %1").arg(QString::fromUtf8(m_bus.output()));
    else if (kind != Kind::NoService && !startDaemon(kind))
        m_obstacle =
            QStringLiteral("gnome-keyring-daemon does not start here: %1").arg(QString::fromUtf8(m_daemon.output()));
}

QList<process::Launch::Variable> KeychainSetup::environment() const
{
    const QByteArray folder = QFile::encodeName(m_folder.path());
    return {{"DBUS_SESSION_BUS_ADDRESS", "unix:path=" + folder + "/bus"},
            {"XDG_RUNTIME_DIR", folder},
            {"XDG_CURRENT_DESKTOP", std::nullopt},
            {"KDE_FULL_SESSION", std::nullopt},
            {"DISPLAY", std::nullopt},
            {"WAYLAND_DISPLAY", std::nullopt}};
}

bool KeychainSetup::startBus()
{
    const QString configuration = m_folder.filePath(QStringLiteral("bus.conf"));
    // The bus starts no services, so that no program can prompt the user.
    if (!write(configuration, "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\"\n"
                              " \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n"
                              "<busconfig><type>session</type><listen>unix:path="
                                  + QFile::encodeName(m_folder.path())
                                  + "/bus</listen><auth>EXTERNAL</auth><policy context=\"default\">"
                                    "<allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/>"
                                    "<allow own=\"*\"/></policy></busconfig>\n"))
        return false;
    process::Launch launch;
    launch.words = {"dbus-daemon", "--nofork", "--config-file=" + QFile::encodeName(configuration)};
    launch.input = process::Launch::Channel::Nothing;
    launch.output = process::Launch::Channel::Piped;
    launch.errors = process::Launch::Errors::WithOutput;
    return m_bus.start(launch)
        && waitFor([this] { return QFile::exists(m_folder.filePath(QStringLiteral("bus"))) || !m_bus.isRunning(); })
        && m_bus.isRunning();
}

bool KeychainSetup::startDaemon(Kind kind)
{
    const QString password = m_folder.filePath(QStringLiteral("password"));
    if (!write(password, "open"))
        return false;
    process::Launch launch;
    // The shell replaces its process by the daemon. The daemon reads the password from standard input to its end.
    launch.words = {"sh",
                    "-c",
                    "exec \"$0\" \"$@\" < '" + QFile::encodeName(password) + '\'',
                    QFile::encodeName(findDaemon()),
                    "--foreground",
                    "--components=secrets"};
    if (kind == Kind::Open)
        launch.words += "--unlock";
    launch.environment = environment();
    launch.environment += {{"LD_LIBRARY_PATH", keyringLibraries()},
                           {"HOME", QFile::encodeName(m_folder.path())},
                           {"XDG_DATA_HOME", QFile::encodeName(m_folder.path()) + "/data"}};
    launch.input = process::Launch::Channel::Nothing;
    launch.output = process::Launch::Channel::Piped;
    launch.errors = process::Launch::Errors::WithOutput;
    launch.hasOwnGroup = true;
    if (!m_daemon.start(launch))
        return false;
    qputenv(daemonVariable, QByteArray::number(m_daemon.id()));
    return waitFor([this] {
               return !m_daemon.isRunning()
                   || succeeds(QStringLiteral("dbus-send"),
                               {QStringLiteral("--print-reply"), QStringLiteral("--dest=org.freedesktop.DBus"),
                                QStringLiteral("/"), QStringLiteral("org.freedesktop.DBus.NameHasOwner"),
                                QStringLiteral("string:org.freedesktop.secrets")},
                               with(environment()), "true");
           })
        && m_daemon.isRunning();
}

QString KeychainSetup::obstacleHere()
{
    return qEnvironmentVariable(bedVariable);
}

bool KeychainSetup::lock() const
{
    return locks(with(environment()));
}

bool KeychainSetup::lockHere()
{
    return locks(QProcessEnvironment::systemEnvironment());
}

pid_t KeychainSetup::daemonHere()
{
    return qEnvironmentVariableIntValue(daemonVariable);
}

void rerunInKeychainSetup()
{
    if (qEnvironmentVariableIsSet(bedVariable))
        return;
    int exitCode = 1;
    {
        char name[] = "bed";
        char *words[] = {name, nullptr};
        int count = 1;
        const QCoreApplication application(count, words);
        QFile commandLine(QStringLiteral("/proc/self/cmdline"));
        if (!commandLine.open(QIODevice::ReadOnly))
            qFatal("there is no /proc");
        const KeychainSetup setup;
        process::Launch launch;
        launch.words = commandLine.readAll().chopped(1).split('\0');
        launch.words.front() = "/proc/self/exe";
        launch.environment = setup.environment();
        launch.environment.append({bedVariable, setup.obstacle().toUtf8()});
        process::Child test;
        // The caller limits the time of a test.
        if (test.start(launch) && waitFor([&test] { return !test.isRunning(); }, std::chrono::hours(24)))
            exitCode = test.exitCode();
    }
    std::exit(exitCode);
}

} // namespace latchkey::test

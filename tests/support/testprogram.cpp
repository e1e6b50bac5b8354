#include "tests/support/testprogram.h"

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace latchkey::test {

namespace {

struct Registered
{
    QByteArray name;
    TestClass::Run run;
};

struct Role
{
    ProgramRole::IsMeant isMeant;
    ProgramRole::Run run;
};

/// Returns the registered classes. The list is filled before main() begins, in an order that the linker chooses.
std::vector<Registered> &registeredClasses()
{
    static std::vector<Registered> classes;
    return classes;
}

std::vector<Role> &roles()
{
    static std::vector<Role> all;
    return all;
}

void list(std::FILE *file)
{
    for (const Registered &each : registeredClasses())
        std::fprintf(file, "%s\n", each.name.constData());
}

/// Runs each class in a separate process, so that a crash does not end the other classes.
int runAll(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    QByteArrayList failed;
    for (const Registered &each : registeredClasses()) {
        QProcess process;
        process.setProcessChannelMode(QProcess::ForwardedChannels);
        process.start(QCoreApplication::applicationFilePath(), {QString::fromLatin1(each.name)});
        process.waitForFinished(-1);
        if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
            failed += process.exitStatus() == QProcess::NormalExit ? each.name : each.name + " (crashed)";
    }
    std::printf("%zu classes, %lld failed%s%s\n", registeredClasses().size(), static_cast<long long>(failed.size()),
                failed.isEmpty() ? "" : ": ", failed.join(", ").constData());
    return failed.isEmpty() ? 0 : 1;
}

/// Returns whether the time after which tests/run begins no test class is over: LATCHKEY_TESTS_END, in seconds of Unix
/// time.
bool isTooLate()
{
    bool isSet = false;
    const qint64 end = qEnvironmentVariable("LATCHKEY_TESTS_END").toLongLong(&isSet);
    return isSet && std::time(nullptr) >= end;
}

int runProgram(int argc, char **argv)
{
    for (const Role &role : roles()) {
        if (role.isMeant(argc, argv))
            return role.run(argc, argv);
    }
    std::ranges::sort(registeredClasses(), {}, &Registered::name);
    if (argc < 2)
        return runAll(argc, argv);
    const QByteArray name(argv[1]);
    if (name == "--list") {
        list(stdout);
        return 0;
    }
    const auto found = std::ranges::find(registeredClasses(), name, &Registered::name);
    if (found == registeredClasses().end()) {
        std::fprintf(stderr, "%s: there is no test class %s; the classes are:\n", argv[0], name.constData());
        list(stderr);
        return 2;
    }
    if (isTooLate()) {
        std::fprintf(stderr, "%s: not begun: the time for the tests is over\n", name.constData());
        return TestClass::notBegun;
    }
    // Keeps tests and their programs away from the user's settings. Static, so that std::exit() removes the folder too.
    static const QTemporaryDir settings;
    if (!settings.isValid() || !qputenv("XDG_CONFIG_HOME", QFile::encodeName(settings.path()))) {
        std::fprintf(stderr, "%s: there is no place for settings: %s\n", argv[0], qPrintable(settings.errorString()));
        return 2;
    }
    std::rotate(argv + 1, argv + 2, argv + argc); // Qt Test reads the remaining arguments.
    argv[argc - 1] = nullptr;
    return found->run(argc - 1, argv);
}

} // namespace

TestClass::TestClass(const char *file, Run run)
{
    const QString name = QFileInfo(QString::fromLocal8Bit(file)).baseName();
    registeredClasses().push_back({name.mid(name.indexOf(u'_') + 1).toLatin1(), run});
}

ProgramRole::ProgramRole(IsMeant isMeant, Run run)
{
    roles().push_back({std::move(isMeant), std::move(run)});
}

} // namespace latchkey::test

int main(int argc, char **argv)
{
    return latchkey::test::runProgram(argc, argv);
}

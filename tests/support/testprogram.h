#pragma once

#include <QCoreApplication>
#include <QTest>

#ifdef QT_WIDGETS_LIB
#include <QApplication>
#endif

#include <functional>

/// A test program with the test classes of one folder. One process runs one class.
///
///     tst_events tracker [argument of Qt Test]...   one class, by the name of its file without tst_
///     tst_events --list                              the names of all classes
///     tst_events                                     all classes, each in a separate process
///
/// Each file of a folder registers its class with one of the macros below. All other names of the file are in a
/// namespace with the file's name, so that all files of the folder can be compiled together. main() is in the support
/// library.
namespace latchkey::test {

/// The registration of a test class in the program of its folder. The macros define one static object per class.
class TestClass final
{
public:
    using Run = int (*)(int argc, char **argv);

    /// Exit code of a class that was not run; see LATCHKEY_TESTS_END. Qt Test returns at most 127.
    static constexpr int notBegun = 200;

    /// Registers a class. `file`: path of the source, from which the class gets its name.
    TestClass(const char *file, Run run);
};

/// Another role of the test program, in which a test starts the program as a process.
class ProgramRole final
{
public:
    using IsMeant = std::function<bool(int argc, char **argv)>;
    using Run = std::function<int(int argc, char **argv)>;

    /// Registers a role. `isMeant`: returns whether the process was started for this role; called before anything else.
    ProgramRole(IsMeant isMeant, Run run);
};

/// Runs the class with an application of the given type, as QTEST_MAIN does. Calls the static initMain() of the class
/// first, if it exists.
template<typename Test, typename Application>
int runTestClass(int argc, char **argv)
{
    if constexpr (requires { Test::initMain(); })
        Test::initMain();
    Application application(argc, argv);
    Application::setAttribute(Qt::AA_Use96Dpi, true);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace latchkey::test

#define LATCHKEY_REGISTER_TEST(Class, Application) \
    const latchkey::test::TestClass registeredClass(__FILE__, &latchkey::test::runTestClass<Class, Application>);

/// Registers a test class that needs an event loop and no window. Must be in the namespace of its file.
#define LATCHKEY_TEST(Class) LATCHKEY_REGISTER_TEST(Class, QCoreApplication)
/// Registers a test class that needs windows. Only for programs that link Qt Widgets.
#define LATCHKEY_WINDOW_TEST(Class) LATCHKEY_REGISTER_TEST(Class, QApplication)

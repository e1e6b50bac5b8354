#pragma once

#include <QCoreApplication>
#include <QTest>

#ifdef QT_WIDGETS_LIB
#include <QApplication>
#endif

#include <functional>

/// A test program: the test classes of one folder, of which a process runs one.
///
///     tst_keyspace ledger [argument of Qt Test]...   one class, by the name of its file without tst_
///     tst_keyspace --list                            the names of all classes
///     tst_keyspace                                   all classes, each in a process of its own
///
/// Each file of a folder registers its class with one of the macros below, and holds the rest in a namespace with the
/// file's name, so that all files of the folder can be compiled together. main() is in the support library.
namespace latchkey::test {

/// A test class as the program of its folder knows it. A static object for each; made by the macros.
class TestClass final
{
public:
    using Run = int (*)(int argc, char **argv);

    /// `file`: path of the source, which gives the class its name.
    TestClass(const char *file, Run run);
};

/// Another job of the test program, for which a test starts it as a process.
class ProgramRole final
{
public:
    using IsMeant = std::function<bool(int argc, char **argv)>;
    using Run = std::function<int(int argc, char **argv)>;

    /// `isMeant`: whether the process was started for this job. Asked before anything else.
    ProgramRole(IsMeant isMeant, Run run);
};

/// Runs the class with an application of the type, as QTEST_MAIN does: after its static initMain(), where it has one.
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

/// Registers a test class that needs an event loop and no window. Stands in the namespace of its file.
#define LATCHKEY_TEST(Class) LATCHKEY_REGISTER_TEST(Class, QCoreApplication)
/// Registers a test class that needs windows. Only for programs that link Qt Widgets.
#define LATCHKEY_WINDOW_TEST(Class) LATCHKEY_REGISTER_TEST(Class, QApplication)

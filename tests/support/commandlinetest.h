#pragma once

#include "tests/support/outcome.h"
#include "tests/support/testserver.h"

#include <QObject>
#include <QProcessEnvironment>

namespace latchkey::test {

/// latchkey-cli as a script uses it: the base of tests that run it on a server of its own.
///
/// Each test function gets a fresh server, and an environment that names it and nothing else of what latchkey-cli reads
/// there. While a program runs, so does the event loop, so that the test may serve it.
class CommandLineTest : public QObject
{
    Q_OBJECT

protected:
    /// latchkey-cli with these arguments. input: its standard input.
    Outcome run(const QStringList &arguments, const QByteArray &input = {}) const;
    /// Words as in a shell, cut at spaces.
    Outcome run(const char *words, const QByteArray &input = {}) const;
    Outcome runProgram(const QString &program, const QStringList &arguments, const QByteArray &input = {}) const;

    std::unique_ptr<TestServer> server;
    QProcessEnvironment environment;

protected Q_SLOTS:
    void init();
    void cleanup();
};

} // namespace latchkey::test

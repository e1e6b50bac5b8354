#pragma once

#include "tests/support/outcome.h"
#include "tests/support/testserver.h"

#include <QObject>
#include <QProcessEnvironment>

namespace latchkey::test {

/// The base class of tests that run latchkey-cli as a script does, on a private server.
///
/// Each test function gets a new server. The environment contains the server's URL. The variables for a lock, a
/// password and the terminal width are removed. The event loop runs while a program runs, so that the test can serve
/// the program.
class CommandLineTest : public QObject
{
    Q_OBJECT

protected:
    /// Runs latchkey-cli with these arguments. `input` is its standard input.
    Outcome run(const QStringList &arguments, const QByteArray &input = {}) const;
    /// Runs latchkey-cli with the arguments in `words`, split at spaces.
    Outcome run(const char *words, const QByteArray &input = {}) const;
    /// Returns the token of a lock: 32 characters that end with the number.
    [[nodiscard]] static QByteArray token(int number) { return QByteArray::number(number).rightJustified(32, 'a'); }
    Outcome runProgram(const QString &program, const QStringList &arguments, const QByteArray &input = {}) const;

    std::unique_ptr<TestServer> server;
    QProcessEnvironment environment;

protected Q_SLOTS:
    void init();
    void cleanup();
};

} // namespace latchkey::test

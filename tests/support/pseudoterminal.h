#pragma once

#include <QProcess>
#include <QTest>

namespace latchkey::test {

/// Skips the test if no pseudo-terminal is available, as in a folder made by debootstrap.
#define LATCHKEY_NEEDS_TERMINAL()                       \
    if (!latchkey::test::PseudoTerminal::isAvailable()) \
    QSKIP("this machine has no pseudo-terminals: /dev/pts is not mounted")

/// A terminal without a user: the program reads the input of the test, and its output is kept. The started process
/// leads a separate session with this terminal as its controlling terminal, as after a login.
class PseudoTerminal final
{
public:
    [[nodiscard]] static bool isAvailable();

    PseudoTerminal();
    ~PseudoTerminal();
    Q_DISABLE_COPY_MOVE(PseudoTerminal)

    void start(const QProcessEnvironment &environment, const QString &folder, const QString &program,
               const QStringList &arguments);
    /// Starts an interactive shell with job control and without any user's settings.
    void startShell(const QProcessEnvironment &environment, const QString &folder);

    void type(const QByteArray &text);
    /// Returns all output so far, including echoed input.
    [[nodiscard]] const QByteArray &output();
    [[nodiscard]] QProcess &process() { return m_process; }

private:
    int m_master;
    QByteArray m_output;
    QProcess m_process;
};

} // namespace latchkey::test

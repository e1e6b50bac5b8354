#pragma once

#include <QProcess>
#include <QTest>

namespace latchkey::test {

/// Skips the test where there is no pseudo-terminal to be had, as in a folder made by debootstrap.
#define LATCHKEY_NEEDS_TERMINAL()                       \
    if (!latchkey::test::PseudoTerminal::isAvailable()) \
    QSKIP("this machine has no pseudo-terminals: /dev/pts is not mounted")

/// A terminal that nobody sits at: what the test types goes to its reader, and what is written there is kept.
/// The process started on it leads a session of its own, with this as its controlling terminal, as a login does.
class PseudoTerminal final
{
public:
    [[nodiscard]] static bool isAvailable();

    PseudoTerminal();
    ~PseudoTerminal();
    Q_DISABLE_COPY_MOVE(PseudoTerminal)

    void start(const QProcessEnvironment &environment, const QString &folder, const QString &program,
               const QStringList &arguments);
    /// An interactive shell with job control, without anybody's settings.
    void startShell(const QProcessEnvironment &environment, const QString &folder);

    void type(const QByteArray &text);
    /// Everything that has been written so far, what was typed and echoed included.
    [[nodiscard]] const QByteArray &output();
    [[nodiscard]] QProcess &process() { return m_process; }

private:
    int m_master;
    QByteArray m_output;
    QProcess m_process;
};

} // namespace latchkey::test

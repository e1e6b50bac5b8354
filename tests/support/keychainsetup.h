#pragma once

#include "core/foundation/process/child.h"

#include <QTemporaryDir>

namespace latchkey::test {

/// A private desktop keychain: a message bus with a gnome-keyring-daemon that no other program uses.
///
/// Runs the real programs in a private folder without a desktop. No program can ask a user to unlock the keychain, so a
/// locked keychain refuses all requests. A program connects to its session bus only once and may be ended when the bus
/// ends. Therefore a test that uses the keychain directly runs as a child of a process that owns this object: see
/// rerunInKeychainSetup().
class KeychainSetup final
{
public:
    /// The state of the keychain: unlocked, a bus without a keychain, or a keychain that was never unlocked.
    enum class Kind : quint8 { Open, NoService, NeverUnlocked };

    explicit KeychainSetup(Kind kind = Kind::Open);

    /// Returns the reason why the keychain is not available. Empty if it is. To be called first.
    [[nodiscard]] QString obstacle() const { return m_obstacle; }
    /// Returns the variables that direct a program to this keychain.
    [[nodiscard]] QList<process::Launch::Variable> environment() const;
    void endBus() { m_bus.kill(); }
    /// Locks the keychain. Returns false if that fails.
    [[nodiscard]] bool lock() const;

    // Functions for a test that runs within such a setup.

    /// Returns the reason why this process has no private keychain. Empty if it has one.
    [[nodiscard]] static QString obstacleHere();
    /// Locks the keychain permanently: no program can unlock it again. Must be the last use of the keychain in such a
    /// test.
    [[nodiscard]] static bool lockHere();
    /// Returns the process ID of the daemon.
    [[nodiscard]] static pid_t daemonHere();

private:
    [[nodiscard]] bool startBus();
    [[nodiscard]] bool startDaemon(Kind kind);

    QTemporaryDir m_folder;
    QString m_obstacle;
    process::Child m_bus;
    process::Child m_daemon;
};

/// Runs this program again with a private keychain, waits for it and exits with its exit code. Returns at once if the
/// process already has one. Must be called by a test's initMain(), before an application exists.
void rerunInKeychainSetup();

} // namespace latchkey::test

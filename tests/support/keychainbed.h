#pragma once

#include "core/children/child.h"

#include <QTemporaryDir>

namespace latchkey::test {

/// A desktop's keychain of our own: a message bus, and a gnome-keyring-daemon on it that nobody else speaks to.
///
/// The real programs, in a folder of their own, without a desktop: nothing can ask anybody to unlock it, so that a
/// locked one refuses. A program connects to its bus once and for all, and may be ended when that goes; so a test that
/// uses the keychain itself runs as a child of one that has the bed: see
/// goOnInKeychainBed().
class KeychainBed final
{
public:
    /// Unlocked; a bus without a keychain; or a keychain that nobody has ever unlocked.
    enum class Kind : quint8 { Open, NoService, NeverUnlocked };

    explicit KeychainBed(Kind kind = Kind::Open);

    /// Why there is none; empty where there is one. Ask before anything else.
    [[nodiscard]] QString obstacle() const { return m_obstacle; }
    /// What leads a program to this keychain.
    [[nodiscard]] QList<children::Launch::Variable> environment() const;
    void endBus() { m_bus.kill(); }
    [[nodiscard]] bool lock() const;

    // For a test that runs in a bed.

    /// Why it has none; empty where it has one.
    [[nodiscard]] static QString obstacleHere();
    /// For good: nothing here can unlock it again. To be the last that such a test does.
    [[nodiscard]] static bool lockHere();
    /// The daemon's process.
    [[nodiscard]] static pid_t daemonHere();

private:
    [[nodiscard]] bool startBus();
    [[nodiscard]] bool startDaemon(Kind kind);

    QTemporaryDir m_folder;
    QString m_obstacle;
    children::Child m_bus;
    children::Child m_daemon;
};

/// Goes on in a bed: this very program, run there, in whose place this process then only waits and ends. To be called
/// by a test's initMain(), before there is an application.
void goOnInKeychainBed();

} // namespace latchkey::test

#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::base {

/// A converter of Unix signals into a Qt signal. A terminated process then cleans up in the same way as after its
/// window was closed. One per process at a time; owned by main(). Signals that are not watched keep their default
/// action.
class UnixSignals final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(UnixSignals)

public:
    /// `numbers`: SIGTERM, SIGINT …; see watch().
    UnixSignals(std::initializer_list<int> numbers);
    ~UnixSignals() override;

    /// Watches another signal. A signal that was ignored at the start of the process stays ignored, as nohup requires.
    void watch(int number);

    /// Removes and returns the next signal that was not emitted yet; absent if there is none. For callers without an
    /// event loop.
    [[nodiscard]] std::optional<int> take();

Q_SIGNALS:
    void received(int number);

private:
    static void handle(int number);
    void read();

    std::vector<int> m_numbers;
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace latchkey::base

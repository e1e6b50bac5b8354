#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::base {

/// Turns signals sent to the process into a Qt signal, so that it can end as tidily when it is told to stop as when its
/// window is closed.
/// One per process at a time; owned by main(). What it has not been asked to watch keeps its default.
class UnixSignals final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(UnixSignals)

public:
    /// numbers: SIGTERM, SIGINT …; see watch().
    UnixSignals(std::initializer_list<int> numbers);
    ~UnixSignals() override;

    /// This one as well. A signal that the process was started to ignore stays ignored: nohup asks for that.
    void watch(int number);

    /// The next one that has come and not been emitted, for callers that run no event loop; nothing where there is
    /// none.
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

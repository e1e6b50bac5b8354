#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <memory>
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
    /// numbers: SIGTERM, SIGINT …
    explicit UnixSignals(std::initializer_list<int> numbers);
    ~UnixSignals() override;

Q_SIGNALS:
    void received(int number);

private:
    static void handle(int number);
    void read();

    const std::vector<int> m_numbers;
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace latchkey::base

#pragma once

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QEvent>
#include <QTest>
#include <QTimer>

#include <chrono>

namespace latchkey::test {

/// Runs the event loop until the condition is true, for at most so long; whether it came true. It looks after every
/// round of events: QTest::qWaitFor sleeps for 10 ms in between, which is much for a hundred round trips.
template<typename Condition>
bool waitFor(Condition &&condition, std::chrono::milliseconds longest = std::chrono::seconds(60))
{
    const QDeadlineTimer deadline(longest);
    QTimer awake; // What is waited for may send no event: a file, or another process.
    awake.setTimerType(Qt::PreciseTimer);
    awake.start(std::chrono::milliseconds(5));
    while (!condition()) {
        if (deadline.hasExpired())
            return false;
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    return true;
}

} // namespace latchkey::test

/// Fails the test unless the condition comes true while the event loop runs. The time is a bound for machines in
/// trouble, not a measure: on a healthy one nothing waits anywhere near as long.
#define LATCHKEY_AWAIT(condition) \
    QVERIFY2(latchkey::test::waitFor([&] { return static_cast<bool>(condition); }), #condition " did not come true")

/// Fails the test, with the error's message, where a base::Result has no value.
#define LATCHKEY_VERIFY_RESULT(result)                                                                      \
    do {                                                                                                    \
        const auto &verified = (result);                                                                    \
        QVERIFY2(verified.has_value(), verified.has_value() ? "" : qPrintable(verified.error().message())); \
    } while (false)

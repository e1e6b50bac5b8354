#pragma once

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QEvent>
#include <QTest>
#include <QTimer>

#include <chrono>

namespace latchkey::test {

/// Runs the event loop until the condition is true or the time limit is over. Returns whether the condition became
/// true. Checks the condition after every round of events: QTest::qWaitFor sleeps 10 ms between two checks, which is
/// too slow for a hundred round trips.
template<typename Condition>
bool waitFor(Condition &&condition, std::chrono::milliseconds longest = std::chrono::seconds(60))
{
    const QDeadlineTimer deadline(longest);
    QTimer awake; // Wakes up the loop, because the awaited change may send no event: a file, or another process.
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

/// Fails the test unless the condition becomes true while the event loop runs. The time limit only protects against a
/// hanging machine: on a healthy machine no wait takes nearly that long.
#define LATCHKEY_AWAIT(condition) \
    QVERIFY2(latchkey::test::waitFor([&] { return static_cast<bool>(condition); }), #condition " did not come true")

/// Fails the test with the error's message if a base::Result has no value.
#define LATCHKEY_VERIFY_RESULT(result)                                                                      \
    do {                                                                                                    \
        const auto &verified = (result);                                                                    \
        QVERIFY2(verified.has_value(), verified.has_value() ? "" : qPrintable(verified.error().message())); \
    } while (false)

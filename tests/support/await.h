#pragma once

#include <QTest>

#include <chrono>

/// Fails the test unless the condition comes true while the event loop runs. The time is a bound for machines in
/// trouble, not a measure: on a healthy one nothing waits anywhere near as long.
#define LATCHKEY_AWAIT(condition) \
    QVERIFY2(QTest::qWaitFor([&] { return static_cast<bool>(condition); }, 30'000), #condition " did not come true")

/// Fails the test, with the error's message, where a base::Result has no value.
#define LATCHKEY_VERIFY_RESULT(result)                                                                      \
    do {                                                                                                    \
        const auto &verified = (result);                                                                    \
        QVERIFY2(verified.has_value(), verified.has_value() ? "" : qPrintable(verified.error().message())); \
    } while (false)

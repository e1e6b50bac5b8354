#pragma once

#include "core/foundation/base/clock.h"

#include <QByteArray>
#include <QString>

#include <chrono>
#include <vector>

namespace latchkey::files {

/// One test case of a JUnit report. A value.
struct JUnitCase
{
    enum class Outcome : quint8 {
        Passed,
        Failed,  ///< The checked statement is false.
        Errored, ///< The truth of the statement is unknown.
        Skipped, ///< The statement was not checked, or its result does not count.
    };

    QString className;
    QString name;
    std::chrono::nanoseconds time {};
    Outcome outcome = Outcome::Passed;
    QString type;       ///< Machine-readable reason; empty: none.
    QString message {}; ///< Reason as one line.
    QString details {}; ///< Further lines; empty: none.
};

/// One test suite of a JUnit report. A value.
struct JUnitSuite
{
    QString name;
    QString hostname; ///< Address of the server; empty: none.
    base::WallTime began;
    std::chrono::nanoseconds time {};
    std::vector<JUnitCase> cases;
};

/// Writes JUnit XML for continuous integration. Characters that XML cannot contain are written as \uNNNN.
[[nodiscard]] QByteArray toJUnit(const std::vector<JUnitSuite> &suites);

} // namespace latchkey::files

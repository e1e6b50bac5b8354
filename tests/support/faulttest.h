#pragma once

#include "tests/support/faults.h"
#include "tests/support/outcome.h"

#include <QObject>

namespace latchkey::test {

/// Base of tests that hold latchkey-cli against a table of faults: each command says what it could not see, in a
/// sentence and by its exit code, and none takes what it could not see for nothing.
///
/// All commands run side by side on one server, because most of their time is waiting.
class FaultTest : public QObject
{
    Q_OBJECT

protected:
    explicit FaultTest(std::vector<Fault> faults);

private Q_SLOTS:
    void everyCommand_saysWhatItCouldNotSee_data();
    void everyCommand_saysWhatItCouldNotSee();

private:
    const std::vector<Fault> m_faults;
};

} // namespace latchkey::test

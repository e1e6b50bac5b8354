#pragma once

#include "tests/support/faults.h"
#include "tests/support/outcome.h"

#include <QObject>

namespace latchkey::test {

/// Base class of tests that run latchkey-cli against a table of faults. Each command must report the missing data by a
/// message and its exit code. No command may treat unseen keys as absent.
///
/// All commands of a test run in parallel on one server, because they mostly wait.
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

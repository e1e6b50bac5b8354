#include "tests/support/faulttest.h"
#include "tests/support/testprogram.h"

namespace tst_faults {

using namespace latchkey;

/// Tests with servers that do not accept a connection.
class TestFaults final : public test::FaultTest
{
    Q_OBJECT

public:
    TestFaults()
        : FaultTest(test::faultsOfConnecting())
    {}
};

LATCHKEY_TEST(TestFaults)

} // namespace tst_faults

#include "tst_faults.moc"

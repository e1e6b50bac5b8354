#include "tests/support/faulttest.h"
#include "tests/support/testprogram.h"

namespace tst_faults {

using namespace latchkey;

/// Servers to which no connection comes about.
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

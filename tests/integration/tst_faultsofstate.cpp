#include "tests/support/faulttest.h"
#include "tests/support/testprogram.h"

namespace tst_faultsofstate {

using namespace latchkey;

/// Tests with servers in a state in which they refuse commands or answer slowly.
class TestFaultsOfState final : public test::FaultTest
{
    Q_OBJECT

public:
    TestFaultsOfState()
        : FaultTest(test::faultsOfState())
    {}
};

LATCHKEY_TEST(TestFaultsOfState)

} // namespace tst_faultsofstate

#include "tst_faultsofstate.moc"

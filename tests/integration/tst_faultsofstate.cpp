#include "tests/support/faulttest.h"
#include "tests/support/testprogram.h"

namespace tst_faultsofstate {

using namespace latchkey;

/// Servers in a state in which they refuse or are slow.
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

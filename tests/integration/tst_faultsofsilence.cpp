#include "tests/support/faulttest.h"
#include "tests/support/testprogram.h"

namespace tst_faultsofsilence {

using namespace latchkey;

/// Tests with servers that do not answer, or answer too slowly.
class TestFaultsOfSilence final : public test::FaultTest
{
    Q_OBJECT

public:
    TestFaultsOfSilence()
        : FaultTest(test::faultsOfSilence())
    {}
};

LATCHKEY_TEST(TestFaultsOfSilence)

} // namespace tst_faultsofsilence

#include "tst_faultsofsilence.moc"

#include "tests/support/faulttest.h"
#include "tests/support/testprogram.h"

namespace tst_faultsofsilence {

using namespace latchkey;

/// Servers that do not answer, or too slowly.
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

#include "tests/support/faulttest.h"
#include "tests/support/testprogram.h"

namespace tst_faultsofmissingreplies {

using namespace latchkey;

/// Tests with servers that accept connections but do not answer some requests.
class TestFaultsOfMissingReplies final : public test::FaultTest
{
    Q_OBJECT

public:
    TestFaultsOfMissingReplies()
        : FaultTest(test::faultsOfMissingReplies())
    {}
};

LATCHKEY_TEST(TestFaultsOfMissingReplies)

} // namespace tst_faultsofmissingreplies

#include "tst_faultsofmissingreplies.moc"

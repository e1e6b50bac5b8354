#include "tests/support/faulttest.h"
#include "tests/support/testprogram.h"

namespace tst_faultsofreplies {

using namespace latchkey;

/// Tests with servers with replies that no Redis sends.
class TestFaultsOfReplies final : public test::FaultTest
{
    Q_OBJECT

public:
    TestFaultsOfReplies()
        : FaultTest(test::faultsOfReplies())
    {}
};

LATCHKEY_TEST(TestFaultsOfReplies)

} // namespace tst_faultsofreplies

#include "tst_faultsofreplies.moc"

#include "tests/support/faulttest.h"
#include "tests/support/testprogram.h"

namespace tst_faultsofpermission {

using namespace latchkey;

/// Tests with servers with an ACL that refuses commands or keys.
class TestFaultsOfPermission final : public test::FaultTest
{
    Q_OBJECT

public:
    TestFaultsOfPermission()
        : FaultTest(test::faultsOfPermission())
    {}
};

LATCHKEY_TEST(TestFaultsOfPermission)

} // namespace tst_faultsofpermission

#include "tst_faultsofpermission.moc"

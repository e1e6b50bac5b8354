#include "core/redis/resp/command.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_command {

using namespace latchkey;
using namespace latchkey::resp;
using namespace std::chrono_literals;

class TestCommand final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void set_spellsItsOptions()
    {
        const base::Key key("k");
        const auto lease = base::Lease::of(5s).value();
        QCOMPARE(Command(set(key).to(base::OwnerToken("t")).ifAbsent().expiringIn(lease)).toText(),
                 QStringLiteral("SET k t NX PX 5000"));
        QCOMPARE(Command(set(key).to(QByteArray("v")).ifAbsent().expiringInSeconds(lease)).toText(),
                 QStringLiteral("SET k v NX EX 5"));
    }

    void lifetimes_travelInTheUnitOfTheCommand()
    {
        const base::Key key("k");
        const auto lease = base::Lease::of(5s).value();
        QCOMPARE(expire(key, lease).toText(), QStringLiteral("EXPIRE k 5"));
        QCOMPARE(pexpire(key, lease).toText(), QStringLiteral("PEXPIRE k 5000"));
        QCOMPARE(setex(key, lease, "v").toText(), QStringLiteral("SETEX k 5 v"));
        QCOMPARE(psetex(key, lease, "v").toText(), QStringLiteral("PSETEX k 5000 v"));
    }

    void toText_quotesWhatAWordCannotHold()
    {
        QCOMPARE((Command {"SET", "two words", QByteArray("\0", 1), ""}).toText(),
                 QStringLiteral("SET \"two words\" \\x00 \"\""));
    }

    void toText_hidesPasswords()
    {
        QCOMPARE((Command {"AUTH", "default", "hunter2"}).toText(), QStringLiteral("AUTH (hidden) (hidden)"));
        QCOMPARE((Command {"auth", "hunter2"}).toText(), QStringLiteral("auth (hidden)"));
    }
};

LATCHKEY_TEST(TestCommand)

} // namespace tst_command

#include "tst_command.moc"

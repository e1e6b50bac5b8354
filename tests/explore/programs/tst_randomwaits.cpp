#include "core/explore/programs/observationtree.h"
#include "tests/explore/programs/programfixture.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_randomwaits {

using namespace latchkey;
using namespace std::chrono_literals;
using programs::ObservationTree;
using programs::ProcessEvent;
using std::chrono::milliseconds;

/// Tests a program whose processes wait for different times. All count as waiting for as long as the first one.
class TestRandomWaits final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
    }

    /// A new process that waits for longer has continued too.
    void longerWait_endsWithTheFirst()
    {
        ObservationTree tree(m_program, programs::ProcessPool::Clock(),
                             std::make_shared<programs::CriticalSectionIndex>());
        LATCHKEY_VERIFY_RESULT(tree.open());
        const auto waiting = tree.after(ObservationTree::start, refusal());
        QVERIFY(tree[waiting].timer);
        for (int i = 0; i < 8; ++i) {
            const auto retrying = tree.after(waiting, timeAdvance(*tree[waiting].timer + milliseconds(i)));
            QVERIFY2(!tree.error(), tree.error() ? qPrintable(tree.error()->message()) : "");
            QCOMPARE(tree[retrying].offers.size(), std::size_t(1));
        }
    }

    /// A process that waits for less time continues later.
    void shorterWait_endsWithTheFirst()
    {
        ObservationTree tree(m_program, programs::ProcessPool::Clock(),
                             std::make_shared<programs::CriticalSectionIndex>());
        LATCHKEY_VERIFY_RESULT(tree.open());
        const auto waiting = tree.after(ObservationTree::start, refusal());
        QVERIFY(tree[waiting].timer);
        const auto all = timeAdvance(*tree[waiting].timer);
        const auto half = timeAdvance(all.time * 9 / 10);
        const auto rest = timeAdvance(all.time - half.time);
        const auto stillWaiting = tree.after(waiting, half);
        const auto retrying = tree.after(stillWaiting, rest);
        for (int i = 0; i < 8; ++i) {
            const auto process = tree.begin(0ms);
            LATCHKEY_VERIFY_RESULT(process);
            LATCHKEY_VERIFY_RESULT(tree.advance(**process, refusal(), ObservationTree::start, waiting));
            LATCHKEY_VERIFY_RESULT(tree.advance(**process, half, waiting, stillWaiting));
            LATCHKEY_VERIFY_RESULT(tree.advance(**process, rest, stillWaiting, retrying));
        }
    }

private:
    /// The answer to a client that does not get the lock.
    static ProcessEvent refusal() { return {}; }
    static ProcessEvent timeAdvance(milliseconds time)
    {
        ProcessEvent event;
        event.kind = ProcessEvent::Kind::TimeAdvance;
        event.time = time;
        return event;
    }

    const programs::Program m_program = test::worker("everyday", {}, {"retries_at_random_times"});
};

LATCHKEY_TEST(TestRandomWaits)

} // namespace tst_randomwaits

#include "tst_randomwaits.moc"

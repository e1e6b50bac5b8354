#include "core/explore/programs/divergence.h"
#include "core/explore/programs/tokenplaceholders.h"
#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_programrefusals {

using namespace latchkey;
using races::Offer;

/// Tests the sentences about programs that cannot be explored: they name the cause and the remedy.
class TestProgramRefusals final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refusal_namesCauseAndRemedy_data()
    {
        QTest::addColumn<QStringList>("parts");
        QTest::addRow("short") << QStringList {QStringLiteral("it is too short"), QStringLiteral("at least 8 bytes")};
        QTest::addRow("process") << QStringList {QStringLiteral("process ID of another client")};
        QTest::addRow("ordering") << QStringList {QStringLiteral("order tokens"), QStringLiteral("only for equality")};
        QTest::addRow("document") << QStringList {QStringLiteral("JSON document counts as one token"),
                                                  QStringLiteral("strings of at least 8 bytes")};
        QTest::addRow("connections") << QStringList {QStringLiteral("connections in changing order"),
                                                     QStringLiteral("let it use one connection")};
        QTest::addRow("threads") << QStringList {QStringLiteral("threads may act in changing order"),
                                                 QStringLiteral("its own connection")};
    }
    void refusal_namesCauseAndRemedy()
    {
        QFETCH(const QStringList, parts);
        const auto explored = test::explore(test::worker("unexplorable", {}, {QTest::currentDataTag()}),
                                            {QStringLiteral("no-immortal-key")});
        QVERIFY(explored.error);
        QVERIFY2(!explored.errorText().contains(QStringLiteral("own-")), qPrintable(explored.errorText()));
        for (const QString &part : parts)
            QVERIFY2(explored.errorText().contains(part), qPrintable(explored.errorText()));
    }

    void tokens_haveReadableNames()
    {
        const std::vector<Offer> before {
            {0, {{"SET", "lock", programs::tokenPlaceholder(0), programs::tokenPlaceholder(1)}}}};
        const std::vector<Offer> now;
        const QString text = programs::errorFor({before, now, true, true, false}).message();
        QVERIFY2(text.contains(QStringLiteral("SET lock TOKEN TOKEN-2 ")), qPrintable(text));
    }
};

LATCHKEY_TEST(TestProgramRefusals)

} // namespace tst_programrefusals

#include "tst_programrefusals.moc"

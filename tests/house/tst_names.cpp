#include "tests/support/sources.h"
#include "tests/support/testprogram.h"

#include <QRegularExpression>
#include <QTest>

namespace tst_names {

/// Tests of names: a type with a term of the field does not get its former name again. See the glossary of
/// core/README.md.
class TestNames final : public QObject
{
    Q_OBJECT

    struct Former
    {
        const char *name;
        const char *now;
    };

    static constexpr std::array former {
        Former {"ToldStory", "Scenario"},
        Former {"ToldStep", "ScenarioStep"},
        Former {"StoryPlayer", "ScenarioPlayer"},
        Former {"CourseSteps", "ScenarioBuilder"},
        Former {"CourseLog", "ClientEventLog"},
        Former {"Crew", "ClientPool"},
        Former {"Fleet", "ServerPool"},
        Former {"Deed", "StepAction"},
        Former {"Upshot", "OperationResult"},
        Former {"Overhear", "ReplyObserver"},
        Former {"TlsWitness", "TlsVerifier"},
        Former {"whyNotLetIn", "explainFailure"},
        Former {"farewell", "closingError"},
        Former {"Warden", "OrphanReaper"},
        Former {"HoldKeeper", "LeaseWatchdog"},
        Former {"unlooked", "initialStatus"},
        Former {"Happening", "KeyEvent"},
        Former {"Hearing", "EventCoverage"},
        Former {"FollowedKey", "KeyEventReconciler"},
        Former {"PageWish", "PageRequest"},
        Former {"Guesses", "LockCandidateQueue"},
        Former {"KeyWire", "KeyCommandLog"},
        Former {"Sighting", "KeySample"},
        Former {"Ears", "SubscriberConnections"},
        Former {"Lookalikes", "TokenSubstitution"},
        Former {"Preliminaries", "LocalReplies"},
        Former {"Saying", "StableLabel"},
        Former {"TellingNote", "ChangeNotificationButton"},
        Former {"SpeechCache", "TextLayoutCache"},
        Former {"Phrasebook", "RetranslatingTranslator"},
        Former {"ServerBook", "SavedConnections"},
        Former {"KeptServer", "SavedConnection"},
        Former {"GoneStrip", "RecentlyEndedBar"},
        Former {"nobody", "noClient"},
        Former {"befall", "disarmAfter or addServerEvent"},
        Former {"Without", "ExcludedFaults"},
        Former {"AsTold", "Passed"},
        Former {"isAsTold", "hasPassed"},
        Former {"isToldOfChanges", "hasChangeEvents"},
    };

private Q_SLOTS:
    void formerName_isNotUsedAgain_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("now");
        for (const Former &each : former)
            QTest::addRow("%s", each.name) << QString::fromLatin1(each.name) << QString::fromLatin1(each.now);
    }
    void formerName_isNotUsedAgain()
    {
        QFETCH(QString, name);
        QFETCH(QString, now);
        // A comment or a text may have the word; code may not.
        static const QRegularExpression noCode(
            QStringLiteral("//[^\\n]*|R\"(\\w*)\\((?:.|\\n)*?\\)\\1\"|\"(?:[^\"\\\\\\n]|\\\\.)*\""));
        const QRegularExpression word(QStringLiteral("\\b%1\\b").arg(name));
        for (auto source :
             latchkey::test::sources({QStringLiteral("app"), QStringLiteral("core"), QStringLiteral("ui")},
                                     {QStringLiteral("*.h"), QStringLiteral("*.cpp")})) {
            if (!source.text.contains(name))
                continue;
            QVERIFY2(!source.text.remove(noCode).contains(word),
                     qPrintable(QStringLiteral("%1 has %2, which is named %3").arg(source.path, name, now)));
        }
    }

    /// Two namespaces do not use one name for two concepts. The exceptions are in the glossary of core/README.md.
    void typeName_isDefinedInOneHeader()
    {
        const QStringList shared {QStringLiteral("Command"), QStringLiteral("Promise"), QStringLiteral("Recipe"),
                                  QStringLiteral("Verdict")};
        static const QRegularExpression definition(
            QStringLiteral("^(?:class|struct|enum class)\\s+(\\w+)\\b(?!;| : [\\w:]+;)"),
            QRegularExpression::MultilineOption);
        QMap<QString, QStringList> headers;
        for (const auto &source : latchkey::test::sources(
                 {QStringLiteral("app"), QStringLiteral("core"), QStringLiteral("ui")}, {QStringLiteral("*.h")})) {
            for (auto found = definition.globalMatch(source.text); found.hasNext();) {
                QStringList &paths = headers[found.next().captured(1)];
                if (!paths.contains(source.path))
                    paths += source.path;
            }
        }
        QVERIFY(headers.size() > 400);
        for (const auto &[name, paths] : headers.asKeyValueRange()) {
            if (shared.contains(name))
                QVERIFY2(paths.size() > 1, qPrintable(name + QStringLiteral(" is no exception any more")));
            else
                QVERIFY2(paths.size() == 1,
                         qPrintable(name + QStringLiteral(" is defined in ") + paths.join(QStringLiteral(", "))));
        }
    }
};

LATCHKEY_TEST(TestNames)

} // namespace tst_names

#include "tst_names.moc"

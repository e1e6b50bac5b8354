#include "tests/support/sources.h"
#include "tests/support/testprogram.h"

#include <QRegularExpression>
#include <QTest>

#include <array>
#include <utility>
#include <vector>

namespace tst_names {

/// Tests of names: a type with a term of the field does not get its former name again, nor does a variable of the type.
/// See the glossary of core/README.md.
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
        Former {"ChangeNotice", "ChangeNotification"},
        Former {"NoticeDelays", "NotificationDelays"},
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
        Former {"OwnAct", "OwnChange"},
        Former {"OwnActKind", "OwnChangeKind"},
        Former {"OwnActEntry", "OwnChangeEntry"},
        Former {"ActResult", "ChangeResult"},
        Former {"ActOutcome", "ChangeOutcome"},
        Former {"ActFlow", "KeyChangeFlow"},
        Former {"ActRun", "KeyChangeRun"},
        Former {"ActKind", "KeyChangeKind"},
        Former {"ActReport", "KeyChangeReport"},
        Former {"ActedOn", "KeyChangeResult"},
        Former {"ActText", "KeyChangeText"},
        Former {"KeyActs", "KeyActionBar"},
        Former {"TracedAct", "TracedAction"},
        Former {"FactsByKey", "AnalysisByKey"},
        Former {"LockFacts", "LockDescription"},
        Former {"AnswerFacts", "AnswerInput"},
        Former {"KeyFacts", "KeyRowData"},
        Former {"ConnectionFacts", "ConnectionStatus"},
        Former {"ConnectionWords", "ConnectionTexts"},
        Former {"CostFacts", "WatchCost"},
        Former {"ArmingFacts", "ArmingStatus"},
        Former {"ServerFacts", "ServerProperties"},
        Former {"Testbed", "EffectCache"},
        Former {"Ghost", "RuleState"},
        Former {"PastServer", "FormerServerState"},
        Former {"WorldId", "ServersStateId"},
        Former {"TurnedState", "PermutedState"},
        Former {"Isolation", "NetworkNamespace"},
        Former {"Hop", "SshHost"},
        Former {"ReleaseWay", "ReleaseMethod"},
        Former {"WatchRules", "CommandAllowlist"},
        Former {"RightsQuestion", "PermissionProbe"},
        Former {"KeyLook", "RecognisedKey"},
        Former {"ClientJoin", "ClientMatch"},
        Former {"KeyJudge", "ExpectationEvaluator"},
        Former {"Fit", "FormMatch"},
        Former {"NameScreen", "NameClassifier"},
        Former {"Knowledge", "ObservationContent"},
        Former {"Means", "Mechanism"},
        Former {"TroubleProbe", "AvailabilityProbe"},
        Former {"GoneTally", "EndedKeyCounter"},
        Former {"GoneKeys", "EndedRows"},
        Former {"GoneKey", "EndedKey"},
        Former {"EndedRow", "EndedKey"},
        Former {"GoneCount", "EndedCount"},
        Former {"OpenKeys", "ExpandedKeys"},
        Former {"ReplayShelf", "ReplayCache"},
        Former {"ShownClock", "SwitchableClock"},
        Former {"Tally", "RecipeCounts"},
        Former {"AheadClock", "OffsetClock"},
        Former {"Routine", "ClientLoop"},
        Former {"SaidExpectation", "CommandExpectation"},
        Former {"InEnglish", "EnglishScope"},
        Former {"JsonPlace", "JsonNode"},
        Former {"MetricsPlace", "MetricsAddress"},
        Former {"SeenHolds", "ObservedHolds"},
        Former {"LanguageWatch", "LanguageChangeNotifier"},
        Former {"Emptiness", "EmptyTableState"},
        Former {"ChosenDetails", "DetailController"},
        Former {"UserLocks", "LockPatternActions"},
        Former {"KeyTruth", "KeyServerState"},
        Former {"StoryStage", "AlternativeView"},
        Former {"Remedy", "RecoveryAction"},
        Former {"LayoutKeeper", "LayoutSaver"},
        Former {"SelectionKeeper", "SelectionRestorer"},
        Former {"WireModel", "CommandLogModel"},
        Former {"WireLine", "CommandLogLine"},
        Former {"FigureFont", "MonospacedTextPainter"},
        Former {"BarPictures", "BarPixmapCache"},
        Former {"HolderPlace", "HolderLocation"},
        Former {"WindowBench", "MainWindowFixture"},
        Former {"ClientPoolBench", "ClientPoolFixture"},
        Former {"ProgramBench", "ProgramFormFixture"},
        Former {"ClockBed", "ProgramClockFixture"},
        Former {"ServersOnPaper", "ReferenceModel"},
        Former {"PlayedStory", "ScenarioRun"},
        Former {"ForwardClock", "AdjustableClock"},
        Former {"Film", "ScreenRecorder"},
        Former {"Seat", "WorkerState"},
        Former {"Witness", "SharedState"},
        Former {"Standstills", "NoProgressSchedules"},
        Former {"StuckSchedules", "NoProgressSchedules"},
        Former {"KeyFeed", "KeyStoreUpdater"},
        Former {"FanOut", "ObservationDispatcher"},
        Former {"Ledger", "KeyEventTracker"},
        Former {"EndedKeys", "EndedKeyLog"},
        Former {"EffectProbe", "WriteDetector"},
        Former {"SectionNames", "CriticalSectionIndex"},
        Former {"HangUp", "CloseSubscriber"},
        Former {"readmit", "reconnectClients"},
        Former {"timeOwed", "clockLag"},
        Former {"isReadToTheEnd", "isFullyScanned"},
        Former {"ServerStory", "ServerFaultNarration"},
        Former {"KeySnapshotState", "SnapshotKey"},
        Former {"Processes", "ProcessPool"},
        Former {"ForecastWalk", "ForecastCounter"},
        Former {"OpenedStory", "OpenedScenario"},
        Former {"BlindInterval", "Coverage::Gap"},
        Former {"KeyQuestion", "KeyRequest"},
        Former {"QuestionRefusals", "RequestRefusals"},
        Former {"KeyVerdict", "KeyResult"},
        Former {"GoOn", "ResumeClient"},
        Former {"SignalLeft", "StaleSignal"},
        Former {"FencingWentBack", "FencingDecreased"},
        Former {"BlindRenewal", "UncheckedRenewal"},
        Former {"WhatMustExpireDoes", "RequiredKeysExpire"},
        Former {"isUnderControl", "usesOnlyVirtualClock"},
        Former {"blindness", "gap"},
        Former {"nextClientsVainAttempt", "failedAttemptOfNextClient"},
        Former {"mayStandStill", "mayBeBlocked"},
        Former {"losersProlong", "contenderExtends"},
        Former {"factsOf", "analysisOf"},
        Former {"spelledOut", "withScriptSource"},
        Former {"judge", "evaluate, check or classify"},
        Former {"Actor", "PlaygroundClient"},
        Former {"askAll", "executeBatch or requestFromAll"},
        Former {"askSubscriber", "executeOnSubscriber"},
        Former {"askOrFail", "executeOrFail"},
        Former {"askOther", "sendOther"},
        Former {"askAboutServer", "pollServer"},
        Former {"askConfiguration", "requestConfiguration"},
        Former {"askIdleTimes", "requestIdleTimes"},
        Former {"askQueued", "requestQueued"},
        Former {"askNext", "requestFromNext"},
        Former {"askForNodes", "requestNodes"},
        Former {"askScripts", "requestScripts"},
        Former {"askSubscribers", "requestSubscribers"},
        Former {"askFields", "requestFieldTtls"},
        Former {"askPrimaries", "requestPrimaries"},
        Former {"memoryWithoutTime", "localStateWithoutTime"},
        Former {"memoryAt", "localStateAt"},
        Former {"SearchLimits", "FaultLimits"},
        Former {"howLost", "lossText"},
        Former {"printForPeople", "printText"},
        Former {"trouble", "error or serverError"},
        Former {"patience", "timeout"},
        Former {"touched", "keysChanged"},
        Former {"Companions", "CompanionKeys"},
        Former {"SameValues", "SharedValueIndex"},
        Former {"NoTouch", "NoTouchMode"},
        Former {"Releasable", "ReleasePlan"},
        Former {"RowHold", "RowSuspension"},
        Former {"SeenCertificate", "UntrustedCertificate"},
        Former {"MoveClocks", "AdvanceClocks"},
        Former {"AwaitPassed", "AwaitDeadline"},
        Former {"StopServer", "KillServer"},
        Former {"GoOrder", "ResumeOrder"},
        Former {"TouchOf", "AccessClassifier"},
        Former {"mayBeOurRead", "mayBeOwnRead"},
        Former {"isByChance", "isRandom"},
        Former {"beforehand", "setupCommands"},
        Former {"besideInLane", "neighbourInLane"},
        Former {"inLaneBeside", "holdInNeighbourLane"},
        Former {"noteTurn", "recordLoopTurn"},
        Former {"showAsOf", "freezeAt"},
        Former {"shareAnew", "divideAgain"},
        Former {"seenText", "keyStateText"},
    };

    struct FormerVariable
    {
        const char *type;
        const char *name; ///< A regular expression.
        const char *now;
    };

    /// Returns the code of a source; a comment or a text may have the former word.
    static QString codeOf(QString source)
    {
        static const QRegularExpression noCode(
            QStringLiteral("//[^\\n]*|R\"(\\w*)\\((?:.|\\n)*?\\)\\1\"|\"(?:[^\"\\\\\\n]|\\\\.)*\""));
        return source.remove(noCode);
    }
    /// Returns the path and the code of each source.
    static const std::vector<std::pair<QString, QString>> &codeOfEverything()
    {
        static const auto all = [] {
            std::vector<std::pair<QString, QString>> each;
            for (const auto &source : latchkey::test::sources(
                     {QStringLiteral("app"), QStringLiteral("core"), QStringLiteral("ui"), QStringLiteral("tests")},
                     {QStringLiteral("*.h"), QStringLiteral("*.cpp")})) {
                if (!source.path.endsWith(QLatin1String("/tst_names.cpp")))
                    each.emplace_back(source.path, codeOf(source.text));
            }
            return each;
        }();
        return all;
    }

    /// Variables, parameters and members that had the former word of their type.
    static constexpr std::array formerVariables {
        FormerVariable {"AlternativeView", "stages?", "alternative"},
        FormerVariable {"AnswerInput", "facts", "input"},
        FormerVariable {"ChangeResult", "acted|m_acted", "result"},
        FormerVariable {"ClientLoop", "routine|m_routine", "loop"},
        FormerVariable {"ClientMatch", "join|joined|m_join", "match"},
        FormerVariable {"ClientPoolFixture|MainWindowFixture|ProgramFormFixture", "bench|m_bench", "fixture"},
        FormerVariable {"CommandAllowlist", "rules|m_rules", "allowlist"},
        FormerVariable {"EmptyTableState", "e|emptiness", "state"},
        FormerVariable {"EndedRows?", "gone|goneKeys?|m_gone", "ended"},
        FormerVariable {"EndedKeyCounter", "gone|tally|m_gone", "counter"},
        FormerVariable {"EventCoverage", "hearing|m_hearing", "eventCoverage"},
        FormerVariable {"ExcludedFaults", "without", "excluded"},
        FormerVariable {"ExpandedKeys", "opened|m_opened", "expanded"},
        FormerVariable {"ExpectationEvaluator", "judge|judges|m_judge", "evaluator"},
        FormerVariable {"ForecastCounter", "walk|m_walk", "counter"},
        FormerVariable {"FormMatch", "fit|m_fit", "match"},
        FormerVariable {"FormerServerState", "past", "former"},
        FormerVariable {"HolderLocation", "places?|m_places?", "location"},
        FormerVariable {"JsonNode", "places?|m_place", "node"},
        FormerVariable {"KeyChangeReport", "said|m_said", "report"},
        FormerVariable {"KeyCommandLog", "wire|m_wire", "commandLog"},
        FormerVariable {"KeyEvent", "told|m_told|happening", "keyEvent"},
        FormerVariable {"KeyRequest", "question|m_question", "request"},
        FormerVariable {"KeyRowData", "facts|m_facts", "data"},
        FormerVariable {"KeySample", "seen|sighting|m_sighting", "sample"},
        FormerVariable {"KeyServerState", "truth|m_truth", "serverState"},
        FormerVariable {"LockDescription", "facts|m_facts", "description"},
        FormerVariable {"Mechanism", "means|m_means", "mechanism"},
        FormerVariable {"MetricsAddress", "place|m_place", "metricsAddress"},
        FormerVariable {"MonospacedTextPainter", "figures|m_figures", "textPainter"},
        FormerVariable {"NameClassifier", "screen|m_screen", "nameClassifier"},
        FormerVariable {"NotificationDelays", "noticeDelays|m_noticeDelays", "notificationDelays"},
        FormerVariable {"ObservedHolds", "seen|m_seen", "observed"},
        FormerVariable {"ObservedState", "scene|m_scene", "observed"},
        FormerVariable {"ProgramClockFixture", "bed|m_bed", "fixture"},
        FormerVariable {"RecentlyEndedBar", "strip|m_strip", "recentlyEnded"},
        FormerVariable {"RecipeCounts", "tally|tallies|m_tally", "counts"},
        FormerVariable {"RecognisedKey", "looked|m_looked", "recognised"},
        FormerVariable {"RecoveryAction", "remedy|m_remedy", "action"},
        FormerVariable {"ReferenceModel", "paper", "reference"},
        FormerVariable {"ReleaseMethod", "way|m_way", "method"},
        FormerVariable {"SavedConnections?", "kept|book|m_kept|m_book", "saved"},
        FormerVariable {"Scenario", "told|m_told", "scenario"},
        FormerVariable {"ScenarioRun", "story", "run"},
        FormerVariable {"ScreenRecorder", "film|m_film", "recorder"},
        FormerVariable {"ServerProperties", "facts|m_facts", "properties"},
        FormerVariable {"SharedState", "witness|m_witness", "sharedState"},
        FormerVariable {"WorkerState", "seat|m_seat", "workerState"},
    };

private Q_SLOTS:
    void formerVariable_isNotUsedAgain_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("now");
        for (const FormerVariable &each : formerVariables) {
            QTest::addRow("%s", each.type)
                << QString::fromLatin1(each.type) << QString::fromLatin1(each.name) << QString::fromLatin1(each.now);
        }
    }
    /// Finds declarations such as `const KeyEvent &told`, `std::vector<KeyEvent> told` and `KeyEvent *m_told`.
    void formerVariable_isNotUsedAgain()
    {
        QFETCH(QString, type);
        QFETCH(QString, name);
        QFETCH(QString, now);
        const QRegularExpression declaration(
            QStringLiteral("\\b(?:%1)\\b>*(?: const)?[ \\n]*[&*]*(?: const)? *\\b(?:%2)\\b(?! ?\\()").arg(type, name));
        QVERIFY(declaration.isValid());
        for (const auto &[path, code] : codeOfEverything()) {
            const auto found = declaration.match(code);
            QVERIFY2(!found.hasMatch(),
                     qPrintable(QStringLiteral("%1 has %2, which is named %3").arg(path, found.captured(), now)));
        }
    }

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
        const QRegularExpression word(QStringLiteral("\\b%1\\b").arg(name));
        for (auto source :
             latchkey::test::sources({QStringLiteral("app"), QStringLiteral("core"), QStringLiteral("ui")},
                                     {QStringLiteral("*.h"), QStringLiteral("*.cpp")})) {
            if (!source.text.contains(name))
                continue;
            QVERIFY2(!codeOf(source.text).contains(word),
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

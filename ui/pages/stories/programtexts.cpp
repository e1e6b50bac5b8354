#include "ui/pages/stories/programtexts.h"

#include "core/explore/schedules/violationtext.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QLocale>

#include <algorithm>

namespace latchkey::ui::stories {

using racesearch::ProgramToExplore;
using racesearch::RaceSearch;
using schedules::countText;
using schedules::Verdict;

namespace {

struct ProgramWords
{
    Q_DECLARE_TR_FUNCTIONS(latchkey::ui::stories::ProgramWords)
};

QString notApplicableReason(const RaceSearch::Answer &answer, const ProgramToExplore &program)
{
    if (!answer.reason.isEmpty())
        return ProgramWords::tr("Does not apply: %1").arg(answer.reason.toString());
    if (answer.promise != u"lost-update")
        return program.inside.isEmpty()
                 ? ProgramWords::tr("Does not apply: the program sent no ECHO latchkey:inside")
                 : ProgramWords::tr("Does not apply: no command of the program matches the pattern for inside");
    return program.resource.isEmpty()
             ? ProgramWords::tr("Does not apply: no shared key is named")
             : ProgramWords::tr("Does not apply: the program did not use %1").arg(program.resource);
}

} // namespace

QString boundsText(const ProgramToExplore &program)
{
    const QString limits = schedules::limitsText(program.clients, program.servers, program.limits);
    const QString serverFaults = schedules::limitsText(program.promises, program.serverFaults);
    return serverFaults.isEmpty() ? limits
                                  : ProgramWords::tr("%1, at most %2", "limits of a search").arg(limits, serverFaults);
}

QString nameOf(const ProgramToExplore &program)
{
    const QDir folder(program.folder);
    const auto isWritten = [&](const QString &word) { return QFileInfo(folder.filePath(word)).isFile(); };
    const auto &words = program.words;
    const auto file = words.isEmpty() ? words.end() : std::find_if(words.begin() + 1, words.end(), isWritten);
    return QFileInfo(file == words.end() ? words.value(0) : *file).fileName();
}

QString verdictText(const RaceSearch::Answer &answer, const RaceSearch &search)
{
    const ProgramToExplore &program = search.program();
    switch (answer.verdict) {
    case Verdict::NotApplicable:
        return notApplicableReason(answer, program);
    case Verdict::Broken:
        return ProgramWords::tr("Broken: %1").arg(schedules::translatedViolation(answer.violation));
    case Verdict::Holds:
        break;
    }
    if (answer.isComplete)
        return ProgramWords::tr("Holds in all %1 schedules").arg(countText(answer.schedules));
    const QString states = countText(static_cast<double>(answer.states));
    return search.isCancelled() ? ProgramWords::tr("Holds in the first %1 states: stopped").arg(states)
                                : ProgramWords::tr("Holds in the first %1 states: limit reached").arg(states);
}

QString unknownText()
{
    return ProgramWords::tr("Unknown: not reached by the search");
}

QString progressText(const RaceSearch::Progress &progress)
{
    if (progress.promise.isEmpty())
        return ProgramWords::tr("Starting a private server and a single client…");
    const double rate = progress.seconds > 0 ? static_cast<double>(progress.steps) / progress.seconds : 0;
    return ProgramWords::tr("%1: %2 states, %3 steps deep; %4 processes started; %5 steps a second; %6 s")
        .arg(progress.promise, countText(static_cast<double>(progress.states)))
        .arg(progress.depth)
        .arg(countText(progress.starts), countText(rate), QLocale().toString(progress.seconds, 'f', 0));
}

QString outcomeText(const RaceSearch &search)
{
    const auto &answers = search.answers();
    const auto broken = std::ranges::count(answers, Verdict::Broken, &RaceSearch::Answer::verdict);
    const bool isAll = std::ranges::all_of(answers, &RaceSearch::Answer::isComplete);
    QStringList sentences;
    if (search.isCancelled())
        sentences += ProgramWords::tr("Stopped early: these are the results so far.");
    else if (search.conditions() && search.conditions()->isStopped)
        sentences += ProgramWords::tr("Time limit reached: these are the results so far.");
    else if (!search.lastError().isEmpty())
        sentences += ProgramWords::tr("The search failed: %1").arg(search.lastError());
    if (broken > 0)
        sentences += ProgramWords::tr("Broken promises: %1. Select one to play it.").arg(broken);
    else if (sentences.isEmpty())
        sentences += isAll ? ProgramWords::tr("No promise is broken in any schedule within these limits.")
                           : ProgramWords::tr("No promise is broken in the schedules searched so far.");
    return sentences.join(u' ');
}

QString conditionsText(const RaceSearch &search)
{
    if (!search.conditions())
        return {};
    const RaceSearch::Conditions &all = *search.conditions();
    QStringList sentences {ProgramWords::tr("%1 steps in %2 s; %3 processes started.")
                               .arg(countText(static_cast<double>(all.steps)), QLocale().toString(all.seconds, 'f', 2),
                                    countText(all.starts))};
    sentences += schedules::clockText(all.clock);
    for (const RaceSearch::Conditions::End &end : all.failedEnds)
        sentences += schedules::failedEndText(end.exitCode, end.printed);
    if (!all.deadlockStep.isEmpty())
        sentences += ProgramWords::tr("Deadlock in some schedules (%1). latchkey-cli explore shows the shortest "
                                      "one.")
                         .arg(all.deadlockStep);
    if (all.livelockRepetitions)
        sentences += schedules::livelockText(*all.livelockRepetitions, all.soloLivelockCommand);
    if (all.hasBusyWait)
        sentences += schedules::busyWaitText();
    if (all.lateRetries)
        sentences += schedules::lateRetriesText(*all.lateRetries);
    if (!all.hasEndedClient && all.soloLivelockCommand.isEmpty())
        sentences += schedules::noEndText();
    return (sentences + all.notes).join(u' ');
}

} // namespace latchkey::ui::stories

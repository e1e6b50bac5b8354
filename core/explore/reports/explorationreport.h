#pragma once

#include "core/explore/races/finder.h"
#include "core/foundation/base/clock.h"

#include <QJsonObject>

#include <vector>

namespace latchkey::reports {

/// A promise of an ExplorationReport, with or without a verdict. A value.
struct CheckedPromise
{
    enum class Status : quint8 {
        Holds,         ///< In all schedules within the bounds.
        Broken,        ///< Although the subject claims it.
        Known,         ///< Broken, and listed in the baseline.
        Unclaimed,     ///< Broken, but the recipe does not claim it.
        NotApplicable, ///< The subject has nothing to check.
        Unknown,       ///< The search was not complete, or did not begin.
    };

    races::PromiseResult result; ///< Only `promise` and `clients` are valid for a promise that was not searched.
    bool isAnswered = true;      ///< Whether the promise was searched.
    bool isListed = false;       ///< Whether the baseline lists the promise as broken.
    QString definition;          ///< The promise as one sentence.
    QString summary {};          ///< Verdict with its bounds.

    [[nodiscard]] Status status() const;
    /// Returns whether the promise holds although the baseline lists it.
    [[nodiscard]] bool isFixed() const { return isListed && status() == Status::Holds; }
};

/// Returns the name of a status in files, such as `not-applicable`.
[[nodiscard]] QString statusId(CheckedPromise::Status status);

/// The result of one exploration, for export to continuous integration. A value.
///
/// Texts are in English, because other programs read the files. It is not the story of a counterexample: see
/// schedules::toFile().
struct ExplorationReport
{
    QString subject;       ///< Recipe, or name of the program.
    QString form {};       ///< Form of the token comparison; empty: default.
    QString source {};     ///< Path or URL of the program's file; empty for a recipe.
    QJsonObject bounds {}; ///< Limits of the search by name.
    base::WallTime began;  ///< Wall-clock time of the start.
    double seconds = 0;    ///< Duration.
    QString failure {};    ///< Why promises have no verdict; empty: none.
    std::vector<CheckedPromise> promises {};

    /// Returns the subject with its form: `token (delex)`.
    [[nodiscard]] QString displayName() const;
    /// Returns why a promise has the status Unknown.
    [[nodiscard]] QString reasonFor(const CheckedPromise &promise) const;
};

/// Returns one line for each preparation command and each step.
[[nodiscard]] QStringList stepLines(const schedules::RecordedSchedule &schedule);

/// Writes JUnit XML: a test suite per exploration and a test case per promise. A broken promise is a failure with the
/// steps of its counterexample, a promise without a verdict an error. Promises that do not apply, are known to be
/// broken or are not claimed are skipped.
[[nodiscard]] QByteArray toJUnit(const std::vector<ExplorationReport> &reports);

} // namespace latchkey::reports

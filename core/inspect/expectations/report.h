#pragma once

#include "core/inspect/expectations/expectationrun.h"

#include <QJsonObject>

namespace latchkey::expectations {

/// The result of a run, for export as JSON, CSV and JUnit XML. A value.
///
/// Times are whole milliseconds with two bounds, least and most. A key that is not UTF-8 is also written as base64
/// (JSON), or as by base::printable(), which base::fromPrintable() reads back (CSV, XML).
struct Report
{
    explicit Report(events::Coverage ofThese)
        : coverage(std::move(ofThese))
    {}

    events::Coverage coverage;
    std::vector<Expectation> expectations;
    std::vector<KeyResult> results;
    qsizetype leftOut = 0;
    std::chrono::nanoseconds watched {};
    std::optional<std::chrono::nanoseconds> roundTrip;
    watching::EventSource::Mechanism mechanism = watching::EventSource::Mechanism::None;
    base::WallTime began; ///< Wall-clock time of the start.
    QString server;       ///< Address of the server, without a password.

    /// Creates a report of the current state of a run.
    [[nodiscard]] static Report of(const ExpectationRun &run, inspection::InspectedServer &server);

    /// Returns the outcome of an expectation: Fails if one key fails, else Unknown, else Open, else Holds. A pattern is
    /// Unknown until all keys were scanned.
    [[nodiscard]] Verdict::Outcome outcomeOf(std::size_t expectation) const;
    /// Returns the outcome of all expectations, in the same order of severity. Holds is a pass only if the coverage is
    /// complete, which the caller checks.
    [[nodiscard]] Verdict::Outcome outcome() const;
};

/// Converts to `{outcome, watched_ms, unseen_ms, round_trip_ms, means, left_out, coverage, expectations: [{expectation,
/// outcome, keys: [{key, outcome, why, text, least_ms, most_ms, since, ending, count}]}]}`.
[[nodiscard]] QJsonObject toJson(const Report &report);

/// Writes CSV by RFC 4180: a header, then a line for each key of each expectation, ended by CR LF. A pattern for which
/// keys may be missing has its own line, with the outcome `unknown`.
[[nodiscard]] QByteArray toCsv(const Report &report);

/// Writes JUnit XML for continuous integration: a test case for each key of each expectation. A failed verdict is a
/// failure; an Unknown or Open one is an error, and so is one that holds if the coverage is incomplete. A pattern for
/// which keys may be missing has its own test case, an error.
[[nodiscard]] QByteArray toJUnit(const Report &report);

} // namespace latchkey::expectations

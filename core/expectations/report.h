#pragma once

#include "core/expectations/expectationrun.h"

#include <QJsonObject>

namespace latchkey::expectations {

/// What a run has come to, to be kept and handed on: as JSON, as CSV and as JUnit's XML. A value.
///
/// Times are whole milliseconds, and have two ends: least and most. A key whose bytes are not UTF-8 is there as base64
/// too (JSON), or as base::printable() writes it, which base::fromPrintable() reads back (CSV, XML).
struct Report
{
    explicit Report(keyspace::Coverage ofThese)
        : coverage(std::move(ofThese))
    {}

    keyspace::Coverage coverage;
    std::vector<Expectation> expectations;
    std::vector<Finding> findings;
    qsizetype leftOut = 0;
    std::chrono::nanoseconds watched {};
    std::optional<std::chrono::nanoseconds> roundTrip;
    keyspace::EventSource::Means means = keyspace::EventSource::Means::None;
    base::WallTime began; ///< By the clock on the wall.
    QString server;       ///< Its address, without a password.

    /// Of a run as it is; began: when it was started.
    [[nodiscard]] static Report of(const ExpectationRun &run, inspection::InspectedServer &server);

    /// Of an expectation: fails where it does for one key, else unknown, else open, else it holds. Of a pattern it is
    /// unknown as long as not all keys have been looked at.
    [[nodiscard]] Verdict::Outcome outcomeOf(std::size_t expectation) const;
    /// Outcome of all expectations, by the same order. It is a pass only with complete coverage.
    [[nodiscard]] Verdict::Outcome outcome() const;
};

/// `{outcome, watched_ms, unseen_ms, round_trip_ms, means, left_out, coverage, expectations: [{expectation, outcome,
/// keys:
/// [{key, outcome, why, text, least_ms, most_ms, since, ending, count}]}]}`
[[nodiscard]] QJsonObject toJson(const Report &report);

/// RFC 4180: a header, and a line for each key of each expectation, ended by CR LF.
[[nodiscard]] QByteArray toCsv(const Report &report);

/// JUnit's XML, as continuous integration reads it: a test case for each key of each expectation. One that cannot be
/// told is an error, one that fails a failure.
[[nodiscard]] QByteArray toJUnit(const Report &report);

} // namespace latchkey::expectations

#pragma once

#include "core/explore/reports/explorationreport.h"

#include <compare>
#include <set>

namespace latchkey::reports {

/// The promises that are known to be broken, as a file of the user. They do not fail an exploration.
///
/// An entry is a promise of a subject, not one of its schedules: a known promise may be broken in a new way. A file may
/// contain the entries of several subjects. A value.
class Baseline final
{
public:
    Baseline() = default;
    /// Reads a file. Error (Usage): invalid contents, with the location: `known.json:3: broken[0].promise: missing`.
    [[nodiscard]] static base::Result<Baseline> fromFile(const QString &name, const QByteArray &contents);
    /// Writes a file. The same entries give the same bytes.
    [[nodiscard]] QByteArray toFile() const;

    [[nodiscard]] bool contains(const ExplorationReport &report, const QString &promise) const;
    /// Adds the entries of another baseline.
    void add(const Baseline &other) { m_entries.insert(other.m_entries.begin(), other.m_entries.end()); }
    /// Adds the broken promises of the report and removes those that hold. Promises without a verdict, and other
    /// subjects, do not change.
    void update(const ExplorationReport &report);

private:
    struct Entry
    {
        QString subject;
        QString form; ///< Form of the token comparison; empty: default.
        QString promise;

        friend std::strong_ordering operator<=>(const Entry &, const Entry &) = default;
        friend bool operator==(const Entry &, const Entry &) = default;
    };

    std::set<Entry> m_entries;
};

} // namespace latchkey::reports

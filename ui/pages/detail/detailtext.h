#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "ui/pages/detail/answertext.h"

#include <QCoreApplication>
#include <QStringList>

namespace latchkey::ui::detail {

/// The translation context of these texts.
struct DetailText
{
    Q_DECLARE_TR_FUNCTIONS(DetailText)
};

/// A fact about a key: name and value.
struct DetailRow
{
    QString name;
    QString value;
    bool isLong = false; ///< Whether the value may take several lines. Otherwise it is cut to one line.

    friend bool operator==(const DetailRow &, const DetailRow &) = default;
};

/// The texts of a finding about a key.
struct DetailFinding
{
    QString title;
    QString evidence;
    QString meaning;
    QString advice;
    int severity = 0; ///< Value of findings::Severity: 0 is information, 2 is an error.

    friend bool operator==(const DetailFinding &, const DetailFinding &) = default;
};

/// All texts of the detail panel about a key. A value: an equal value need not be shown again.
struct KeyDetail
{
    QByteArray keyBytes;
    QString key;
    QString answer;     ///< One or two sentences; see answerText().
    QString kind;       ///< Kind of lock; empty if unknown or no lock.
    QString confidence; ///< Confidence in the kind.
    bool isCertain = false;
    bool exists = false;                 ///< Whether the key exists, as far as is known.
    QList<DetailRow> facts;              ///< Holder, hold count, expiry and others.
    QList<DetailFinding> findings;       ///< In order of severity, the most severe first.
    QStringList holds;                   ///< Past holds and their ends, the latest first.
    QList<DetailRow> statistics;         ///< Statistics of all holds.
    QStringList evidence;                ///< Reasons for the recognised kind.
    QStringList others;                  ///< Other possible kinds with their confidence.
    std::optional<keys::RawValue> value; ///< Part of the value that was read while watching.

    keys::FieldDeadlines fieldEnds; ///< Expiries of the fields of a hash; empty without expiring fields.
    QString fieldsRefusal; ///< Why the expiries of the fields are unknown; empty if they are known, or for another
                           ///< type.

    friend bool operator==(const KeyDetail &, const KeyDetail &) = default;
};

/// The moment for which details are shown. A value type.
struct DetailMoment
{
    base::MonotonicTime now;
    base::WallTime wallNow; ///< The same moment on the other clock.
    bool isFrozen = false;  ///< Whether the server has not replied since.
};

/// Returns the details of a key of the server. `trace`: results of a trace of the key; absent without a trace.
[[nodiscard]] KeyDetail detailOf(const QByteArray &key, inspection::InspectedServer &server, const DetailMoment &moment,
                                 const std::optional<TraceSummary> &trace = std::nullopt);
/// Returns a finding as text for a ticket: the key, the answer, and the finding line by line.
[[nodiscard]] QString findingForTicket(const KeyDetail &detail, const DetailFinding &finding);

} // namespace latchkey::ui::detail

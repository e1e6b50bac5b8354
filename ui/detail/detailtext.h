#pragma once

#include "core/inspection/inspectedserver.h"

#include <QCoreApplication>
#include <QStringList>

namespace latchkey::ui::detail {

/// The context in which these words are translated.
struct DetailText
{
    Q_DECLARE_TR_FUNCTIONS(DetailText)
};

/// One thing that is known of a key: what it is, and what is so.
struct DetailRow
{
    QString name;
    QString value;
    bool isLong = false; ///< Takes as many lines as it needs; else what does not fit is left out.

    friend bool operator==(const DetailRow &, const DetailRow &) = default;
};

/// One thing that is wrong with a key, in words.
struct DetailFinding
{
    QString title;
    QString evidence;
    QString meaning;
    QString advice;
    int severity = 0; ///< As findings::Severity counts: 0 is worth knowing, 2 is an error.

    friend bool operator==(const DetailFinding &, const DetailFinding &) = default;
};

/// Everything that the detail panel says of a key, in words. A value: what is equal need not be shown again.
struct KeyDetail
{
    QByteArray keyBytes;
    QString key;
    QString kind;       ///< The kind of lock; empty: none that is known.
    QString confidence; ///< How sure that is.
    bool isCertain = false;
    bool isThere = false;                ///< As far as is known.
    QList<DetailRow> facts;              ///< Who has it, how often, until when.
    QList<DetailFinding> findings;       ///< The gravest first.
    QStringList holds;                   ///< Who has had it and how that ended, the last first.
    QList<DetailRow> statistics;         ///< What all of its holds come to.
    QStringList evidence;                ///< Why it is thought to be of that kind.
    QStringList others;                  ///< Other kinds that it may be of, each with how sure that is.
    std::optional<keys::RawValue> value; ///< As far as it was read while watching.

    keys::FieldEnds fieldEnds; ///< Of a hash, when its fields end; empty where none does.
    QString fieldsRefusal; ///< Of a hash: why that is not known; empty where it is, or where there is no such thing.

    friend bool operator==(const KeyDetail &, const KeyDetail &) = default;
};

/// What is known of a key of that server now. wallNow, now: the same moment on both clocks.
[[nodiscard]] KeyDetail detailOf(const QByteArray &key, inspection::InspectedServer &server, base::MonotonicTime now,
                                 base::WallTime wallNow);

} // namespace latchkey::ui::detail

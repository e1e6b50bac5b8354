#pragma once

#include <QByteArray>
#include <QStringList>

namespace latchkey::base {

/// The line, from 1, in which that byte stands.
[[nodiscard]] int lineAt(const QByteArray &contents, qsizetype offset);

/// Where a value's text stands in a JSON text.
struct PlaceInJson
{
    qsizetype at = 0;
    qsizetype length = 0;
};

/// contents, path: as for lineOfJson().
[[nodiscard]] PlaceInJson placeInJson(const QByteArray &contents, const QStringList &path);

/// The line, from 1, in which a value of a JSON text stands: for what is wrong with it, since a parsed value no longer
/// knows. contents: known to be JSON. path: the steps down to it, each a member's name or `[3]`; where there is no such
/// value, the line is that of the last step that there is.
[[nodiscard]] int lineOfJson(const QByteArray &contents, const QStringList &path);

} // namespace latchkey::base

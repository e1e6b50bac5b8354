#pragma once

#include "core/foundation/base/error.h"

#include <QMap>
#include <QVariant>

#include <functional>
#include <memory>

class QSettings;

namespace latchkey::files {

/// Values of an INI file by their keys, `SECTION/KEY`, as QSettings reads them.
using IniValues = QMap<QString, QVariant>;

/// Returns the text of an INI file that QSettings reads as these values.
[[nodiscard]] QByteArray iniText(const IniValues &values);

/// Opens the file for reading; an absent file has no values. Errors: not in INI format (Usage); `cannot read PATH`
/// (Local). QSettings alone reports a wrong format only to the first reader of a process. Main thread only.
[[nodiscard]] base::Result<std::unique_ptr<QSettings>> openIniFile(const QString &path);

/// Returns the values of the file; empty if there is no file. Errors: as for openIniFile().
[[nodiscard]] base::Result<IniValues> readIniFile(const QString &path);

/// Reads the values of the file, applies `change`, and replaces the file completely or not at all.
///
/// QSettings alone would replace the file with an empty one on a full disk, and report success. Missing folders are
/// created; only the owner can read a new file. Errors: those of openIniFile(), makeFolderFor() and SavedFile. After an
/// error the file is unchanged.
[[nodiscard]] base::Result<void> changeIniFile(const QString &path, const std::function<void(IniValues &)> &change);

} // namespace latchkey::files

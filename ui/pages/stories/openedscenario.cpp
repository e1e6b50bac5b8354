#include "ui/pages/stories/openedscenario.h"

#include "core/foundation/files/inputfile.h"
#include "core/playground/scenarios/schedulescenario.h"

#include <QFile>
#include <QFileInfo>

namespace latchkey::ui::stories {

namespace {

/// Size limit in bytes. A useful story is smaller, and larger files should not be read completely.
constexpr qint64 maxFileSize = 1 << 20;

base::Result<QByteArray> contentsOf(const QString &path)
{
    QFile file(path);
    if (const auto opened = files::openForReading(file); !opened)
        return base::failure(opened.error().kind, QT_TRANSLATE_NOOP("core", "cannot read %1: %2"), path,
                             opened.error().text);
    const QByteArray contents = file.read(maxFileSize + 1);
    if (contents.size() > maxFileSize)
        return base::failure(base::ErrorKind::Usage,
                             QT_TRANSLATE_NOOP("core", "%1 is larger than a story may be: 1 MB"), path);
    return contents;
}

} // namespace

base::Result<OpenedScenario> openScenario(const QString &path)
{
    const auto contents = contentsOf(path);
    if (!contents)
        return base::failure(contents.error());
    auto scenario = scenarios::readAnyStory(QFileInfo(path).fileName(), *contents);
    if (!scenario)
        return base::failure(std::move(scenario.error()));
    return OpenedScenario {*std::move(scenario), *contents};
}

} // namespace latchkey::ui::stories

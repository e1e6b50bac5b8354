#include "ui/pages/stories/openedscenario.h"

#include "core/foundation/files/inputfile.h"
#include "core/playground/scenarios/schedulescenario.h"

#include <QFileInfo>

namespace latchkey::ui::stories {

namespace {

/// Size limit in bytes. A useful story is smaller, and larger files should not be read completely.
constexpr qint64 maxFileSize = 1 << 20;

} // namespace

base::Result<OpenedScenario> openScenario(const QString &path)
{
    const auto contents = files::contentsOf(path, maxFileSize);
    if (!contents)
        return base::failure(contents.error().kind, QT_TRANSLATE_NOOP("core", "cannot read %1: %2"), path,
                             contents.error().text);
    auto scenario = scenarios::readAnyStory(QFileInfo(path).fileName(), *contents);
    if (!scenario)
        return base::failure(std::move(scenario.error()));
    return OpenedScenario {*std::move(scenario), *contents};
}

} // namespace latchkey::ui::stories

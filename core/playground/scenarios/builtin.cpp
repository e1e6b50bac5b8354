#include "core/playground/scenarios/builtin.h"

#include <QDir>
#include <QFile>

namespace latchkey::scenarios {

std::vector<BuiltInScenario> builtInScenarios()
{
    std::vector<BuiltInScenario> stories;
    const QDir folder(QStringLiteral(":/latchkey/stories"));
    // Files are named like `08-late-delete.json`; the number defines the order.
    for (const QString &name : folder.entryList({QStringLiteral("*-*.json")}, QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            qFatal("%s is not among the program's resources", qPrintable(file.fileName()));
        stories.push_back({name.section(u'-', 1).chopped(5), file.readAll()});
    }
    return stories;
}

std::optional<BuiltInScenario> builtInScenario(const QString &name)
{
    for (BuiltInScenario &scenario : builtInScenarios()) {
        if (scenario.name == name)
            return std::move(scenario);
    }
    return std::nullopt;
}

} // namespace latchkey::scenarios

#pragma once

#include <QByteArray>
#include <QString>

#include <optional>
#include <vector>

// The stories that come with the program: resources/stories.

namespace latchkey::scenarios {

/// A story file that is part of the program.
struct BuiltInScenario
{
    QString name; ///< `late-delete`
    QByteArray contents;
};

/// Returns all built-in stories, in presentation order.
[[nodiscard]] std::vector<BuiltInScenario> builtInScenarios();
/// Returns the built-in story with this name; absent if it does not exist.
[[nodiscard]] std::optional<BuiltInScenario> builtInScenario(const QString &name);

} // namespace latchkey::scenarios

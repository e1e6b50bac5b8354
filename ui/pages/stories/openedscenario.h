#pragma once

#include "core/playground/scenarios/scenario.h"

namespace latchkey::ui::stories {

/// A story and the content of its file.
struct OpenedScenario
{
    scenarios::Scenario scenario;
    QByteArray file;
};

/// Reads a story script or a recorded story from a file of the user. Error: Usage (not a story; with line and member),
/// Local (the file cannot be read).
[[nodiscard]] base::Result<OpenedScenario> openScenario(const QString &path);

} // namespace latchkey::ui::stories

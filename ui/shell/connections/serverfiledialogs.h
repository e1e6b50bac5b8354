#pragma once

#include <QString>

#include <functional>

class QWidget;

// The dialogs for the file of exported servers. They open without blocking; `chosen` is called with the file, unless
// the user cancels or `parent` is destroyed.

namespace latchkey::ui::connections {

void askExportFile(QWidget &parent, std::function<void(const QString &)> chosen);
void askImportFile(QWidget &parent, std::function<void(const QString &)> chosen);

} // namespace latchkey::ui::connections

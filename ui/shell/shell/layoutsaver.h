#pragma once

#include <QObject>
#include <QTimer>

namespace latchkey::ui::inspector {
class InspectorPage;
}

namespace latchkey::ui::shell {

class Settings;

/// A saver of the Inspector's layout: it restores the layout at start, and saves it after changes, debounced.
///
/// A crash of the program therefore does not lose the layout. Owned by the window. The page and the settings are not
/// owned.
class LayoutSaver final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LayoutSaver)

public:
    /// Restores the saved layout.
    LayoutSaver(inspector::InspectorPage &page, Settings &settings, QObject *parent);

    /// Saves the layout now.
    void save();

private:
    inspector::InspectorPage &m_page; // Not owned.
    Settings &m_settings;             // Not owned.
    QTimer m_saveTimer;               ///< Active for a short time after each change.
};

} // namespace latchkey::ui::shell

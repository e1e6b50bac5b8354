#pragma once

#include "ui/kit/theme/appearance.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QLabel;

namespace latchkey::ui::stories {

/// The commands that a client sends for a recipe, and the scripts that run in the server.
struct RecipeLines
{
    QStringList commands; ///< Such as `SET`; without the commands in scripts.
    QStringList scripts;  ///< Such as `compare-and-delete`.
};

/// Returns the lines of a recipe of either catalogue. Empty for an unknown recipe.
[[nodiscard]] RecipeLines linesOf(const QString &recipe);

/// A view of the commands of a recipe and the source of its scripts. It highlights a command for a moment when a client
/// sends it.
///
/// A script is highlighted as a whole, because it runs atomically in the server. Owned by its parent. The appearance is
/// not owned.
class RecipeView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecipeView)

public:
    explicit RecipeView(theme::Appearance &appearance, QWidget *parent = nullptr);

    void setRecipe(const QString &recipe);
    /// Highlights a command. `command`: as sent, `SET k v NX`; a script by its name, `EVALSHA compare-and-delete 1 k
    /// t`.
    void highlight(const QString &command);
    /// Returns the highlighted line, `SET` or `compare-and-delete`. Empty without one.
    [[nodiscard]] const QString &highlightedLine() const { return m_highlightedLine; }
    /// Sets whether there is room for the source. A click on the name of a script shows or hides the source in either
    /// case.
    void setRoomForSource(bool exists);

private:
    void toggleSource(const QString &script);
    [[nodiscard]] bool isSourceShown() const;
    void refresh();

    theme::Appearance &m_appearance; // Not owned.
    RecipeLines m_lines;
    QString m_highlightedLine;
    QString m_script; ///< Script of the source view: the last one sent or clicked; at first, that of the recipe.
    bool m_isRoomForSource = true;
    std::optional<bool> m_isSourceWanted; ///< Choice of the user; absent if the user has not chosen.
    QLabel *m_commands;
    QLabel *m_source;
    QTimer m_highlightTimer;
};

} // namespace latchkey::ui::stories

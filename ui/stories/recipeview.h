#pragma once

#include "ui/theme/appearance.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QLabel;

namespace latchkey::ui::stories {

/// What a client of a recipe sends by itself, and the scripts that it has the server run.
struct RecipeLines
{
    QStringList commands; ///< `SET`; not those that are within the scripts.
    QStringList scripts;  ///< `compare-and-delete`
};

/// Of a recipe of either catalogue; nothing where it is of none.
[[nodiscard]] RecipeLines linesOf(const QString &recipe);

/// The commands of a recipe and the source of its scripts. What a client has just sent lights up for a moment.
///
/// A script runs in the server in one go, so it lights up as a whole: nobody can stop at one of its lines. Owned by
/// its parent; the appearance is not owned.
class RecipeView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecipeView)

public:
    explicit RecipeView(theme::Appearance &appearance, QWidget *parent = nullptr);

    void setRecipe(const QString &recipe);
    /// command: as it was sent, `SET k v NX`, a script by its name: `EVALSHA compare-and-delete 1 k t`.
    void lightUp(const QString &command);
    /// `SET`, `compare-and-delete`; empty: nothing.
    [[nodiscard]] const QString &lit() const { return m_lit; }
    /// Whether there is the room to show the source, where there is one. A click on a script's name shows it anyway, or
    /// hides it.
    void setRoomForSource(bool isThere);

private:
    void toggleSource(const QString &script);
    [[nodiscard]] bool isSourceShown() const;
    void refresh();

    theme::Appearance &m_appearance; // Not owned.
    RecipeLines m_lines;
    QString m_lit;
    QString m_script; ///< Whose source is shown: the one that was sent last.
    bool m_isRoomForSource = true;
    std::optional<bool> m_isSourceWanted; ///< Absent: nobody has said.
    QLabel *m_commands;
    QLabel *m_source;
    QTimer m_darken;
};

} // namespace latchkey::ui::stories

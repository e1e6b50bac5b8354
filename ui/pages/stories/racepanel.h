#pragma once

#include "ui/pages/stories/racesearchpanel.h"

class QComboBox;

namespace latchkey::ui::stories {

class ServerFaultForm;

/// A panel that runs the race finder on one recipe: progress, a verdict per promise, and the shortest schedule of each
/// broken promise. The schedule can be played as a story. Owned by the StoriesPage.
class RacePanel final : public RaceSearchPanel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RacePanel)

public:
    /// `program`: path of latchkey-cli.
    RacePanel(const QString &program, theme::Appearance &appearance, QWidget *parent = nullptr);
    ~RacePanel() override;

    /// Starts a search for that recipe, unless such a search is running or has finished. A search that failed or was
    /// cancelled is repeated.
    void find(const QString &recipe);

private:
    void makeChoices();
    [[nodiscard]] QWidget *makeHead();
    void start() override;
    void refresh() override;
    [[nodiscard]] std::vector<RaceAnswers::Line> lines() const override;
    [[nodiscard]] QString verdictOf(const racesearch::RaceSearch::Answer &answer) const;
    [[nodiscard]] QString titleText() const override;
    [[nodiscard]] bool canRepeat() const override { return !m_recipe.isEmpty(); }
    [[nodiscard]] QString runningText() const override;
    [[nodiscard]] QString resultText() const override;
    [[nodiscard]] std::optional<double> progressed() const override;
    /// Returns the result text if no promise is broken.
    [[nodiscard]] QString allHold() const;

    QComboBox *m_clients;
    QComboBox *m_faults;
    ServerFaultForm *m_serverFaults;
    QStringList m_promises;                ///< Promises of the last search; empty: all without server faults.
    schedules::ServerFaultLimits m_limits; ///< Limits of the last search.
    QString m_recipe;
};

} // namespace latchkey::ui::stories

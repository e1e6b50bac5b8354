#pragma once

#include "ui/pages/stories/racesearchpanel.h"

#include <QVariantMap>

namespace latchkey::ui::stories {

class ProgramForm;

/// A panel that runs the race finder on a program of the user: form, progress, and a verdict per promise.
///
/// The panel shows either the form or the answers, so that each fits in a small window. The form keeps its content.
/// Owned by the StoriesPage.
class ProgramPanel final : public RaceSearchPanel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ProgramPanel)

public:
    /// `finder`: path of latchkey-cli.
    ProgramPanel(const QString &finder, theme::Appearance &appearance, QWidget *parent = nullptr);
    ~ProgramPanel() override;

    /// Moves the keyboard focus to the next useful widget.
    void takeFocus();
    /// Restores the fields of the form, see ProgramForm.
    void restoreForm(const QVariantMap &state);

Q_SIGNALS:
    /// Emitted when a search starts, with the fields of the form.
    void formSaved(const QVariantMap &state);

private:
    [[nodiscard]] QWidget *makeHead();
    void start() override;
    void stateChanged() override;
    void setFormShown(bool isShown);
    void refresh() override;
    [[nodiscard]] std::vector<RaceAnswers::Line> lines() const override;
    [[nodiscard]] QString notes() const override;
    [[nodiscard]] QString titleText() const override;
    [[nodiscard]] bool canRepeat() const override;
    [[nodiscard]] QString runningText() const override;
    [[nodiscard]] QString resultText() const override;
    [[nodiscard]] std::optional<double> progressed() const override;

    ProgramForm *m_form;
    QPushButton *m_change;
    bool m_isFormShown = true;
};

} // namespace latchkey::ui::stories

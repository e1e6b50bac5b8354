#pragma once

#include "ui/kit/theme/appearance.h"

#include <QWidget>

class QVBoxLayout;

namespace latchkey::ui::playground {

struct BeliefView;
class CountdownBar;
class StableLabel;

/// The two statements of a client's card: the belief of the client, and the state of its key on the server, each with a
/// countdown. Owned by the card. The appearance is not owned.
class BeliefPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(BeliefPanel)

public:
    explicit BeliefPanel(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// `isHolding`: whether the client believes that it holds a lock.
    void showBelief(const BeliefView &view, bool isHolding);
    /// Sets whether the texts are large.
    void setLarge(bool isLarge);

private:
    /// A text and a countdown above it.
    struct Statement
    {
        StableLabel *text;
        CountdownBar *bar;
    };

    void addStatement(QVBoxLayout &layout, const QString &caption, const Statement &statement);
    void applyAppearance();

    theme::Appearance &m_appearance;
    Statement m_belief;
    Statement m_truth;
};

} // namespace latchkey::ui::playground

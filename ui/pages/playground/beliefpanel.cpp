#include "ui/pages/playground/beliefpanel.h"

#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/pages/playground/clientbelief.h"
#include "ui/pages/playground/countdownbar.h"
#include "ui/pages/playground/stablelabel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace latchkey::ui::playground {

using Tone = widgets::Pill::Tone;

namespace {

/// Returns the name of a tone in the style sheet.
QString toneName(Tone tone)
{
    switch (tone) {
    case Tone::Good:
        return QStringLiteral("good");
    case Tone::Warning:
        return QStringLiteral("warning");
    case Tone::Critical:
        return QStringLiteral("critical");
    case Tone::Neutral:
    case Tone::Accent:
    case Tone::Endless:
        break;
    }
    return {};
}

} // namespace

BeliefPanel::BeliefPanel(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_belief {new StableLabel(QStringLiteral("belief"), this), new CountdownBar(appearance, this)}
    , m_truth {new StableLabel(QStringLiteral("truth"), this), new CountdownBar(appearance, this)}
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    addStatement(*layout, tr("Believes"), m_belief);
    addStatement(*layout, tr("Server"), m_truth);
    connect(&m_appearance, &theme::Appearance::changed, this, &BeliefPanel::applyAppearance);
    applyAppearance();
}

void BeliefPanel::addStatement(QVBoxLayout &layout, const QString &caption, const Statement &statement)
{
    auto *rows = new QVBoxLayout;
    rows->setSpacing(1);
    auto *countdown = new QHBoxLayout;
    countdown->setSpacing(8);
    countdown->addWidget(widgets::makePlainLabel(QStringLiteral("caption"), caption, this));
    countdown->addWidget(statement.bar, 1);
    rows->addLayout(countdown);
    rows->addWidget(statement.text);
    layout.addLayout(rows);
}

void BeliefPanel::applyAppearance()
{
    for (const Statement &statement : {m_belief, m_truth})
        statement.text->setBackground(m_appearance.theme().surface);
}

void BeliefPanel::showBelief(const BeliefView &view, bool isHolding)
{
    m_belief.text->setText(view.belief);
    m_truth.text->setText(view.truth);
    m_belief.bar->set(view.beliefShare, view.isConflict() ? Tone::Critical : Tone::Accent);
    m_truth.bar->set(view.truthShare, view.truthTone == Tone::Neutral ? Tone::Accent : view.truthTone);
    widgets::restyle(m_belief.text->label(), "tone",
                     isHolding && (view.isPastLease || view.isConflict()) ? QStringLiteral("critical")
                     : isHolding                                          ? QStringLiteral("strong")
                                                                          : QString());
    widgets::restyle(m_truth.text->label(), "tone", toneName(view.truthTone));
}

void BeliefPanel::setLarge(bool isLarge)
{
    const QString type = isLarge ? QStringLiteral("large") : QString();
    for (const Statement &statement : {m_belief, m_truth})
        widgets::restyle(statement.text->label(), "type", type);
}

} // namespace latchkey::ui::playground

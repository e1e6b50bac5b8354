// The presets of the Playground page. The rest is in playgroundpage.cpp.

#include "core/playground/playground/preset.h"
#include "ui/kit/widgets/emptystate.h"
#include "ui/pages/playground/playgroundpage.h"
#include "ui/pages/playground/stablelabel.h"

#include <QCoreApplication>
#include <QLabel>
#include <QMenu>
#include <QPushButton>

namespace latchkey::ui::playground {

using latchkey::playground::Preset;

namespace {

QString titleOf(const Preset &preset)
{
    return QCoreApplication::translate("core", preset.title);
}

QString explanationOf(const Preset &preset)
{
    return QCoreApplication::translate("core", preset.explanation);
}

} // namespace

void PlaygroundPage::setUpPresets()
{
    m_presetMenu->setObjectName(QStringLiteral("presets"));
    m_presetMenu->setProperty("kind", QStringLiteral("menu"));
    m_presetMenu->setToolTip(tr("Removes all clients and starts a prepared situation"));
    auto *menu = new QMenu(m_presetMenu);
    for (const Preset &preset : latchkey::playground::presets()) {
        QAction *action = menu->addAction(QString(), this, [this, &preset] { startPreset(preset); });
        action->setObjectName(QStringLiteral("preset-") + QLatin1String(preset.id));
    }
    m_presetMenu->setMenu(menu);
    m_hint->setWordWrap(true);
    m_hint->hide();
}

/// Sets the texts of the presets in the current language.
void PlaygroundPage::namePresets()
{
    const auto presets = latchkey::playground::presets();
    const auto actions = m_presetMenu->menu()->actions();
    std::vector<widgets::EmptyState::Choice> choices;
    for (std::size_t i = 0; i < presets.size(); ++i) {
        const Preset &preset = presets[i];
        actions[static_cast<qsizetype>(i)]->setText(titleOf(preset));
        if (m_server)
            choices.push_back({QStringLiteral("start-") + QLatin1String(preset.id), titleOf(preset),
                               explanationOf(preset), [this, &preset] { startPreset(preset); }});
    }
    m_empty->setChoices(std::move(choices));
    m_presetMenu->setEnabled(m_server != nullptr);
    if (m_preset != nullptr)
        m_hint->setText(explanationOf(*m_preset));
    m_hint->setVisible(m_preset != nullptr && !m_isPresenting);
}

void PlaygroundPage::startPreset(const Preset &preset)
{
    m_presetRunner.start(preset);
    m_preset = &preset; // Set after the removal of the last client, which ends the former preset.
    m_recorder.restart(serverNames());
    m_serverStates.clear();
    m_resource = {};
    m_resourceView->showWrites(m_resource);
    showServers();
    m_sharedCards = 0; // The cards of the preset are side by side, if there is room.
    m_sentence->setText(explanationOf(preset));
    refresh();
}

} // namespace latchkey::ui::playground

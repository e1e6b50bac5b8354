#include "ui/pages/playground/presetbutton.h"

#include "ui/kit/widgets/languagechangenotifier.h"

#include <QCoreApplication>
#include <QMenu>

namespace latchkey::ui::playground {

using latchkey::playground::Preset;

QString titleOf(const Preset &preset)
{
    return QCoreApplication::translate("core", preset.title);
}

QString explanationOf(const Preset &preset)
{
    return QCoreApplication::translate("core", preset.explanation);
}

PresetButton::PresetButton(QWidget *parent)
    : QPushButton(tr("Presets"), parent)
{
    setObjectName(QStringLiteral("presets"));
    setProperty("kind", QStringLiteral("menu"));
    setToolTip(tr("Removes all clients and starts a prepared situation"));
    auto *menu = new QMenu(this);
    for (const Preset &preset : latchkey::playground::presets()) {
        QAction *action = menu->addAction(QString(), this, [this, &preset] { Q_EMIT chosen(preset); });
        action->setObjectName(QStringLiteral("preset-") + QLatin1String(preset.id));
    }
    setMenu(menu);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &PresetButton::retranslate);
    retranslate();
}

void PresetButton::retranslate()
{
    const auto presets = latchkey::playground::presets();
    const auto actions = menu()->actions();
    for (std::size_t i = 0; i < presets.size(); ++i)
        actions[static_cast<qsizetype>(i)]->setText(titleOf(presets[i]));
}

} // namespace latchkey::ui::playground

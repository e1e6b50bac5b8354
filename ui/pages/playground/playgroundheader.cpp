#include "ui/pages/playground/playgroundheader.h"

#include "ui/kit/widgets/elidedlabel.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/taborder.h"
#include "ui/pages/playground/presetbutton.h"
#include "ui/pages/playground/servercountbutton.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::playground {

PlaygroundHeader::PlaygroundHeader(latchkey::playground::ServerPool &serverPool, theme::Appearance &appearance,
                                   QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_presets(new PresetButton(this))
    , m_serverCount(new ServerCountButton(serverPool, this))
    , m_add(new QPushButton(tr("Add client"), this))
    , m_showSide(new QPushButton(tr("Keys and log"), this))
    , m_present(new QPushButton(tr("Present"), this))
    , m_summary(new widgets::ElidedLabel(this))
{
    m_summary->setObjectName(QStringLiteral("secondary"));
    setUpButtons();
    setUpLayout();
    connect(&m_appearance, &theme::Appearance::changed, this, &PlaygroundHeader::applyAppearance);
    applyAppearance();
}

void PlaygroundHeader::setUpButtons()
{
    m_add->setObjectName(QStringLiteral("addClient"));
    m_add->setProperty("kind", QStringLiteral("primary"));
    m_showSide->setObjectName(QStringLiteral("showServer"));
    m_showSide->setProperty("kind", QStringLiteral("quiet"));
    m_showSide->setCheckable(true);
    m_showSide->setToolTip(tr("Keys on the server and log of all commands"));
    m_present->setObjectName(QStringLiteral("present"));
    m_present->setProperty("kind", QStringLiteral("quiet"));
    m_present->setToolTip(
        tr("Shows the clients' controls, the diagram and the resource full screen, in large type (F11)"));
    connect(m_presets, &PresetButton::chosen, this, &PlaygroundHeader::presetRequested);
    connect(m_add, &QPushButton::clicked, this, &PlaygroundHeader::clientRequested);
    connect(m_present, &QPushButton::clicked, this, &PlaygroundHeader::presentationRequested);
    connect(m_showSide, &QPushButton::clicked, this, &PlaygroundHeader::sideToggled);
}

void PlaygroundHeader::setUpLayout()
{
    auto *heading = new QVBoxLayout;
    heading->setSpacing(2);
    heading->addWidget(widgets::makePlainLabel(QLatin1String("pageTitle"), tr("Playground"), this));
    heading->addWidget(m_summary);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(heading, 1);
    layout->addWidget(m_presets);
    layout->addWidget(m_serverCount);
    layout->addWidget(m_showSide);
    layout->addWidget(m_present);
    layout->addWidget(m_add);
    widgets::tabInLayoutOrder(*layout);
}

void PlaygroundHeader::applyAppearance()
{
    m_add->setIcon(m_appearance.icon(QStringLiteral("plus"), m_appearance.theme().onAccent));
    m_showSide->setIcon(m_appearance.icon(QStringLiteral("server")));
    m_present->setIcon(m_appearance.icon(QStringLiteral("play")));
}

void PlaygroundHeader::setSummary(const QString &summary)
{
    m_summary->setText(summary);
}

void PlaygroundHeader::setStartEnabled(bool isEnabled)
{
    m_add->setEnabled(isEnabled);
    m_presets->setEnabled(isEnabled);
}

void PlaygroundHeader::setSideShown(bool isShown)
{
    m_showSide->setChecked(isShown);
}

void PlaygroundHeader::takeFocus()
{
    m_add->setFocus(Qt::OtherFocusReason);
}

void PlaygroundHeader::clickAdd()
{
    m_add->click();
}

} // namespace latchkey::ui::playground

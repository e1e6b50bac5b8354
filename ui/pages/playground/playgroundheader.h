#pragma once

#include "ui/kit/theme/appearance.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace latchkey::playground {
class ServerPool;
struct Preset;
} // namespace latchkey::playground

namespace latchkey::ui::playground {

class PresetButton;

/// The header of the Playground page: title, summary, and the buttons of the page. Owned by the page. Server pool and
/// appearance are not owned. Except for the number of servers, it changes nothing: its signals are requests of the
/// user.
class PlaygroundHeader final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PlaygroundHeader)

public:
    PlaygroundHeader(latchkey::playground::ServerPool &serverPool, theme::Appearance &appearance,
                     QWidget *parent = nullptr);

    void setSummary(const QString &summary);
    /// Sets whether clients can be added and presets started.
    void setStartEnabled(bool isEnabled);
    void setSideShown(bool isShown);
    /// Moves the keyboard focus to the button that adds a client.
    void takeFocus();
    /// Clicks the button that adds a client. Does nothing while the button is disabled.
    void clickAdd();

Q_SIGNALS:
    void clientRequested();
    void presetRequested(const latchkey::playground::Preset &preset);
    void sideToggled(bool isWanted);
    void presentationRequested();

private:
    void setUpButtons();
    void setUpLayout();
    void applyAppearance();

    theme::Appearance &m_appearance;
    PresetButton *m_presets;
    QPushButton *m_serverCount;
    QPushButton *m_add;
    QPushButton *m_showSide;
    QPushButton *m_present;
    QLabel *m_summary;
};

} // namespace latchkey::ui::playground

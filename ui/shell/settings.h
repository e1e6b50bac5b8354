#pragma once

#include "ui/speech/speech.h"
#include "ui/theme/appearance.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>
#include <QVariantMap>

namespace latchkey::ui::shell {

/// What is remembered from one run to the next. Never a password: servers are remembered by their display URL.
/// Owned by main().
class Settings final
{
public:
    /// file: an INI file; empty: where the desktop keeps such things.
    explicit Settings(const QString &file = {});

    [[nodiscard]] QString lastServer() const;
    /// Most recent first, at most eight.
    [[nodiscard]] QStringList recentServers() const;
    /// displayUrl: Endpoint::display().
    void rememberServer(const QString &displayUrl);

    [[nodiscard]] theme::Appearance::Mode appearanceMode() const;
    void setAppearanceMode(theme::Appearance::Mode mode);
    [[nodiscard]] speech::Speech::Choice languageChoice() const;
    void setLanguageChoice(speech::Speech::Choice choice);
    [[nodiscard]] QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray &geometry);
    /// How the Inspector is divided; see InspectorPage::saveLayout().
    [[nodiscard]] QByteArray inspectorLayout() const;
    void setInspectorLayout(const QByteArray &layout);
    [[nodiscard]] int commandsPerSecond() const;
    void setCommandsPerSecond(int commands);
    /// Whether everything is read at full speed at first; see keyspace::Watcher::setFastFirstScan().
    [[nodiscard]] bool hasFastFirstScan() const;
    void setFastFirstScan(bool isFast);
    /// How many private servers the Playground has.
    [[nodiscard]] int playgroundServers() const;
    void setPlaygroundServers(int servers);
    /// What was last sought in a program; see ui::stories::StoriesPage. Never its command.
    [[nodiscard]] QVariantMap programForm() const;
    void setProgramForm(const QVariantMap &kept);

    /// The file of the user's own dialects, beside this one unless LATCHKEY_DIALECTS names another.
    [[nodiscard]] QString dialectsFile() const;
    /// The file of the servers that are kept by name, likewise; LATCHKEY_SERVERS names another.
    [[nodiscard]] QString serversFile() const;

private:
    QSettings m_settings;
};

} // namespace latchkey::ui::shell

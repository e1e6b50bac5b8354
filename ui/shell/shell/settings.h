#pragma once

#include "core/foundation/files/inifile.h"
#include "ui/kit/i18n/languageswitcher.h"
#include "ui/kit/theme/appearance.h"

#include <QByteArray>
#include <QStringList>
#include <QVariantMap>

#include <array>
#include <chrono>
#include <functional>
#include <optional>

namespace latchkey::ui::shell {

/// The settings that are saved between runs. They never contain a password: servers are saved as display URLs. Each
/// change is saved at once. A change that cannot be saved is reported, applies until the program ends, and is saved
/// with the next change. Owned by main().
class Settings final
{
public:
    /// `file`: path of an INI file; empty: the usual location on the desktop.
    explicit Settings(const QString &file = {});

    /// Sets the function that is called after each attempt to save, with the error if it failed. If the file could not
    /// be read, the function is called at once. Replaces the previous function.
    void setSaveHandler(std::function<void(const std::optional<base::Error> &)> handler);

    [[nodiscard]] QString lastServer() const;
    /// Returns at most eight URLs, the most recent first.
    [[nodiscard]] QStringList recentServers() const;
    /// Saves a server as the most recent one. `displayUrl`: result of Endpoint::display().
    void rememberServer(const QString &displayUrl);

    [[nodiscard]] theme::Appearance::Mode appearanceMode() const;
    void setAppearanceMode(theme::Appearance::Mode mode);
    [[nodiscard]] i18n::LanguageSwitcher::Choice languageChoice() const;
    void setLanguageChoice(i18n::LanguageSwitcher::Choice choice);
    [[nodiscard]] QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray &geometry);
    /// Returns the layout of the Inspector; see InspectorPage::saveLayout().
    [[nodiscard]] QByteArray inspectorLayout() const;
    void setInspectorLayout(const QByteArray &layout);
    /// Returns whether the hint about the pages was shown; see MainWindow::welcome().
    [[nodiscard]] bool isWelcomed() const;
    void setWelcomed(bool isWelcomed);
    /// Returns the limit while watching, as 10 to 100,000 commands per second; see budget::CommandLimit::ofShareAt().
    [[nodiscard]] int commandsPerSecond() const;
    void setCommandsPerSecond(int commands);
    /// Returns whether the first scan runs at full speed. Absent if the user has not chosen; see
    /// watching::Watcher::setFirstScanLimit().
    [[nodiscard]] std::optional<bool> fastFirstScan() const;
    void setFastFirstScan(bool isFast);
    /// The times after which writing can be disarmed, in minutes.
    static constexpr std::array armedMinutes {5, 15, 60};
    /// Returns the time after which writing to a server is disarmed; one of armedMinutes.
    [[nodiscard]] std::chrono::minutes armedTime() const;
    void setArmedTime(std::chrono::minutes time);
    /// Returns the number of private servers in the Playground, from 1 to ServerPool::maxServers.
    [[nodiscard]] int playgroundServers() const;
    void setPlaygroundServers(int servers);
    /// Returns the form of the last race search in a program, without its command; see ui::stories::StoriesPage.
    [[nodiscard]] QVariantMap programForm() const;
    void setProgramForm(const QVariantMap &state);

    /// Returns the alert rules of a server, in the notation of alerts::parseAlertRule(). `displayUrl`: result of
    /// Endpoint::display(). A server whose rules were never set has the default rules.
    [[nodiscard]] QStringList alertRules(const QString &displayUrl) const;
    void setAlertRules(const QString &displayUrl, const QStringList &rules);
    /// Returns whether the desktop shows alerts while the window is in the background; default: true.
    [[nodiscard]] bool areAlertsOnDesktop() const;
    /// Returns whether the desktop notifications of alerts have a sound; default: false.
    [[nodiscard]] bool haveAlertsSound() const;
    void setDesktopAlerts(bool areOnDesktop, bool haveSound);

    /// Returns the path of the user's dialects. The file is beside the settings unless LATCHKEY_DIALECTS names another
    /// one.
    [[nodiscard]] QString dialectsFile() const;
    /// Returns the path of the saved connections. The file is beside the settings unless LATCHKEY_SERVERS names another
    /// one.
    [[nodiscard]] QString serversFile() const;

private:
    void set(const QString &key, const QVariant &value);
    void set(const files::IniValues &changed);

    const QString m_file;
    files::IniValues m_values;
    std::optional<base::Error> m_unreadable; ///< Why the file could not be read; if set, changes are not saved.
    files::IniValues m_unsaved;              ///< Changes that are not saved yet.
    std::function<void(const std::optional<base::Error> &)> m_saveHandler = [](const auto &) {};
};

} // namespace latchkey::ui::shell

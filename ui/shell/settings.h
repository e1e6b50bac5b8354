#pragma once

#include "core/base/inifile.h"
#include "ui/speech/speech.h"
#include "ui/theme/appearance.h"

#include <QByteArray>
#include <QStringList>
#include <QVariantMap>

#include <functional>
#include <optional>

namespace latchkey::ui::shell {

/// What is remembered from one run to the next. Never a password: servers are remembered by their display URL.
/// Each change is saved at once. A change that cannot be saved is told, is in force until the program ends, and is
/// saved together with the next one. Owned by main().
class Settings final
{
public:
    /// file: an INI file; empty: where the desktop keeps such things.
    explicit Settings(const QString &file = {});

    /// told: called after each attempt to save, with the reason if it failed, and at once if the file could not be
    /// read. Replaces the previous function.
    void setTold(std::function<void(const std::optional<base::Error> &)> told);

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
    void set(const QString &key, const QVariant &value);
    void set(const base::IniValues &changed);

    const QString m_file;
    base::IniValues m_values;
    std::optional<base::Error> m_unreadable; ///< Why the file could not be read; nothing is saved then.
    base::IniValues m_unsaved;               ///< Changes that could not be saved yet.
    std::function<void(const std::optional<base::Error> &)> m_told = [](const auto &) {};
};

} // namespace latchkey::ui::shell

#include "ui/shell/shell/settings.h"

#include "core/inspect/inspection/armingtimer.h"
#include "core/inspect/recognition/userdialects.h"
#include "core/keyspace/watching/watcher.h"
#include "core/playground/playground/serverpool.h"
#include "core/redis/connections/savedconnections.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

#include <algorithm>

namespace latchkey::ui::shell {

using Choice = i18n::LanguageSwitcher::Choice;
using Mode = theme::Appearance::Mode;
using language::Language;

namespace {

const QString recentKey = QStringLiteral("servers/recent");
const QString modeKey = QStringLiteral("window/appearance");
const QString languageKey = QStringLiteral("window/language");
const QString geometryKey = QStringLiteral("window/geometry");
const QString welcomedKey = QStringLiteral("window/welcomed");
const QString inspectorKey = QStringLiteral("window/inspector");
const QString commandsKey = QStringLiteral("watching/commandsPerSecond");
const QString fastFirstScanKey = QStringLiteral("watching/fastFirstScan");
const QString armedMinutesKey = QStringLiteral("writing/armedMinutes");
const QString playgroundServersKey = QStringLiteral("playground/servers");
const QString alertRulesKey = QStringLiteral("alerts/rules");
const QString desktopAlertsKey = QStringLiteral("alerts/desktop");
const QString alertSoundKey = QStringLiteral("alerts/sound");
const QString programFormGroup = QStringLiteral("programForm/");

} // namespace

Settings::Settings(const QString &file)
    : m_file(file.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation)
                                  + QStringLiteral("/latchkey/latchkey.ini")
                            : file)
{
    if (auto kept = files::readIniFile(m_file))
        m_values = *std::move(kept);
    else
        m_unreadable = std::move(kept.error());
}

void Settings::setSaveHandler(std::function<void(const std::optional<base::Error> &)> handler)
{
    m_saveHandler = std::move(handler);
    if (m_unreadable)
        m_saveHandler(m_unreadable);
}

void Settings::set(const QString &key, const QVariant &value)
{
    set(files::IniValues {{key, value}});
}

void Settings::set(const files::IniValues &changed)
{
    for (auto each = changed.begin(); each != changed.end(); ++each) {
        if (m_values.value(each.key()) != each.value())
            m_unsaved[each.key()] = each.value();
    }
    if (m_unsaved.isEmpty())
        return;
    m_values.insert(changed);
    if (m_unreadable) {
        m_saveHandler(m_unreadable); // The file belongs to another program, or saving would lose its content.
        return;
    }
    const auto saved = files::changeIniFile(m_file, [this](files::IniValues &values) {
        for (auto each = m_unsaved.begin(); each != m_unsaved.end(); ++each)
            values[each.key()] = each.value();
    });
    if (saved)
        m_unsaved.clear();
    m_saveHandler(saved ? std::nullopt : std::optional(saved.error()));
}

QStringList Settings::recentServers() const
{
    return m_values.value(recentKey).toStringList();
}

QString Settings::lastServer() const
{
    return recentServers().value(0);
}

void Settings::rememberServer(const QString &displayUrl)
{
    constexpr qsizetype maxRecentServers = 8;
    QStringList servers = recentServers();
    servers.removeAll(displayUrl);
    servers.prepend(displayUrl);
    set(recentKey, servers.first(std::min(maxRecentServers, servers.size())));
}

Mode Settings::appearanceMode() const
{
    const QString mode = m_values.value(modeKey).toString();
    return mode == u"light" ? Mode::Light : mode == u"dark" ? Mode::Dark : Mode::System;
}

void Settings::setAppearanceMode(Mode mode)
{
    set(modeKey, mode == Mode::Light  ? QStringLiteral("light")
                 : mode == Mode::Dark ? QStringLiteral("dark")
                                      : QStringLiteral("system"));
}

Choice Settings::languageChoice() const
{
    const QString code = m_values.value(languageKey).toString();
    return code == codeOf(Language::English) ? Choice::English
         : code == codeOf(Language::Chinese) ? Choice::Chinese
                                             : Choice::System;
}

void Settings::setLanguageChoice(Choice choice)
{
    set(languageKey, choice == Choice::English   ? codeOf(Language::English)
                     : choice == Choice::Chinese ? codeOf(Language::Chinese)
                                                 : QStringLiteral("system"));
}

QByteArray Settings::windowGeometry() const
{
    return m_values.value(geometryKey).toByteArray();
}

void Settings::setWindowGeometry(const QByteArray &geometry)
{
    set(geometryKey, geometry);
}

QByteArray Settings::inspectorLayout() const
{
    return m_values.value(inspectorKey).toByteArray();
}

void Settings::setInspectorLayout(const QByteArray &layout)
{
    set(inspectorKey, layout);
}

bool Settings::isWelcomed() const
{
    return m_values.value(welcomedKey).toBool();
}

void Settings::setWelcomed(bool isWelcomed)
{
    set(welcomedKey, isWelcomed);
}

int Settings::commandsPerSecond() const
{
    return std::clamp(m_values.value(commandsKey, budget::CommandLimit::ofWatching().perSecond()).toInt(), 10, 100'000);
}

std::optional<bool> Settings::fastFirstScan() const
{
    const auto chosen = m_values.constFind(fastFirstScanKey);
    return chosen == m_values.cend() ? std::nullopt : std::optional(chosen->toBool());
}

void Settings::setFastFirstScan(bool isFast)
{
    set(fastFirstScanKey, isFast);
}

void Settings::setCommandsPerSecond(int commands)
{
    set(commandsKey, commands);
}

std::chrono::minutes Settings::armedTime() const
{
    const int minutes = m_values.value(armedMinutesKey).toInt();
    return std::ranges::find(armedMinutes, minutes) == armedMinutes.end() ? inspection::defaultArmedTime
                                                                          : std::chrono::minutes(minutes);
}

void Settings::setArmedTime(std::chrono::minutes time)
{
    set(armedMinutesKey, static_cast<int>(time.count()));
}

int Settings::playgroundServers() const
{
    return std::clamp(m_values.value(playgroundServersKey, 1).toInt(), 1, latchkey::playground::ServerPool::maxServers);
}

void Settings::setPlaygroundServers(int servers)
{
    set(playgroundServersKey, servers);
}

QVariantMap Settings::programForm() const
{
    QVariantMap state;
    for (auto each = m_values.begin(); each != m_values.end(); ++each) {
        if (each.key().startsWith(programFormGroup))
            state[each.key().sliced(programFormGroup.size())] = each.value();
    }
    return state;
}

void Settings::setProgramForm(const QVariantMap &state)
{
    files::IniValues changed;
    for (auto each = state.begin(); each != state.end(); ++each)
        changed[programFormGroup + each.key()] = each.value();
    set(changed);
}

QStringList Settings::alertRules(const QString &displayUrl) const
{
    // A URL is no key of an INI file, so the rules of all servers are one JSON object.
    const QJsonObject all = QJsonDocument::fromJson(m_values.value(alertRulesKey).toString().toUtf8()).object();
    const auto rules = all.constFind(displayUrl);
    return rules == all.constEnd() ? QStringList {QStringLiteral("no-expiry"), QStringLiteral("two-holders")}
                                   : rules->toVariant().toStringList();
}

void Settings::setAlertRules(const QString &displayUrl, const QStringList &rules)
{
    QJsonObject all = QJsonDocument::fromJson(m_values.value(alertRulesKey).toString().toUtf8()).object();
    all[displayUrl] = QJsonArray::fromStringList(rules);
    set(alertRulesKey, QString::fromUtf8(QJsonDocument(all).toJson(QJsonDocument::Compact)));
}

bool Settings::areAlertsOnDesktop() const
{
    return m_values.value(desktopAlertsKey, true).toBool();
}

bool Settings::haveAlertsSound() const
{
    return m_values.value(alertSoundKey, false).toBool();
}

void Settings::setDesktopAlerts(bool areOnDesktop, bool haveSound)
{
    set(files::IniValues {{desktopAlertsKey, areOnDesktop}, {alertSoundKey, haveSound}});
}

QString Settings::dialectsFile() const
{
    return qEnvironmentVariableIsEmpty("LATCHKEY_DIALECTS")
             ? QFileInfo(m_file).dir().filePath(QStringLiteral("dialects.json"))
             : recognition::UserDialects::defaultFile();
}

QString Settings::serversFile() const
{
    return qEnvironmentVariableIsEmpty("LATCHKEY_SERVERS")
             ? QFileInfo(m_file).dir().filePath(QStringLiteral("servers.ini"))
             : latchkey::connections::SavedConnections::defaultFile();
}

} // namespace latchkey::ui::shell

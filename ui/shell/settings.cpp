#include "ui/shell/settings.h"

#include "core/keyspace/watcher.h"
#include "core/playground/fleet.h"
#include "core/recognition/owndialects.h"
#include "core/servers/serverbook.h"

#include <QDir>
#include <QFileInfo>

namespace latchkey::ui::shell {

using Choice = speech::Speech::Choice;
using Mode = theme::Appearance::Mode;
using language::Language;

namespace {

const QString recentKey = QStringLiteral("servers/recent");
const QString modeKey = QStringLiteral("window/appearance");
const QString languageKey = QStringLiteral("window/language");
const QString geometryKey = QStringLiteral("window/geometry");
const QString inspectorKey = QStringLiteral("window/inspector");
const QString commandsKey = QStringLiteral("watching/commandsPerSecond");
const QString fastFirstScanKey = QStringLiteral("watching/fastFirstScan");
const QString playgroundServersKey = QStringLiteral("playground/servers");
const QString programFormGroup = QStringLiteral("programForm/");

} // namespace

Settings::Settings(const QString &file)
    : m_settings(file.isEmpty() ? QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("latchkey"),
                                            QStringLiteral("latchkey"))
                                      .fileName()
                                : file,
                 QSettings::IniFormat)
{}

QStringList Settings::recentServers() const
{
    return m_settings.value(recentKey).toStringList();
}

QString Settings::lastServer() const
{
    return recentServers().value(0);
}

void Settings::rememberServer(const QString &displayUrl)
{
    constexpr qsizetype most = 8;
    QStringList servers = recentServers();
    servers.removeAll(displayUrl);
    servers.prepend(displayUrl);
    m_settings.setValue(recentKey, servers.first(std::min(most, servers.size())));
}

Mode Settings::appearanceMode() const
{
    const QString mode = m_settings.value(modeKey).toString();
    return mode == u"light" ? Mode::Light : mode == u"dark" ? Mode::Dark : Mode::System;
}

void Settings::setAppearanceMode(Mode mode)
{
    m_settings.setValue(modeKey, mode == Mode::Light  ? QStringLiteral("light")
                                 : mode == Mode::Dark ? QStringLiteral("dark")
                                                      : QStringLiteral("system"));
}

Choice Settings::languageChoice() const
{
    const QString code = m_settings.value(languageKey).toString();
    return code == codeOf(Language::English) ? Choice::English
         : code == codeOf(Language::Chinese) ? Choice::Chinese
                                             : Choice::System;
}

void Settings::setLanguageChoice(Choice choice)
{
    m_settings.setValue(languageKey, choice == Choice::English   ? codeOf(Language::English)
                                     : choice == Choice::Chinese ? codeOf(Language::Chinese)
                                                                 : QStringLiteral("system"));
}

QByteArray Settings::windowGeometry() const
{
    return m_settings.value(geometryKey).toByteArray();
}

void Settings::setWindowGeometry(const QByteArray &geometry)
{
    m_settings.setValue(geometryKey, geometry);
}

QByteArray Settings::inspectorLayout() const
{
    return m_settings.value(inspectorKey).toByteArray();
}

void Settings::setInspectorLayout(const QByteArray &layout)
{
    m_settings.setValue(inspectorKey, layout);
}

int Settings::commandsPerSecond() const
{
    return std::clamp(m_settings.value(commandsKey, keyspace::Watcher::defaultCommandsPerSecond).toInt(), 10, 100'000);
}

bool Settings::hasFastFirstScan() const
{
    return m_settings.value(fastFirstScanKey, true).toBool();
}

void Settings::setFastFirstScan(bool isFast)
{
    m_settings.setValue(fastFirstScanKey, isFast);
}

void Settings::setCommandsPerSecond(int commands)
{
    m_settings.setValue(commandsKey, commands);
}

int Settings::playgroundServers() const
{
    return std::clamp(m_settings.value(playgroundServersKey, 1).toInt(), 1, playground::Fleet::most);
}

void Settings::setPlaygroundServers(int servers)
{
    m_settings.setValue(playgroundServersKey, servers);
}

QVariantMap Settings::programForm() const
{
    QVariantMap kept;
    for (const QString &key : m_settings.allKeys()) {
        if (key.startsWith(programFormGroup))
            kept[key.sliced(programFormGroup.size())] = m_settings.value(key);
    }
    return kept;
}

void Settings::setProgramForm(const QVariantMap &kept)
{
    for (auto each = kept.begin(); each != kept.end(); ++each)
        m_settings.setValue(programFormGroup + each.key(), each.value());
}

QString Settings::dialectsFile() const
{
    return qEnvironmentVariableIsEmpty("LATCHKEY_DIALECTS")
             ? QFileInfo(m_settings.fileName()).dir().filePath(QStringLiteral("dialects.json"))
             : recognition::OwnDialects::usualFile();
}

QString Settings::serversFile() const
{
    return qEnvironmentVariableIsEmpty("LATCHKEY_SERVERS")
             ? QFileInfo(m_settings.fileName()).dir().filePath(QStringLiteral("servers.ini"))
             : latchkey::servers::ServerBook::usualFile();
}

} // namespace latchkey::ui::shell

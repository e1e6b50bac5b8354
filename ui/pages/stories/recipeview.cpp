#include "ui/pages/stories/recipeview.h"

#include "core/recipes/caches/catalogue.h"
#include "core/redis/exchange/script.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace latchkey::ui::stories {

using namespace std::chrono_literals;

namespace {

constexpr auto lightTime = 900ms;

/// A recipe with scripts, with the commands that it sends besides them.
struct Scripted
{
    const char *recipe;
    const char *commands;
    const char *scripts;
};
constexpr std::array scripted {
    Scripted {"lua-setnx-expire", "DEL", "setnx-expire"},
    Scripted {"token", "SET", "compare-and-delete compare-and-extend"},
    Scripted {"token-wait", "SET WAIT", "compare-and-delete compare-and-extend"},
    Scripted {"token-watch", "SET WATCH GET MULTI DEL EXEC", "compare-and-extend"},
    Scripted {"fenced", "", "fenced-acquire compare-and-delete compare-and-extend"},
    Scripted {"renewing", "SET", "compare-and-delete compare-and-extend"},
    Scripted {"redlock", "SET", "compare-and-delete compare-and-extend"},
    Scripted {"hash-lua", "HGETALL PTTL", "hash-with-lifetime"},
    Scripted {"hash-hsetex", "HSETEX HGETALL PTTL HPTTL", "hash-with-lifetime"},
    Scripted {"guarded", "GET SET STRLEN DEL PTTL", "store-and-release"},
};

QStringList wordsIn(const char *words)
{
    return QString::fromLatin1(words).split(u' ', Qt::SkipEmptyParts);
}

/// Returns the source of a script without comments, because the view has no room for them.
QString sourceOf(const QString &script)
{
    QStringList lines = QString::fromUtf8(exchange::Script(script).source()).trimmed().split(u'\n');
    lines.removeIf([](const QString &line) { return line.startsWith(u"--"); });
    return lines.join(u'\n');
}

} // namespace

RecipeLines linesOf(const QString &recipe)
{
    const auto known =
        std::ranges::find_if(scripted, [&](const Scripted &each) { return recipe == QLatin1String(each.recipe); });
    if (known != scripted.end())
        return {wordsIn(known->commands), wordsIn(known->scripts)};
    const auto found = caches::findInAll(recipe);
    return found ? RecipeLines {(*found)->commands, {}} : RecipeLines();
}

RecipeView::RecipeView(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_commands(widgets::makePlainLabel(QStringLiteral("recipeCommands"), QString(), this))
    , m_source(widgets::makePlainLabel(QStringLiteral("recipeSource"), QString(), this))
{
    m_commands->setTextFormat(Qt::RichText); // Rich text is safe here, because the text has no user input.
    m_commands->setWordWrap(true);
    connect(m_commands, &QLabel::linkActivated, this, &RecipeView::toggleSource);
    m_source->setWordWrap(true);
    m_source->setMinimumSize(1, 1); // Otherwise the label would limit how small the window can be.
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_commands);
    layout->addWidget(m_source);
    m_highlightTimer.setSingleShot(true);
    m_highlightTimer.setInterval(lightTime);
    connect(&m_highlightTimer, &QTimer::timeout, this, [this] {
        m_highlightedLine.clear();
        refresh();
    });
    connect(&m_appearance, &theme::Appearance::changed, this, &RecipeView::refresh);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &RecipeView::refresh);
}

void RecipeView::setRecipe(const QString &recipe)
{
    m_lines = linesOf(recipe);
    m_highlightedLine.clear();
    m_script = m_lines.scripts.value(0);
    refresh();
}

void RecipeView::highlight(const QString &command)
{
    const QString name = command.section(u' ', 0, 0);
    const bool isScript = name == u"EVALSHA" || name == u"EVAL";
    m_highlightedLine = isScript ? command.section(u' ', 1, 1) : name;
    if (m_lines.scripts.contains(m_highlightedLine))
        m_script = m_highlightedLine;
    m_highlightTimer.start();
    refresh();
}

void RecipeView::setRoomForSource(bool exists)
{
    if (exists == m_isRoomForSource)
        return;
    m_isRoomForSource = exists;
    refresh();
}

void RecipeView::toggleSource(const QString &script)
{
    m_isSourceWanted = !isSourceShown() || script != m_script;
    m_script = script;
    refresh();
}

bool RecipeView::isSourceShown() const
{
    return !m_script.isEmpty() && m_isSourceWanted.value_or(m_isRoomForSource);
}

void RecipeView::refresh()
{
    const theme::Theme &theme = m_appearance.theme();
    const auto word = [&](const QString &text, const QString &name) {
        const bool isLit = name == m_highlightedLine;
        return QStringLiteral(
                   "<span style=\"color: %1; background-color: %2; font-family: '%3';\">&nbsp;%4&nbsp;</span>")
            .arg((isLit ? theme.onAccent : theme.muted).name(), (isLit ? theme.accent : theme.raised).name(),
                 m_appearance.monospaced().family(), text);
    };
    QStringList words;
    for (const QString &command : m_lines.commands)
        words += word(command, command);
    for (const QString &script : m_lines.scripts)
        words += QStringLiteral("<a href=\"%1\" style=\"text-decoration: none;\">%2</a>")
                     .arg(script, word(script + QStringLiteral(".lua"), script));
    // Without a link, the label is no stop for the keyboard.
    m_commands->setTextInteractionFlags(m_lines.scripts.isEmpty()
                                            ? Qt::TextInteractionFlags(Qt::LinksAccessibleByMouse)
                                            : Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_commands->setText(words.join(QStringLiteral(" ")));
    m_commands->setVisible(!words.isEmpty());
    m_commands->setToolTip(m_script.isEmpty() ? QString() : tr("Click a script to show or hide it"));
    m_source->setFont(m_appearance.monospaced());
    m_source->setText(m_script.isEmpty() ? QString() : sourceOf(m_script));
    m_source->setVisible(isSourceShown());
    m_source->setAccessibleName(tr("The script %1").arg(m_script));
    widgets::restyle(*m_source, "tone",
                     m_highlightedLine == m_script && !m_highlightedLine.isEmpty() ? QStringLiteral("lit") : QString());
}

} // namespace latchkey::ui::stories

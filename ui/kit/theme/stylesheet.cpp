#include "ui/kit/theme/stylesheet.h"

#include <QHash>
#include <QRegularExpression>

namespace latchkey::ui::theme {

namespace {

// $name is replaced with a colour of the theme. The style sheet is short, because it is parsed before the first frame.
const char *const sheet = R"(
QWidget { color: $text; }
QMainWindow, QDialog, #page, #pageScroll, #pageScroll > QWidget > QWidget { background: $window; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 6px 8px; }

#rail { background: $rail; border-right: 1px solid $border; }
#rail QToolButton { border: none; border-radius: 10px; padding: 8px 2px 6px 2px; margin: 0 6px; color: $muted; font-size: 8pt; }
#rail QToolButton:hover { background: $raised; color: $text; }
#rail QToolButton:checked { background: $accentSoft; color: $accent; font-weight: 600; }
#rail QToolButton:focus { border: 2px solid $accent; padding: 6px 0px 4px 0px; }
#rail QToolButton::menu-indicator { image: none; }

#connectionBar { background: $surface; border-bottom: 1px solid $border; }
#connectionBar[tone="production"] { border-bottom: 2px solid $critical; }
#connectionBar[tone="armed"] { background: $criticalSoft; border-bottom: 2px solid $critical; }
#recordingBar { background: $warningSoft; border-bottom: 2px solid $warning; }
#transport { background: $surface; border-top: 1px solid $border; }
#transportText, #transportWall { color: $muted; }
.metric { color: $muted; }

QLineEdit, QAbstractSpinBox, QComboBox { background: $surface; border: 1px solid $border; border-radius: 8px; padding: 5px 10px; selection-background-color: $accent; selection-color: $onAccent; min-height: 20px; }
QLineEdit:hover, QAbstractSpinBox:hover, QComboBox:hover { border-color: $disabled; }
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus { border: 1px solid $accent; }
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled { color: $disabled; background: $window; }
QLineEdit[kind="error"], QAbstractSpinBox[kind="error"] { border-color: $critical; }
QLineEdit[kind="draft"] { border: 1px dashed $warning; }
QLineEdit:read-only { background: $window; color: $muted; }
#filter { padding-left: 0; }
QRadioButton::indicator, QCheckBox::indicator { width: 10px; height: 10px; border: 2px solid $muted; background: $surface; }
QRadioButton::indicator { border-radius: 7px; }
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator:checked, QCheckBox::indicator:checked { background: $accent; border-color: $accent; }
QRadioButton:focus, QCheckBox:focus { color: $accent; }
QRadioButton:disabled, QCheckBox:disabled { color: $disabled; }
QRadioButton::indicator:disabled, QCheckBox::indicator:disabled { border-color: $disabled; }
QComboBox { combobox-popup: 0; }
QComboBox::drop-down { border: none; width: 26px; }
QComboBox::down-arrow, QPushButton::menu-indicator { image: url(:/latchkey/icons/chevron-neutral.svg); width: 14px; height: 14px; }
QPushButton::menu-indicator { subcontrol-origin: padding; subcontrol-position: right center; right: 8px; }
QPushButton[kind="menu"] { padding-right: 26px; }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $border; border-radius: 8px; padding: 4px; outline: none; selection-background-color: $accentSoft; selection-color: $text; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0; border: none; }

QPushButton, QToolButton { outline: none; }
QPushButton { background: $surface; border: 1px solid $border; border-radius: 8px; padding: 6px 12px; font-weight: 500; }
QPushButton:hover { background: $raised; border-color: $disabled; }
QPushButton:pressed { background: $track; }
QPushButton:focus { border: 2px solid $accent; padding: 5px 11px; }
QPushButton:disabled { color: $disabled; background: $window; border-color: $border; }
QPushButton[kind="primary"] { background: $accent; color: $onAccent; border-color: $accent; font-weight: 600; }
QPushButton[kind="primary"]:hover { background: $accentHover; border-color: $accentHover; }
QPushButton[kind="primary"]:focus { border: 3px double $onAccent; padding: 4px 10px; }
QPushButton[kind="primary"]:disabled { background: $track; color: $disabled; border-color: $track; }
QPushButton[kind="danger"] { color: $critical; }
QPushButton[kind="danger"]:hover { background: $criticalSoft; border-color: $critical; }
QPushButton[kind="danger"]:disabled { color: $disabled; }
QPushButton[kind="quiet"], QPushButton[kind="menu"] { background: transparent; border-color: transparent; color: $muted; }
QPushButton[kind="quiet"]:hover, QPushButton[kind="menu"]:hover { background: $raised; color: $text; }
QPushButton[kind="quiet"]:checked { background: $accentSoft; }
QPushButton[kind="quiet"]:focus, QPushButton[kind="menu"]:focus { border-color: $accent; }
QPushButton[kind="menu"]:focus { padding-right: 25px; }
QPushButton[kind="quiet"]:disabled { color: $disabled; }
QPushButton[kind="note"] { background: transparent; border-color: transparent; border-radius: 6px; color: $muted; font-weight: 400; padding: 1px 24px 1px 8px; }
QPushButton[kind="note"]:hover { background: $raised; color: $text; }
QPushButton[kind="note"]:focus { border: 1px solid $accent; padding: 1px 24px 1px 8px; }
QPushButton[kind="note"][ends="true"] { padding-right: 8px; }
QPushButton[kind="chip"] { border-radius: 13px; padding: 5px 14px; min-height: 16px; max-height: 16px; color: $muted; }
QPushButton[kind="chip"]:checked { background: $accentSoft; border-color: $accent; color: $accent; font-weight: 600; }
QPushButton[kind="chip"]:focus { border: 2px solid $text; padding: 4px 13px; }
QPushButton[kind="armed"] { color: $muted; }
QPushButton[kind="armed"]:checked { background: $criticalSoft; border-color: $critical; color: $critical; font-weight: 600; }
QPushButton[kind="armed"]:focus { border-color: $text; }

#card { background: $surface; border: 1px solid $border; border-radius: 12px; }
#card[tone="conflict"] { border: 1px solid $critical; }
#card[tone="holding"] { border: 1px solid $good; }
#card[tone="late"] { border: 1px solid $warning; }
#card:focus { border: 2px solid $accent; }
#card QPushButton { padding: 6px 8px; }
#card QPushButton:focus { padding: 5px 7px; }
#card QPushButton[kind="primary"]:focus { padding: 4px 6px; }
#card #foldedForm { text-align: left; padding: 4px 6px; color: $muted; background: $raised; }
#card #loseReply:checked { background: $accentSoft; border-color: $warning; }
#flaw { color: $warning; font-size: 8pt; }
#belief, #truth { color: $muted; font-size: 11pt; font-weight: 600; }
#belief[type="large"], #truth[type="large"] { font-size: 14pt; }
#belief[tone="strong"] { color: $text; }
#belief[tone="critical"] { color: $critical; }
#truth[tone="good"] { color: $good; }
#truth[tone="warning"] { color: $warning; }
#truth[tone="critical"] { color: $critical; }
#cardTitle { font-weight: 600; font-size: 11pt; }
#pageTitle { font-weight: 700; font-size: 15pt; }
#sectionTitle { font-weight: 600; }
#caption, #secondary { color: $muted; }
#caption { font-size: 8pt; }
#emptyTitle { font-weight: 600; font-size: 13pt; }
#emptyState { background: transparent; }

#banner { background: $accentSoft; border: 1px solid $accent; border-radius: 10px; }
#banner[tone="warning"] { background: $warningSoft; border-color: $warning; }
#banner[tone="critical"] { background: $criticalSoft; border-color: $critical; }

QTableView, QTreeView { background: $surface; border: 1px solid $border; border-radius: 12px; padding-bottom: 8px; gridline-color: transparent; selection-background-color: $accentSoft; selection-color: $text; outline: none; }
QTableView:focus, QTreeView:focus { border-color: $disabled; }
QTreeView::item { padding: 3px 9px; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section { background: $surface; color: $muted; border: none; border-bottom: 1px solid $border; padding: 8px 12px; font-weight: 600; font-size: 9pt; }
QHeaderView::section:hover { color: $text; }
QHeaderView::section:first { border-top-left-radius: 12px; }
QHeaderView::section:last { border-top-right-radius: 12px; }
QTableCornerButton::section { background: $surface; border: none; }

#detail { background: $surface; border: 1px solid $border; border-radius: 12px; }
#detailContent { background: transparent; }
#detailScroll { border: 1px solid transparent; border-radius: 12px; }
#detailScroll:focus { border-color: $accent; }
#detail QPlainTextEdit, #detail QTreeView { background: $window; border-radius: 8px; }
#detail QHeaderView::section { background: transparent; border-radius: 0; }
#detail QPushButton { padding: 4px 10px; }
#detail QPushButton:focus { padding: 3px 9px; }
#valueChange { color: $warning; }
#patternProblem { color: $critical; }
#serverResult[tone="good"] { color: $good; }
#serverResult[tone="warning"] { color: $warning; }
#serverResult[tone="critical"] { color: $critical; }
#armNameHint { color: $critical; }
#detailLine { color: $text; }
#detailAnswer { color: $text; font-weight: 600; }
#detail #copyFinding, #detail #copyFinding:focus { padding: 0; }
#finding { background: $window; border: 1px solid $border; border-radius: 8px; }
#finding[tone="warning"] { background: $warningSoft; border-color: $warning; }
#finding[tone="critical"] { background: $criticalSoft; border-color: $critical; }

#stories, #helpContents { background: $surface; border: 1px solid $border; border-radius: 12px; padding: 6px; outline: none; }
#stories:focus, #helpContents:focus { border-color: $accent; }
#goneFold:focus { border: 1px solid $accent; border-radius: 4px; }
#stories::item, #helpContents::item { padding: 7px 8px; border-radius: 8px; }
#stories::item:hover, #helpContents::item:hover { background: $raised; }
#stories::item:selected, #helpContents::item:selected { background: $accentSoft; color: $text; }
#storyProblem { color: $critical; }
#storySentence { font-size: 13pt; font-weight: 600; }
#stepCount { color: $muted; }
#storyQuestion { background: $accentSoft; border-radius: 10px; padding: 8px 12px; }
#storyVerdict { background: $raised; border-radius: 10px; padding: 8px 12px; font-weight: 600; }
#storyVerdict[tone="good"] { color: $good; }
#storyVerdict[tone="warning"] { background: $warningSoft; color: $warning; }
#storyVerdict[tone="critical"] { background: $criticalSoft; color: $critical; }
#storyOrigin { color: $accent; }
#recipeSource { background: $raised; border: 1px solid $border; border-radius: 8px; padding: 4px 10px; color: $muted; }
#recipeSource[tone="lit"] { background: $accentSoft; border-color: $accent; color: $text; }
#raceStatus, #programStatus, #programNotes { color: $muted; }
#raceAnswers::item, #programAnswers::item { padding: 6px 12px; }
#raceSchedule, #programSchedule { background: $surface; border: 1px solid $border; border-radius: 12px; padding: 6px; }
#raceStatus[tone="critical"], #programStatus[tone="critical"] { color: $critical; }
#serverChip { background: $surface; border: 1px solid $border; border-radius: 8px; }
#serverChip[tone="critical"] { background: $criticalSoft; border-color: $critical; }
#serverChip[tone="warning"] { border-color: $warning; }
#serverChip QPushButton { padding: 3px 5px; }
#serverName { font-weight: 600; }
#serverSeen { color: $muted; }
#resource { background: $surface; border: 1px solid $border; border-radius: 12px; }
#resource[tone="good"] { border-color: $good; }
#resource[tone="late"] { border-color: $warning; }
#resource[tone="critical"] { background: $criticalSoft; border: 2px solid $critical; }
#insideNumber { font-size: 20pt; font-weight: 700; }
#resource[tone="critical"] #insideNumber, #resource[tone="critical"] #insideWho { color: $critical; }
#insideWho { font-weight: 600; }
#sentence { font-size: 13pt; font-weight: 600; }
#conflict { background: $critical; color: $surface; border-radius: 10px; padding: 10px 14px; font-size: 13pt; font-weight: 700; }
#diagram { background: $surface; border: 1px solid $border; border-radius: 12px; padding: 1px; }
#wire { background: $surface; border: 1px solid $border; border-radius: 12px; padding: 6px 2px; outline: none; }
#wire:focus { border-color: $accent; }
QPlainTextEdit, QTextBrowser { background: $surface; border: 1px solid $border; border-radius: 12px; padding: 6px; selection-background-color: $accent; selection-color: $onAccent; }
QScrollArea { border: none; background: transparent; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 2px; }
QScrollBar::handle:vertical { background: $scroll; border-radius: 4px; min-height: 28px; }
QScrollBar::handle:vertical:hover { background: $disabled; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 2px; }
QScrollBar::handle:horizontal { background: $scroll; border-radius: 4px; min-width: 28px; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QMenu { background: $surface; border: 1px solid $border; padding: 6px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 6px; }
QMenu::item:selected { background: $accentSoft; }
QMenu::item:disabled { color: $disabled; }
QMenu #menuText { color: $text; padding: 6px 9px; }
QMenu::separator { height: 1px; background: $border; margin: 6px 4px; }
QProgressBar { background: $track; border: none; border-radius: 2px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QSlider::groove:horizontal { height: 4px; background: $track; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { width: 12px; margin: -6px 0; border: 2px solid $surface; border-radius: 8px; background: $accent; }
QSlider::handle:horizontal:hover { background: $accentHover; }
QSlider::handle:horizontal:focus { border-color: $text; }
QSplitter::handle { background: transparent; }
)";

/// Multiplies the font sizes of a style sheet.
QString scaled(const QString &text, double scale)
{
    static const QRegularExpression size(QStringLiteral("font-size: ([0-9.]+)pt"));
    QString result;
    qsizetype copied = 0;
    for (QRegularExpressionMatchIterator found = size.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        result += QStringView(text).sliced(copied, match.capturedStart() - copied);
        result += QStringLiteral("font-size: %1pt").arg(match.capturedView(1).toDouble() * scale);
        copied = match.capturedEnd();
    }
    result += QStringView(text).sliced(copied);
    return result;
}

} // namespace

QString styleSheet(const Theme &theme, double textScale)
{
    const QHash<QString, QColor> colours {
        {QStringLiteral("window"), theme.window},
        {QStringLiteral("surface"), theme.surface},
        {QStringLiteral("raised"), theme.raised},
        {QStringLiteral("rail"), theme.rail},
        {QStringLiteral("border"), theme.border},
        {QStringLiteral("text"), theme.text},
        {QStringLiteral("muted"), theme.muted},
        {QStringLiteral("disabled"), theme.disabled},
        {QStringLiteral("accent"), theme.accent},
        {QStringLiteral("onAccent"), theme.onAccent},
        {QStringLiteral("accentSoft"), theme.accentSoft},
        {QStringLiteral("accentHover"), tint(theme.text, theme.accent, 0.12)},
        {QStringLiteral("good"), theme.good},
        {QStringLiteral("warning"), theme.warning},
        {QStringLiteral("warningSoft"), tint(theme.warning, theme.surface, 0.12)},
        {QStringLiteral("critical"), theme.critical},
        {QStringLiteral("criticalSoft"), tint(theme.critical, theme.surface, 0.12)},
        {QStringLiteral("track"), theme.track},
        {QStringLiteral("scroll"), tint(theme.disabled, theme.surface, 0.45)},
    };
    const QString text = QString::fromLatin1(sheet);
    QString result;
    result.reserve(text.size());
    for (qsizetype at = 0; at < text.size();) {
        if (text[at] != u'$') {
            result += text[at++];
            continue;
        }
        qsizetype end = at + 1;
        while (end < text.size() && text[end].isLetter())
            ++end;
        const auto colour = colours.constFind(text.sliced(at + 1, end - at - 1));
        Q_ASSERT(colour != colours.cend());
        result += colour->name();
        at = end;
    }
    return textScale == 1 ? result : scaled(result, textScale);
}

QPalette palette(const Theme &theme)
{
    QPalette palette;
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.surface);
    palette.setColor(QPalette::AlternateBase, theme.raised);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.faint);
    palette.setColor(QPalette::Button, theme.surface);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::Highlight, theme.accent);
    palette.setColor(QPalette::HighlightedText, theme.onAccent);
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::ToolTipBase, theme.raised);
    palette.setColor(QPalette::ToolTipText, theme.text);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme.disabled);
    return palette;
}

} // namespace latchkey::ui::theme

#include "ui/views/diagram/diagrampanel.h"

#include "core/playground/sequence/sequencetexts.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/views/diagram/diagrampicture.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::diagram {

namespace {

constexpr double buttonZoomStep = 1.25;

QPushButton *makeButton(const char *name, const QString &text, const QString &explanation, QWidget *parent)
{
    auto *button = new QPushButton(text, parent);
    button->setObjectName(QLatin1String(name));
    button->setProperty("kind", QStringLiteral("quiet"));
    button->setAccessibleName(explanation);
    button->setToolTip(explanation);
    return button;
}

} // namespace

DiagramPanel::DiagramPanel(const base::Clock &clock, theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_view(new DiagramView(clock, appearance, this))
    , m_conflict(widgets::makePlainLabel(QStringLiteral("conflict"), QString(), this))
    , m_buttons(new QWidget(this))
    , m_follow(makeButton("followDiagram", tr("Follow"), QString(), this))
    , m_smaller(makeButton("smallerDiagram", QStringLiteral("\u2212"), tr("Smaller (Ctrl and wheel)"), this))
    , m_larger(makeButton("largerDiagram", QStringLiteral("+"), tr("Larger (Ctrl and wheel)"), this))
    , m_clear(makeButton("clearDiagram", tr("Clear"), tr("Clears the diagram"), this))
    , m_save(makeButton("saveDiagram", tr("Save…"), tr("Save as image, text or story"), this))
    , m_note(widgets::makePlainLabel(QStringLiteral("caption"), QString(), this))
    , m_commands(new QPlainTextEdit(this))
{
    setUpLayout();
    connect(m_follow, &QPushButton::clicked, this, [this] { m_view->setFollowing(!m_view->isFollowing()); });
    connect(m_smaller, &QPushButton::clicked, this, [this] { m_view->zoom(1 / buttonZoomStep); });
    connect(m_larger, &QPushButton::clicked, this, [this] { m_view->zoom(buttonZoomStep); });
    connect(m_clear, &QPushButton::clicked, this, &DiagramPanel::clearRequested);
    connect(m_save, &QPushButton::clicked, this, &DiagramPanel::askWhereToSave);
    connect(m_view, &DiagramView::followingChanged, this, &DiagramPanel::updateFollow);
    connect(m_view, &DiagramView::rowActivated, this, &DiagramPanel::showWire);
    connect(m_view, &DiagramView::currentChanged, this, &DiagramPanel::showWire);
    connect(&m_appearance, &theme::Appearance::changed, this, &DiagramPanel::applyAppearance);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this, [this] {
        showConflict();
        showWire();
    });
    applyAppearance();
    showConflict();
    showWire();
}

void DiagramPanel::setUpLayout()
{
    m_conflict->setWordWrap(true);
    m_note->setWordWrap(true);
    m_conflict->setAlignment(Qt::AlignCenter);
    m_follow->setCheckable(true);
    m_clear->hide();
    m_commands->setObjectName(QStringLiteral("wholeWire"));
    m_commands->setAccessibleName(tr("Complete message"));
    m_commands->setReadOnly(true);
    m_commands->setTabChangesFocus(true);
    auto *buttons = new QHBoxLayout(m_buttons);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(2);
    buttons->addWidget(m_follow);
    buttons->addWidget(m_smaller);
    buttons->addWidget(m_larger);
    buttons->addWidget(m_note, 1);
    buttons->addWidget(m_clear);
    buttons->addWidget(m_save);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_conflict);
    layout->addWidget(m_buttons);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_commands);
}

void DiagramPanel::applyAppearance()
{
    QFont code = m_appearance.monospaced();
    code.setPointSizeF(code.pointSizeF() * 0.95);
    m_commands->setFont(code);
    m_commands->setFixedHeight(QFontMetrics(code).height() * 4 + 16);
    m_save->setIcon(m_appearance.icon(QStringLiteral("copy")));
    updateFollow();
}

void DiagramPanel::setClearable(bool isClearable)
{
    m_clear->setVisible(isClearable);
}

void DiagramPanel::setPresented(bool isPresented)
{
    m_buttons->setVisible(!isPresented);
    if (isPresented)
        m_view->setFollowing(true);
}

void DiagramPanel::updateFollow()
{
    const bool isFollowing = m_view->isFollowing();
    m_follow->setChecked(isFollowing);
    const QString explanation = isFollowing ? tr("Stop following (Space)") : tr("Follow new events (Space)");
    m_follow->setAccessibleName(explanation);
    m_follow->setToolTip(explanation);
}

void DiagramPanel::setSequence(const sequence::Sequence *sequence)
{
    m_view->setSequence(sequence);
    m_save->setEnabled(sequence != nullptr);
    m_clear->setEnabled(sequence != nullptr);
    showConflict();
    showWire();
}

void DiagramPanel::refresh()
{
    m_view->refresh();
    showConflict();
    const sequence::Sequence *sequence = m_view->sequence();
    if (sequence != nullptr && sequence->dropped() > 0)
        m_note->setText(tr("The last %1 lines; %2 earlier ones were discarded.")
                            .arg(sequence::Sequence::maxRows)
                            .arg(sequence->dropped()));
}

/// Shows the first conflict in a conspicuous line.
void DiagramPanel::showConflict()
{
    const sequence::Sequence *sequence = m_view->sequence();
    const sequence::Overlap *conflict = sequence == nullptr ? nullptr : sequence->conflict();
    const QString text = conflict == nullptr ? QString() : widgets::sentence(overlapText(*conflict).toString());
    if (m_conflict->text() == text && m_conflict->isVisibleTo(this) == !text.isEmpty())
        return;
    m_conflict->setText(text);
    m_conflict->setVisible(!text.isEmpty());
}

void DiagramPanel::showWire()
{
    const auto row = m_view->current();
    m_commands->setVisible(row.has_value());
    if (!row)
        return;
    const sequence::Row &chosen = m_view->sequence()->rows()[*row];
    const auto *message = std::get_if<sequence::Message>(&chosen);
    const QString text =
        message == nullptr
            ? rowText(chosen).toString()
            : QStringLiteral("%1\n%2\n\u2192 %3").arg(message->who, message->command, message->reply.toString());
    if (m_commands->toPlainText() != text)
        m_commands->setPlainText(text);
}

base::Result<void> DiagramPanel::saveAs(const QString &path)
{
    const sequence::Sequence &sequence = *m_view->sequence();
    m_leftOut.clear();
    if (path.endsWith(QStringLiteral(".txt"), Qt::CaseInsensitive))
        return saveText(sequence, path);
    if (m_storyMaker && path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive)) {
        const auto scenario = m_storyMaker();
        if (!scenario)
            return base::failure(scenario.error());
        m_leftOut = scenario->leftOut;
        return saveBytes(scenario->contents, path);
    }
    const DiagramSubject subject {sequence,           m_view->diagramLayout(), m_appearance.theme(),
                                  m_view->textFont(), m_view->codeFont(),      m_view->now()};
    if (path.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive))
        return Picture {subject}.savePng(path);
    return Picture {subject}.saveSvg(path);
}

void DiagramPanel::askWhereToSave()
{
    QStringList kinds {tr("Vector image (*.svg)"), tr("Image (*.png)"), tr("Text (*.txt)")};
    if (m_storyMaker)
        kinds += tr("Story (*.json)");
    auto *dialog = new QFileDialog(this, tr("Save the diagram"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(kinds);
    dialog->selectFile(QStringLiteral("diagram.svg"));
    dialog->setDefaultSuffix(QStringLiteral("svg"));
    const auto follow = [dialog](const QString &kind) {
        const QString suffix = kind.section(QStringLiteral("*."), 1).section(u')', 0, 0);
        // File type of stories, which a double click opens; see resources/desktop.
        dialog->setDefaultSuffix(suffix == u"json" ? QStringLiteral("latchkey-story.json") : suffix);
    };
    connect(dialog, &QFileDialog::filterSelected, dialog, follow);
    connect(dialog, &QFileDialog::fileSelected, this, &DiagramPanel::saveAndReport);
    dialog->open();
}

void DiagramPanel::saveAndReport(const QString &path)
{
    const auto saved = saveAs(path);
    QString text = saved ? tr("Saved.") : widgets::sentence(saved.error().message());
    if (saved && !m_leftOut.isEmpty())
        text = tr("Saved; left out: %1.").arg(m_leftOut.join(QStringLiteral("; ")));
    m_note->setText(text);
    m_note->setToolTip(widgets::toolTipText(text));
}

} // namespace latchkey::ui::diagram

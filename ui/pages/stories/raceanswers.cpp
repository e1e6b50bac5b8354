#include "ui/pages/stories/raceanswers.h"

#include "core/explore/schedules/schedulefile.h"
#include "core/playground/scenarios/schedulescenario.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/pages/stories/makebutton.h"

#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>

namespace latchkey::ui::stories {

namespace {

enum Column { PromiseColumn, ClaimColumn, VerdictColumn, StepsColumn, ColumnCount };

} // namespace

RaceAnswers::RaceAnswers(const QString &name, bool hasClaims, theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_model(new QStandardItemModel(0, ColumnCount, this))
    , m_list(new QTreeView(this))
    , m_about(widgets::makePlainLabel(QStringLiteral("secondary"), QString(), this))
    , m_schedule(new QPlainTextEdit(this))
    , m_play(makeButton("", tr("Play the shortest counterexample"), "primary", this))
    , m_notes(widgets::makePlainLabel(name + QStringLiteral("Notes"), QString(), this))
{
    setObjectName(name + QStringLiteral("Result"));
    m_play->setObjectName(name + QStringLiteral("Play"));
    m_schedule->setObjectName(name + QStringLiteral("Schedule"));
    makeList(name);
    m_list->setColumnHidden(ClaimColumn, !hasClaims);
    makeSchedule();
    m_about->setWordWrap(true);
    m_notes->setWordWrap(true);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_list, 3);
    layout->addWidget(m_about);
    layout->addWidget(m_schedule, 2);
    auto *foot = new QHBoxLayout;
    foot->setSpacing(12);
    foot->addWidget(m_play, 0, Qt::AlignLeft | Qt::AlignTop);
    foot->addWidget(m_notes, 1);
    layout->addLayout(foot);
    connect(m_play, &QPushButton::clicked, this, &RaceAnswers::play);
    connect(m_list, &QTreeView::activated, this, &RaceAnswers::play);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &RaceAnswers::showSelected);
    connect(&m_appearance, &theme::Appearance::changed, this, &RaceAnswers::paint);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &RaceAnswers::showSelected);
    setNotes({});
    showSelected();
    paint();
}

RaceAnswers::~RaceAnswers() = default;

void RaceAnswers::makeList(const QString &name)
{
    m_model->setHorizontalHeaderLabels({tr("Promise"), tr("Claimed"), tr("Verdict"), tr("Steps")});
    m_list->setObjectName(name + QStringLiteral("Answers"));
    m_list->setAccessibleName(tr("Promises and verdicts"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->setRootIsDecorated(false);
    m_list->setAllColumnsShowFocus(true);
    m_list->setWordWrap(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(VerdictColumn, QHeaderView::Stretch);
    m_list->header()->setSectionsMovable(false);
    // The heights of the rows depend on the width of the column. Queued, because the header may be in a layout.
    connect(
        m_list->header(), &QHeaderView::sectionResized, m_list,
        [this](int column) {
            if (column == VerdictColumn)
                m_list->doItemsLayout();
        },
        Qt::QueuedConnection);
}

void RaceAnswers::makeSchedule()
{
    m_schedule->setAccessibleName(tr("The shortest schedule that breaks the promise"));
    m_schedule->setReadOnly(true);
    m_schedule->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_schedule->setTabChangesFocus(true);
}

void RaceAnswers::setLines(std::vector<Line> lines)
{
    const Line *const former = selected();
    const QString selectedStory = former != nullptr && former->answer.schedule ? former->answer.promise : QString();
    m_lines = std::move(lines);
    const auto count = static_cast<int>(m_lines.size());
    if (m_model->rowCount() > count)
        m_model->removeRows(count, m_model->rowCount() - count);
    for (int row = 0; row < count; ++row) {
        const Line &line = m_lines[static_cast<std::size_t>(row)];
        const auto &answer = line.answer;
        if (row == m_model->rowCount())
            m_model->appendRow({new QStandardItem, new QStandardItem, new QStandardItem, new QStandardItem});
        m_model->item(row, PromiseColumn)->setText(answer.promise);
        m_model->item(row, ClaimColumn)->setText(answer.isClaimed ? tr("claimed") : tr("not claimed"));
        m_model->item(row, VerdictColumn)->setText(line.verdict);
        m_model->item(row, VerdictColumn)->setToolTip(widgets::toolTipText(line.verdict));
        m_model->item(row, StepsColumn)
            ->setText(answer.schedule ? QString::number(answer.schedule->steps.size()) : QString());
        if (answer.promise == selectedStory) // Its row may have changed.
            m_list->setCurrentIndex(m_model->index(row, PromiseColumn));
        if (const Line *known = selected(); answer.schedule && (known == nullptr || !known->answer.schedule))
            m_list->setCurrentIndex(m_model->index(row, PromiseColumn));
    }
    showSelected();
    paint();
}

void RaceAnswers::setNotes(const QString &notes)
{
    m_notes->setText(notes);
    m_notes->setVisible(!notes.isEmpty());
}

const RaceAnswers::Line *RaceAnswers::selected() const
{
    const auto row = static_cast<std::size_t>(m_list->currentIndex().row());
    return m_list->currentIndex().isValid() && row < m_lines.size() ? &m_lines[row] : nullptr;
}

void RaceAnswers::showSelected()
{
    const Line *line = selected();
    QString about;
    if (line != nullptr) { // Includes the verdict, which a narrow list truncates.
        const QString meaning = schedules::promiseDefinition(line->answer.promise);
        about = (meaning.isEmpty() ? QString() : widgets::fullSentence(meaning) + u'\n')
              + widgets::fullSentence(line->verdict);
    }
    m_about->setText(about);
    m_about->setVisible(!about.isEmpty());
    QStringList lines;
    if (line != nullptr && line->answer.schedule) {
        const auto &steps = line->answer.schedule->steps;
        for (std::size_t i = 0; i < steps.size(); ++i)
            lines += QString::number(i + 1).rightJustified(3) + QStringLiteral("  ")
                   + steps[i].toText(line->answer.schedule->servers).toString();
    }
    m_schedule->setPlainText(lines.join(u'\n'));
    m_schedule->setVisible(!lines.isEmpty());
    m_play->setEnabled(!lines.isEmpty());
}

/// Updates colours and fonts.
void RaceAnswers::paint()
{
    const theme::Theme &theme = m_appearance.theme();
    m_schedule->setFont(m_appearance.monospaced());
    m_play->setIcon(m_appearance.icon(QStringLiteral("play"), theme.onAccent));
    const auto colour = [&](Tone tone) {
        switch (tone) {
        case Tone::Good:
            return theme.good;
        case Tone::Warning:
            return theme.warning;
        case Tone::Critical:
            return theme.critical;
        case Tone::Muted:
            return theme.muted;
        }
        Q_UNREACHABLE();
    };
    for (int row = 0; row < m_model->rowCount(); ++row)
        m_model->item(row, VerdictColumn)->setForeground(colour(m_lines[static_cast<std::size_t>(row)].tone));
}

void RaceAnswers::play()
{
    const Line *line = selected();
    if (line == nullptr || !line->answer.schedule)
        return;
    if (const auto scenario = scenarios::scenarioFrom(*line->answer.schedule))
        Q_EMIT chosen(*scenario, latchkey::schedules::toFile(*line->answer.schedule));
    else
        Q_EMIT refused(scenario.error());
}

} // namespace latchkey::ui::stories

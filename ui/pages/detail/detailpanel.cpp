#include "ui/pages/detail/detailpanel.h"

#include "ui/kit/widgets/elidedlabel.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::detail {

using widgets::ElidedLabel;
using widgets::makePlainLabel;
using widgets::Pill;

namespace {

constexpr int margin = 16;
/// Width of the name column in pixels, in which most names fit.
constexpr int nameWidth = 108;
constexpr double smallWire = 0.88;
/// Number of visible lines of the command log.
constexpr int wireLines = 8;

void clear(QVBoxLayout &lines)
{
    while (QLayoutItem *item = lines.takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace

DetailPanel::DetailPanel(theme::Appearance &appearance, const keytable::ShownTime &time, QWidget *parent)
    : QFrame(parent)
    , m_appearance(appearance)
{
    setObjectName(QStringLiteral("detail"));
    setAccessibleName(tr("Details of the selected key"));
    auto *scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("detailScroll"));
    scroll->setAccessibleName(accessibleName());
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *content = new QWidget(scroll);
    content->setObjectName(QStringLiteral("detailContent"));
    m_layout = new QVBoxLayout(content);
    m_layout->setContentsMargins(margin, margin, margin, margin);
    m_layout->setSpacing(14);
    scroll->setWidget(content);
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);

    m_hint =
        makePlainLabel(QStringLiteral("secondary"), tr("Select a key to see its type, holder and value."), content);
    m_hint->setWordWrap(true);
    m_key = makePlainLabel(QStringLiteral("detailKey"), QString(), content);
    m_key->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_answer = makePlainLabel(QStringLiteral("detailAnswer"), QString(), content);
    m_answer->setWordWrap(true);
    m_answer->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_kind = new Pill(appearance, content);
    m_kind->setElided(true); // The user can define names of any length for kinds.
    m_layout->addWidget(m_hint);
    m_layout->addWidget(m_key);
    m_layout->addWidget(m_answer);
    m_layout->addWidget(m_kind, 0, Qt::AlignLeading);
    addSections(time.clock(), time);
    m_layout->addStretch(1);
    connect(&m_appearance, &theme::Appearance::changed, this, &DetailPanel::applyAppearance);
    applyAppearance();
    m_shown.emplace(); // Causes the first call to be a change, so that the texts without a key appear.
    show(std::nullopt);
}

/// Adds the sections in the order in which a user needs them.
void DetailPanel::addSections(const base::Clock &clock, const keytable::ShownTime &time)
{
    m_findings = addSection(tr("Findings"), "detailFindings");
    addEvents(clock);
    m_facts = addSection(QString(), "detailFacts");
    m_fieldsBox = addSection(tr("Expiring fields"), "detailFields");
    m_fields = new FieldList(m_appearance, time, m_fieldsBox.box);
    m_fieldsBox.lines->addWidget(m_fields);
    m_lock = new QPushButton(m_hint->parentWidget());
    m_lock->setObjectName(QStringLiteral("detailLock"));
    m_lock->hide();
    m_layout->addWidget(m_lock, 0, Qt::AlignLeading);
    m_holds = addSection(tr("Holds"), "detailHolds");
    m_statistics = addSection(tr("Statistics"), "detailStatistics");
    m_valueBox = addSection(tr("Value"), "detailValue");
    m_value = new ValueView(m_appearance, time, m_valueBox.box);
    m_valueBox.lines->addWidget(m_value);
    addWire();
    m_evidence = addSection(tr("Evidence"), "detailEvidence");
    m_others = addSection(tr("Alternatives"), "detailOthers");
}

void DetailPanel::setLockAction(QAction *action)
{
    const auto updateTexts = [this, action] {
        m_lock->setText(action->text());
        m_lock->setToolTip(tr("%1 (%2)").arg(tr("Defines a lock pattern for keys like this one"),
                                             action->shortcut().toString(QKeySequence::NativeText)));
    };
    connect(new widgets::LanguageChangeNotifier(m_lock), &widgets::LanguageChangeNotifier::changed, m_lock,
            updateTexts);
    updateTexts();
    m_lock->setEnabled(action->isEnabled());
    connect(m_lock, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, m_lock, [this, action] { m_lock->setEnabled(action->isEnabled()); });
}

void DetailPanel::addEvents(const base::Clock &clock)
{
    m_course = addSection(tr("Time left"), "detailCourse");
    m_chart = new LeaseChart(m_appearance, clock, m_course.box);
    m_course.lines->addWidget(m_chart);
}

void DetailPanel::addWire()
{
    m_wireBox = addSection(tr("Command log"), "detailWire");
    QLabel *note = makePlainLabel(QStringLiteral("secondary"),
                                  tr("Commands and replies of this Latchkey for the key since it was selected, and the "
                                     "commands of other clients from a trace."),
                                  m_wireBox.box);
    note->setWordWrap(true);
    m_commandLog = new commandlog::CommandLogView(m_appearance, m_wireBox.box);
    m_commandLog->setObjectName(QStringLiteral("detailWireLog"));
    m_wireBox.lines->addWidget(note);
    m_wireBox.lines->addWidget(m_commandLog);
    const auto refresh = [this] { m_wireBox.box->setVisible(!m_commandLog->isEmpty()); };
    connect(m_commandLog->model(), &QAbstractItemModel::rowsInserted, this, refresh);
    connect(m_commandLog->model(), &QAbstractItemModel::rowsRemoved, this, refresh);
}

void DetailPanel::setCourse(const LeaseCurve &curve, const std::vector<history::History::Gap> &gaps)
{
    m_chart->show(curve, gaps);
    m_course.box->setVisible(!curve.isFlat());
}

void DetailPanel::applyAppearance()
{
    QFont wireFont = m_appearance.monospaced();
    wireFont.setPointSizeF(wireFont.pointSizeF() * smallWire);
    m_commandLog->setFont(wireFont);
    m_commandLog->setFixedHeight(wireLines * (QFontMetrics(wireFont).height() + 6));
    QFont font = m_appearance.monospaced();
    font.setWeight(QFont::DemiBold);
    m_key->setFont(font);
}

DetailPanel::Section DetailPanel::addSection(const QString &title, const char *name)
{
    Section section;
    section.box = new QWidget(m_hint->parentWidget());
    section.box->setObjectName(QLatin1String(name));
    auto *layout = new QVBoxLayout(section.box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    if (!title.isEmpty())
        layout->addWidget(makePlainLabel(QStringLiteral("sectionTitle"), title, section.box));
    section.lines = new QVBoxLayout;
    section.lines->setSpacing(4);
    layout->addLayout(section.lines);
    m_layout->addWidget(section.box);
    section.box->hide(); // Hidden until the section has content.
    return section;
}

/// Breaks a word that is wider than its column, such as a token. A label breaks lines only between words.
QString DetailPanel::withBreaks(const QString &text, const QFontMetrics &metrics) const
{
    const int maxWidth = std::max(width() - 2 * margin - nameWidth - 24, nameWidth);
    const QStringList words = text.split(u' ');
    const bool fits =
        std::ranges::all_of(words, [&](const QString &word) { return metrics.horizontalAdvance(word) <= maxWidth; });
    return fits ? text : widgets::inLines(text, maxWidth, [&metrics](const QString &character) {
        return metrics.horizontalAdvance(character);
    });
}

void DetailPanel::setRows(const Section &section, const QList<DetailRow> &rows)
{
    clear(*section.lines);
    for (const DetailRow &row : rows) {
        auto *line = new QWidget(section.box);
        auto *layout = new QHBoxLayout(line);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(8);
        auto *name = new ElidedLabel(line);
        name->setObjectName(QStringLiteral("secondary"));
        name->setText(row.name);
        name->setFixedWidth(nameWidth);
        QLabel *value = row.isLong ? makePlainLabel(QStringLiteral("detailLine"), {}, line) : new ElidedLabel(line);
        value->setWordWrap(row.isLong);
        value->setText(row.isLong ? withBreaks(row.value, value->fontMetrics()) : row.value);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        value->setAccessibleName(tr("%1: %2").arg(row.name, row.value));
        layout->addWidget(name, 0, Qt::AlignTop);
        layout->addWidget(value, 1);
        section.lines->addWidget(line);
    }
    section.box->setVisible(!rows.isEmpty());
}

/// Returns the width of the content in pixels, without the room of the scroll bar.
int DetailPanel::contentWidth() const
{
    return std::max(width() - 2 * margin - 16, nameWidth);
}

void DetailPanel::showAnswer()
{
    widgets::setBreakable(*m_answer, m_shown ? m_shown->answer : QString(), contentWidth());
    m_answer->setVisible(m_shown && !m_shown->answer.isEmpty());
}

/// Changes the boxes in place: a new box for each change would make the panel jump and lose a selection in a text.
void DetailPanel::setFindings(const QList<DetailFinding> &findings)
{
    while (m_boxes.size() > findings.size())
        delete m_boxes.takeLast();
    while (m_boxes.size() < findings.size()) {
        auto *box = new FindingBox(m_appearance, m_findings.box);
        const qsizetype place = m_boxes.size();
        connect(box, &FindingBox::copyRequested, this, [this, place] {
            if (m_shown && place < m_shown->findings.size())
                QGuiApplication::clipboard()->setText(findingForTicket(*m_shown, m_shown->findings[place]));
        });
        m_findings.lines->addWidget(box);
        m_boxes += box;
    }
    for (qsizetype i = 0; i < findings.size(); ++i)
        m_boxes[i]->show(findings[i], contentWidth());
    m_findings.box->setVisible(!findings.isEmpty());
}

/// Breaks the texts for the new width.
void DetailPanel::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    if (!m_shown || event->size().width() == event->oldSize().width())
        return;
    showAnswer();
    setFindings(m_shown->findings);
}

void DetailPanel::setLines(const Section &section, const QStringList &lines)
{
    clear(*section.lines);
    for (const QString &text : lines) {
        QLabel *line = makePlainLabel(QStringLiteral("detailLine"), text, section.box);
        line->setWordWrap(true);
        line->setTextInteractionFlags(Qt::TextSelectableByMouse);
        section.lines->addWidget(line);
    }
    section.box->setVisible(!lines.isEmpty());
}

void DetailPanel::show(const std::optional<KeyDetail> &detail)
{
    if (detail == m_shown)
        return;
    const KeyDetail before = std::exchange(m_shown, detail).value_or(KeyDetail());
    const KeyDetail known = detail.value_or(KeyDetail());
    m_hint->setVisible(!detail);
    m_key->setVisible(detail.has_value());
    m_key->setText(widgets::inLines(known.key, contentWidth(), [this](const QString &character) {
        return m_key->fontMetrics().horizontalAdvance(character);
    }));
    if (known.answer != before.answer)
        showAnswer();
    if (!known.kind.isEmpty())
        m_kind->set(known.isCertain ? known.kind : tr("%1 (%2)").arg(known.kind, known.confidence),
                    known.isCertain ? Pill::Tone::Accent : Pill::Tone::Neutral);
    m_kind->setVisible(!known.kind.isEmpty()); // After setting the text, because Pill::set() shows the pill.
    // Unchanged parts are not set again: the user may have selected text in them.
    if (known.facts != before.facts)
        setRows(m_facts, known.facts);
    m_lock->setVisible(detail && known.kind.isEmpty() && !m_lock->text().isEmpty());
    if (known.findings != before.findings)
        setFindings(known.findings);
    if (known.statistics != before.statistics)
        setRows(m_statistics, known.statistics);
    for (const auto &[section, lines, linesBefore] :
         {std::tuple(&m_holds, known.holds, before.holds), std::tuple(&m_evidence, known.evidence, before.evidence),
          std::tuple(&m_others, known.others, before.others)}) {
        if (lines != linesBefore)
            setLines(*section, lines);
    }
    if (known.fieldEnds != before.fieldEnds || known.fieldsRefusal != before.fieldsRefusal)
        m_fields->show(known.fieldEnds, known.fieldsRefusal);
    m_fieldsBox.box->setVisible(!known.fieldEnds.isEmpty() || !known.fieldsRefusal.isEmpty());
    m_value->watch(known.keyBytes, known.value, known.fieldEnds);
    m_valueBox.box->setVisible(known.exists || m_value->page());
}

} // namespace latchkey::ui::detail

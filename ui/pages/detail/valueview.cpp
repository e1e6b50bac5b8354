#include "ui/pages/detail/valueview.h"

#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/views/keytable/keytext.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::detail {

using keys::KeyType;
using watching::PageRequest;
using watching::ValuePage;

namespace {

constexpr int contentHeight = 190;
/// Column after field and value.
constexpr int endColumn = 2;
constexpr auto valueTickInterval = std::chrono::milliseconds(50);
/// Factor of the smaller font for hexadecimal lines, which are long.
constexpr double smallHex = 0.88;
/// Size limit for JSON in bytes: JSON is indented completely or not at all.
constexpr qint64 maxJsonBytes = 256LL * 1024;

bool looksLikeJson(const QByteArray &bytes)
{
    return bytes.startsWith('{') || bytes.startsWith('[');
}

} // namespace

ValueView::ValueView(theme::Appearance &appearance, const keytable::ShownTime &time, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_time(time)
    , m_note(widgets::makePlainLabel(QStringLiteral("caption"), {}, this))
    , m_change(widgets::makePlainLabel(QStringLiteral("valueChange"), {}, this))
    , m_forms(new QComboBox(this))
    , m_stack(new QStackedWidget(this))
    , m_text(new QPlainTextEdit(this))
    , m_rows(new QTreeWidget(this))
    , m_read(addButton("valueRead", {}))
    , m_previous(addButton("valuePrevious", tr("Previous")))
    , m_next(addButton("valueNext", tr("Next")))
{
    setObjectName(QStringLiteral("valueView"));
    m_note->setProperty("testName", QStringLiteral("valueNote"));
    m_note->setWordWrap(true);
    m_change->setWordWrap(true);
    m_forms->setObjectName(QStringLiteral("valueForm"));
    m_forms->setAccessibleName(tr("How the value is shown"));
    m_forms->addItem(tr("Text"));
    m_forms->addItem(tr("JSON, indented"));
    m_forms->addItem(tr("Hexadecimal"));
    setUpLayout();
    connect(m_forms, &QComboBox::activated, this, [this](int index) {
        m_form = static_cast<ValueForm>(index);
        refresh();
    });
    connect(m_read, &QPushButton::clicked, this, &ValueView::requestFirst);
    connect(m_next, &QPushButton::clicked, this, &ValueView::requestNext);
    connect(m_previous, &QPushButton::clicked, this, &ValueView::requestPrevious);
    connect(&m_appearance, &theme::Appearance::changed, this, &ValueView::applyAppearance);
    connect(&m_tick, &QTimer::timeout, this, &ValueView::countDown);
    applyAppearance();
    refresh();
}

QPushButton *ValueView::addButton(const char *name, const QString &text)
{
    auto *button = new QPushButton(text, this);
    button->setObjectName(QLatin1String(name));
    return button;
}

void ValueView::setUpLayout()
{
    m_text->setObjectName(QStringLiteral("valueText"));
    m_text->setReadOnly(true);
    m_text->setTabChangesFocus(true);
    m_text->setAccessibleName(tr("Value"));
    m_text->setWordWrapMode(QTextOption::WrapAnywhere);
    m_text->setLayoutDirection(Qt::LeftToRight);
    m_rows->setObjectName(QStringLiteral("valueRows"));
    m_rows->setAccessibleName(tr("Value"));
    m_rows->setRootIsDecorated(false);
    m_rows->setItemDelegate(new widgets::IndentedDelegate(m_rows));
    m_rows->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_rows->setUniformRowHeights(true);
    m_rows->setSelectionMode(QAbstractItemView::SingleSelection);
    m_rows->setTextElideMode(Qt::ElideRight);
    m_rows->header()->setSectionResizeMode(QHeaderView::Stretch);
    m_stack->addWidget(m_text);
    m_stack->addWidget(m_rows);
    m_stack->setFixedHeight(contentHeight);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_read);
    buttons->addStretch(1);
    buttons->addWidget(m_previous);
    buttons->addWidget(m_next);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_note);
    layout->addWidget(m_forms, 0, Qt::AlignLeading);
    layout->addWidget(m_stack);
    layout->addWidget(m_change);
    layout->addLayout(buttons);
}

void ValueView::applyAppearance()
{
    QFont font = m_appearance.monospaced();
    if (m_isHex)
        font.setPointSizeF(font.pointSizeF() * smallHex);
    m_text->setFont(font);
    m_rows->setFont(m_appearance.monospaced());
}

void ValueView::watch(const QByteArray &key, const std::optional<keys::RawValue> &sample,
                      const keys::FieldDeadlines &ends)
{
    if (key == m_key && sample == m_sample && ends == m_ends)
        return;
    if (key != m_key) {
        m_key = key;
        m_page.reset();
        m_pagesRead.clear();
        m_error.reset();
        m_form.reset();
        if (std::exchange(m_isReading, false))
            Q_EMIT pageForgotten();
    }
    m_sample = sample;
    if (m_page && !m_sampleThen) // The first sample is not a change.
        m_sampleThen = m_sample;
    m_ends = ends;
    refresh();
}

void ValueView::requestPage(const PageRequest &request)
{
    m_isReading = true;
    m_error.reset();
    refresh();
    Q_EMIT pageRequested(m_key, request);
}

void ValueView::requestFirst()
{
    if (m_isReading)
        return;
    if (m_page && !m_pagesRead.empty()) { // Reads the shown page again.
        m_pagesRequested = m_pagesRead;
        requestPage(m_pagesRead.back());
        return;
    }
    PageRequest request;
    if (m_sample) {
        request.type = m_sample->type;
        const bool isJson = request.type == KeyType::String && m_sample->size <= maxJsonBytes;
        request.limit = isJson && looksLikeJson(m_sample->bytes()) ? maxJsonBytes : 0;
    }
    m_pagesRequested = {request};
    requestPage(request);
}

void ValueView::requestNext()
{
    m_pagesRequested = m_pagesRead;
    m_pagesRequested.push_back(*m_page->next);
    requestPage(m_pagesRequested.back());
}

void ValueView::requestPrevious()
{
    m_pagesRequested = m_pagesRead;
    m_pagesRequested.pop_back();
    requestPage(m_pagesRequested.back());
}

void ValueView::showPage(const base::Result<ValuePage> &page)
{
    m_isReading = false;
    if (page) {
        m_pagesRead = m_pagesRequested;
        // The server may have restarted at the first page, because the type has changed.
        if (page->from == 0 && m_pagesRead.size() > 1)
            m_pagesRead = {PageRequest {page->type, 0, {}, 0}};
        m_page = *page;
        m_sampleThen = m_sample;
    } else {
        m_error = page.error();
    }
    refresh();
}

/// Returns the difference between the current state and the state at the time of the page.
QString ValueView::changeNote() const
{
    if (m_isReading)
        return tr("Reading…");
    if (m_error)
        return widgets::sentence(m_error->message());
    if (!m_page || !m_sample)
        return {};
    if (m_sample->type != m_page->type && m_page->type != KeyType::Unknown)
        return tr("The type is now %1.", "a type").arg(keytable::typeText(m_sample->type));
    if (m_sample == m_sampleThen)
        return {};
    const bool isAsRead = m_page->type == KeyType::String && m_page->from == 0 && m_page->size == m_sample->size
                       && m_page->bytes.startsWith(m_sample->bytes());
    return isAsRead ? QString() : tr("The value has changed.");
}

void ValueView::refresh()
{
    const ValuePage shown = m_page ? *m_page : m_sample ? pageOf(*m_sample) : ValuePage();
    m_note->setText(m_page ? pageNote(*m_page) : m_sample ? sampleNote(*m_sample) : tr("Not read yet"));
    const QString change = changeNote();
    m_change->setText(change);
    m_change->setVisible(!change.isEmpty());
    const bool isString = shown.type == KeyType::String;
    m_forms->setVisible(isString && !shown.bytes.isEmpty());
    m_stack->setVisible(shown.count() > 0);
    m_stack->setCurrentIndex(isString ? 0 : 1);
    if (isString)
        showString(shown);
    else
        showRows(shown);
    updateTicking();
    refreshButtons(shown);
}

void ValueView::refreshButtons(const ValuePage &shown)
{
    const bool isCut = std::ranges::any_of(
        shown.rows, [](const ValuePage::Row &row) { return row.valueSize < 0 || row.nameSize < 0; });
    m_read->setVisible(m_page || !isWhole(shown) || isCut);
    m_read->setText(m_page ? tr("Read again") : tr("Read the value"));
    // The pressed button stays enabled during the read; otherwise it would lose the keyboard focus.
    m_previous->setVisible(m_page.has_value() && (m_pagesRead.size() > 1 || m_page->next));
    m_next->setVisible(m_page.has_value() && (m_pagesRead.size() > 1 || m_page->next));
    m_previous->setEnabled(!m_isReading && m_pagesRead.size() > 1);
    m_next->setEnabled(!m_isReading && m_page && m_page->next);
}

void ValueView::showString(const ValuePage &shown)
{
    const auto json = isWhole(shown) ? jsonLines(shown.bytes) : std::nullopt;
    ValueForm form = m_form.value_or(bestForm(shown.bytes, isWhole(shown)));
    if (form == ValueForm::Json && !json)
        form = ValueForm::Text;
    m_forms->setCurrentIndex(static_cast<int>(form));
    m_isHex = form == ValueForm::Hex;
    applyAppearance(); // The style sheet resets the fonts of the parts when it polishes them.
    const QString text = form == ValueForm::Json ? *json
                       : form == ValueForm::Hex  ? hexLines(shown.bytes, shown.from, hexWidth(shown))
                                                 : textLines(shown.bytes);
    if (m_text->toPlainText() != text)
        m_text->setPlainText(text);
}

/// Returns the number of bytes per line that fit: wrapped lines are unreadable.
int ValueView::hexWidth(const ValuePage &shown) const
{
    const double margins = 2 * m_text->document()->documentMargin();
    // Always subtracts the scroll bar, because its presence depends on the number of lines.
    const int room = m_text->width() - 2 * m_text->frameWidth() - m_text->verticalScrollBar()->sizeHint().width();
    return hexBytesPerLine(static_cast<int>((room - margins) / QFontMetricsF(m_text->font()).averageCharWidth()),
                           shown.from + shown.bytes.size());
}

/// Updates the lines for the new width.
void ValueView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    QMetaObject::invokeMethod(this, &ValueView::refresh, Qt::QueuedConnection); // Runs after the child widgets have
                                                                                // received their sizes.
}

void ValueView::showRows(const ValuePage &shown)
{
    applyAppearance();
    const ColumnTitles titles = columnTitles(shown.type);
    m_rows->setHeaderLabels({titles.name, titles.value, tr("Time left")});
    m_rows->setColumnHidden(1, titles.value.isEmpty());
    while (m_rows->topLevelItemCount() > shown.rows.size())
        delete m_rows->takeTopLevelItem(m_rows->topLevelItemCount() - 1);
    for (int row = 0; row < shown.rows.size(); ++row) {
        if (row == m_rows->topLevelItemCount())
            m_rows->addTopLevelItem(new QTreeWidgetItem);
        QTreeWidgetItem &item = *m_rows->topLevelItem(row);
        const ValuePage::Row &element = shown.rows[row];
        const QString texts[] {partText(element.name, element.nameSize), partText(element.value, element.valueSize)};
        for (int column = 0; column < 2; ++column) {
            if (item.text(column) == texts[column])
                continue;
            item.setText(column, texts[column]);
            item.setToolTip(column, widgets::toolTipText(texts[column]));
        }
    }
    showEnds(shown);
}

/// Shows the expiries of the rows. A page has the expiries of its fields; the sample has only the first fields to
/// expire.
void ValueView::showEnds(const ValuePage &shown)
{
    m_rowEnds.clear();
    bool isAnyEnding = false;
    for (const ValuePage::Row &row : shown.rows) {
        const bool isOfSample = !m_page && shown.type == KeyType::Hash && row.nameSize == row.name.size();
        std::optional<base::Deadline> end = isOfSample ? m_ends.endOf(row.name) : row.end;
        if (isOfSample && m_ends.isKnownToStay(row.name))
            end = base::Deadline::never();
        isAnyEnding = isAnyEnding || (end && !end->isNever());
        m_rowEnds += end;
    }
    m_rows->setColumnHidden(endColumn, !isAnyEnding);
    m_rows->header()->setStretchLastSection(!isAnyEnding);
    m_rows->header()->setSectionResizeMode(endColumn, QHeaderView::ResizeToContents); // A countdown must not be
                                                                                      // truncated.
    countDown();
    updateTicking();
}

/// Runs the timer only while a countdown is visible.
void ValueView::updateTicking()
{
    const bool isCounting = m_stack->currentWidget() == m_rows && !m_rows->isColumnHidden(endColumn) && isVisible();
    if (!isCounting)
        m_tick.stop();
    else if (!m_tick.isActive())
        m_tick.start(valueTickInterval);
}

void ValueView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    updateTicking();
}

void ValueView::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    m_tick.stop();
}

void ValueView::countDown()
{
    const base::MonotonicTime now = m_time.now();
    for (int row = 0; row < m_rows->topLevelItemCount() && row < m_rowEnds.size(); ++row) {
        const auto &end = m_rowEnds[row];
        const QString left = !end           ? QStringLiteral("?")
                           : end->isNever() ? QString()
                                            : keytable::timeLeftText(*end, keys::KeyState::Live, now);
        if (QTreeWidgetItem &item = *m_rows->topLevelItem(row); item.text(endColumn) != left)
            item.setText(endColumn, left);
    }
}

} // namespace latchkey::ui::detail

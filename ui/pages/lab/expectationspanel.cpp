#include "ui/pages/lab/expectationspanel.h"

#include "core/foundation/files/savedfile.h"
#include "core/foundation/language/catalogue.h"
#include "core/inspect/expectations/expectationtexts.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::lab {

using expectations::ExpectationRun;
using expectations::KeyResult;
using expectations::Report;
using inspection::InspectedServer;
using Outcome = expectations::Verdict::Outcome;

namespace {

/// Maximum number of displayed findings. All findings are evaluated and saved.
constexpr std::size_t maxShown = 500;
constexpr qsizetype maxKeyLength = 80;

/// Returns the position of an outcome in the list: failures first.
int placeOf(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Fails:
        return 0;
    case Outcome::Unknown:
        return 1;
    case Outcome::Holds:
        return 2;
    case Outcome::Open:
        return 3;
    }
    Q_UNREACHABLE();
}

QByteArray asJson(const Report &report)
{
    return QJsonDocument(expectations::toJson(report)).toJson();
}

} // namespace

ExpectationsPanel::ExpectationsPanel(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_text(new QPlainTextEdit(this))
    , m_start(new QPushButton(this))
    , m_save(new QPushButton(tr("Save verdicts"), this))
    , m_status(widgets::makePlainLabel(QStringLiteral("expectStatus"), QString(), this))
    , m_findings(new QStandardItemModel(0, ColumnCount, this))
    , m_list(new QTreeView(this))
    , m_empty(new widgets::EmptyState(appearance, m_list->viewport()))
{
    setObjectName(QStringLiteral("expectationsPanel"));
    m_text->setObjectName(QStringLiteral("expectations"));
    m_text->setAccessibleName(tr("Expectations, one per line"));
    m_text->setTabChangesFocus(true);
    // A translation may change the names of the keys. The words between them are syntax and must stay.
    m_text->setPlaceholderText(tr("session:7 gone between 4.9s and 5.2s after writing\n"
                                  "lock:* renewed at least every 10s\n"
                                  "cache:* never without expiry"));
    m_start->setObjectName(QStringLiteral("expectStart"));
    m_start->setProperty("kind", QStringLiteral("primary"));
    connect(m_start, &QPushButton::clicked, this, &ExpectationsPanel::startOrStop);
    m_save->setObjectName(QStringLiteral("expectSave"));
    m_save->setProperty("kind", QStringLiteral("menu"));
    auto *menu = new QMenu(m_save);
    menu->addAction(tr("As CSV…"), this,
                    [this] { save(tr("Save as CSV"), QStringLiteral("expectations.csv"), &expectations::toCsv); });
    menu->addAction(tr("As JSON…"), this,
                    [this] { save(tr("Save as JSON"), QStringLiteral("expectations.json"), &asJson); });
    menu->addAction(tr("As JUnit's XML…"), this, [this] {
        save(tr("Save as JUnit's XML"), QStringLiteral("expectations.xml"), &expectations::toJUnit);
    });
    m_save->setMenu(menu);
    m_status->setWordWrap(true);
    m_findings->setHorizontalHeaderLabels({tr("Verdict"), tr("Expectation"), tr("Key"), tr("Reason")});
    m_list->setObjectName(QStringLiteral("expectFindings"));
    m_list->setAccessibleName(tr("Verdicts"));
    m_list->setModel(m_findings);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAllColumnsShowFocus(true);
    setUpLayout();
    connect(&m_appearance, &theme::Appearance::changed, this, &ExpectationsPanel::applyAppearance);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &ExpectationsPanel::refresh);
    applyAppearance();
}

ExpectationsPanel::~ExpectationsPanel() = default;

void ExpectationsPanel::setUpLayout()
{
    constexpr int linesOfText = 5;
    m_text->setFixedHeight(m_text->fontMetrics().lineSpacing() * linesOfText + 24);
    auto *buttons = new QVBoxLayout;
    buttons->addWidget(m_start);
    buttons->addWidget(m_save);
    buttons->addStretch(1);
    auto *top = new QHBoxLayout;
    top->setSpacing(10);
    top->addWidget(m_text, 1);
    top->addLayout(buttons);
    m_list->header()->resizeSection(OutcomeColumn, 96);
    m_list->header()->resizeSection(ExpectationColumn, 300);
    m_list->header()->resizeSection(KeyColumn, 150);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addLayout(top);
    layout->addWidget(m_status);
    layout->addWidget(m_list, 1);
}

void ExpectationsPanel::applyAppearance()
{
    m_text->setFont(m_appearance.monospaced());
    refresh();
}

void ExpectationsPanel::setServer(InspectedServer *server)
{
    m_run.reset(); // The run watches the server, so it must end first.
    m_server = server;
    m_report.reset();
    m_note.clear();
    refresh();
}

void ExpectationsPanel::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    refresh();
}

void ExpectationsPanel::requestStart()
{
    m_start->click();
}

void ExpectationsPanel::startOrStop()
{
    if (isRunning())
        return m_run->finish();
    auto expectations = expectations::parseExpectations(tr("Line"), m_text->toPlainText().toUtf8());
    if (!expectations || !m_server) {
        m_note = expectations ? tr("No server is connected.") : widgets::fullSentence(expectations.error().message());
        showStatus();
        m_text->setFocus();
        return;
    }
    m_note.clear();
    m_run = std::make_unique<ExpectationRun>(*m_server, std::move(*expectations));
    connect(m_run.get(), &ExpectationRun::changed, this, [this] {
        if (isVisible()) // A hidden panel is updated in showEvent().
            refresh();
    });
    connect(m_run.get(), &ExpectationRun::began, this, &ExpectationsPanel::refresh);
    connect(m_run.get(), &ExpectationRun::finished, this, &ExpectationsPanel::refresh);
    refresh();
}

void ExpectationsPanel::refresh()
{
    if (m_run && m_server)
        m_report = Report::of(*m_run, *m_server);
    m_start->setText(isRunning() ? tr("Stop") : tr("Check"));
    m_start->setEnabled(m_server);
    m_save->setEnabled(m_report && !m_report->results.empty());
    m_text->setReadOnly(isRunning());
    showStatus();
    showResults();
}

void ExpectationsPanel::showStatus()
{
    if (!m_run || !m_report) {
        m_status->setText(m_note.isEmpty() ? tr("One expectation per line; a key with * or ? is a pattern.") : m_note);
        return;
    }
    const auto count = [this](Outcome outcome) {
        return static_cast<int>(std::ranges::count_if(
            m_report->results, [outcome](const KeyResult &result) { return result.verdict.outcome == outcome; }));
    };
    const int holding = count(Outcome::Holds);
    const int failing = count(Outcome::Fails);
    QStringList parts {holding == 1 ? tr("1 holds") : tr("%n hold", nullptr, holding),
                       failing == 1 ? tr("1 fails") : tr("%n fail", nullptr, failing),
                       tr("%n unknown", nullptr, count(Outcome::Unknown))};
    if (isRunning())
        parts += tr("%n open", nullptr, count(Outcome::Open));
    if (m_report->leftOut > 0)
        parts += m_report->leftOut == 1
                   ? tr("1 more key is not checked")
                   : tr("%n more keys are not checked", nullptr, static_cast<int>(m_report->leftOut));
    for (const base::Text &missing : m_report->coverage.sentences())
        parts += missing.toString();
    if (m_report->results.size() > maxShown)
        parts += tr("first %n shown", nullptr, static_cast<int>(maxShown));
    const QString counts = parts.join(tr(", ")) + u'.';
    m_status->setText(m_note.isEmpty() ? counts : tr("%1 %2").arg(counts, m_note));
}

void ExpectationsPanel::showResults()
{
    std::vector<KeyResult> results = m_report ? m_report->results : std::vector<KeyResult>();
    const auto rows = static_cast<int>(std::min(results.size(), maxShown));
    while (m_findings->rowCount() > rows)
        m_findings->removeRow(m_findings->rowCount() - 1);
    while (m_findings->rowCount() < rows) {
        QList<QStandardItem *> row;
        for (int column = 0; column < ColumnCount; ++column) {
            row += new QStandardItem;
            row.back()->setEditable(false);
        }
        m_findings->appendRow(row);
    }
    std::ranges::stable_sort(results, {}, [](const KeyResult &result) { return placeOf(result.verdict.outcome); });
    for (int row = 0; row < rows; ++row)
        showResult(row, results[static_cast<std::size_t>(row)]);
    if (rows > 0)
        m_empty->hide();
    else
        m_empty->show(QStringLiteral("check"), tr("No expectations yet"),
                      tr("Enter what you expect of keys on the connected server and click Check. Each key is watched "
                         "until its verdict is known."));
}

void ExpectationsPanel::showResult(int row, const KeyResult &result)
{
    const theme::Theme &theme = m_appearance.theme();
    const auto set = [&](int column, const QString &text) {
        if (m_findings->item(row, column)->text() != text)
            m_findings->item(row, column)->setText(text);
    };
    set(OutcomeColumn, expectations::outcomeText(result.verdict.outcome));
    set(ExpectationColumn, m_report->expectations[result.expectation].text);
    set(KeyColumn, base::printable(result.key, maxKeyLength));
    set(GroundsColumn, expectations::groundsText(result.verdict));
    QColor colour = theme.muted;
    if (result.verdict.outcome == Outcome::Holds)
        colour = theme.good;
    else if (result.verdict.outcome == Outcome::Fails)
        colour = theme.critical;
    else if (result.verdict.outcome == Outcome::Unknown)
        colour = theme.warning;
    if (m_findings->item(row, OutcomeColumn)->foreground().color() != colour)
        m_findings->item(row, OutcomeColumn)->setForeground(colour);
}

void ExpectationsPanel::save(const QString &title, const QString &name, QByteArray (*make)(const Report &report))
{
    auto *dialog = new QFileDialog(this, title);
    dialog->setObjectName(QStringLiteral("expectSaveDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(name);
    // The content is generated when the user asks to save, and in English, for other programs.
    const auto inEnglish = [this, make] {
        const language::EnglishScope forPrograms;
        return make(*m_report);
    };
    connect(dialog, &QFileDialog::fileSelected, this, [this, contents = inEnglish()](const QString &path) {
        const auto saved = files::saveFile(path, contents);
        m_note = saved ? tr("Saved as %1.").arg(path) : widgets::sentence(saved.error().message());
        showStatus();
    });
    dialog->open();
}

} // namespace latchkey::ui::lab

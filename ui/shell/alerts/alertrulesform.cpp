#include "ui/shell/alerts/alertrulesform.h"

#include "core/foundation/base/duration.h"
#include "core/inspect/findings/findingtexts.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/alerts/alerttexts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace latchkey::ui::alerts {

using findings::FindingKind;
using latchkey::alerts::AlertRule;
using latchkey::alerts::parseAlertRule;
using Condition = AlertRule::Condition;

namespace {

constexpr int rowsShown = 3;
constexpr int timeWidth = 90;

/// The conditions in the order of the form, with their names in the notation of parseAlertRule().
constexpr std::array conditions {
    std::pair(Condition::NoExpiry, "no-expiry"),   std::pair(Condition::TwoHolders, "two-holders"),
    std::pair(Condition::OlderThan, "older-than"), std::pair(Condition::Finding, "finding"),
    std::pair(Condition::Blind, "blind"),
};

} // namespace

AlertRulesForm::AlertRulesForm(QWidget *parent)
    : QWidget(parent)
    , m_list(new QTreeWidget(this))
    , m_remove(new QPushButton(tr("&Remove"), this))
    , m_restore(new QPushButton(tr("&Undo"), this))
    , m_condition(new QComboBox(this))
    , m_time(new QLineEdit(this))
    , m_finding(new QComboBox(this))
    , m_keys(new QLineEdit(this))
    , m_add(new QPushButton(tr("&Add"), this))
    , m_problem(widgets::makePlainLabel(QStringLiteral("alertRuleProblem"), {}, this))
{
    setUpLayout();
    offerConditions();
    connect(m_condition, &QComboBox::currentIndexChanged, this, &AlertRulesForm::showFields);
    connect(m_add, &QPushButton::clicked, this, &AlertRulesForm::add);
    for (QLineEdit *field : {m_time, m_keys})
        connect(field, &QLineEdit::returnPressed, this, &AlertRulesForm::add);
    connect(m_remove, &QPushButton::clicked, this, &AlertRulesForm::remove);
    connect(m_restore, &QPushButton::clicked, this, &AlertRulesForm::restore);
    connect(m_list, &QTreeWidget::currentItemChanged, this,
            [this] { m_remove->setEnabled(m_list->currentItem() != nullptr); });
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this, [this] {
        offerConditions();
        refresh();
    });
    refresh();
}

void AlertRulesForm::setUpLayout()
{
    m_list->setObjectName(QStringLiteral("alertRules"));
    m_list->setAccessibleName(tr("Rules"));
    m_list->setHeaderLabels({tr("An alert is raised if"), tr("Keys")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->header()->setSectionResizeMode(QHeaderView::Stretch);
    m_list->setFixedHeight((rowsShown + 1) * fontMetrics().height() * 2);
    m_remove->setObjectName(QStringLiteral("alertRuleRemove"));
    m_restore->setObjectName(QStringLiteral("alertRuleUndo"));
    m_condition->setObjectName(QStringLiteral("alertRuleCondition"));
    m_condition->setAccessibleName(tr("Condition"));
    m_time->setObjectName(QStringLiteral("alertRuleTime"));
    m_time->setAccessibleName(tr("Time"));
    m_time->setPlaceholderText(QStringLiteral("20m"));
    m_time->setFixedWidth(timeWidth);
    m_finding->setObjectName(QStringLiteral("alertRuleFinding"));
    m_finding->setAccessibleName(tr("Finding"));
    m_finding->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_keys->setObjectName(QStringLiteral("alertRuleKeys"));
    m_keys->setAccessibleName(tr("Keys"));
    m_keys->setPlaceholderText(tr("all keys, or a pattern such as lock:*"));
    m_add->setObjectName(QStringLiteral("alertRuleAdd"));
    m_problem->setWordWrap(true);
    for (QPushButton *button : {m_remove, m_restore, m_add})
        button->setAutoDefault(false);

    auto *buttons = new QVBoxLayout;
    buttons->addWidget(m_remove);
    buttons->addWidget(m_restore);
    buttons->addStretch(1);
    auto *top = new QHBoxLayout;
    top->addWidget(m_list, 1);
    top->addLayout(buttons);
    auto *fields = new QHBoxLayout;
    fields->addWidget(m_condition);
    fields->addWidget(m_time);
    fields->addWidget(m_finding, 1);
    fields->addWidget(m_keys, 1);
    fields->addWidget(m_add);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(top);
    layout->addLayout(fields);
    layout->addWidget(m_problem);
}

void AlertRulesForm::offerConditions()
{
    const int condition = std::max(0, m_condition->currentIndex());
    const int finding = std::max(0, m_finding->currentIndex());
    m_condition->clear();
    m_condition->addItems(
        {tr("no expiry"), tr("too many holders"), tr("held for longer than"), tr("finding"), tr("no answer for")});
    m_condition->setCurrentIndex(condition);
    m_finding->clear();
    for (int i = 0; i < findings::kindCount; ++i)
        m_finding->addItem(findings::FindingTexts::title(static_cast<FindingKind>(i)));
    m_finding->setCurrentIndex(finding);
    showFields();
}

void AlertRulesForm::showFields()
{
    const Condition condition = conditions.at(static_cast<std::size_t>(std::max(0, m_condition->currentIndex()))).first;
    m_time->setVisible(condition == Condition::OlderThan || condition == Condition::Blind);
    m_finding->setVisible(condition == Condition::Finding);
    m_keys->setVisible(condition != Condition::Blind);
}

void AlertRulesForm::setRules(std::vector<AlertRule> rules)
{
    m_rules = std::move(rules);
    m_removed.reset();
    refresh();
}

void AlertRulesForm::reset()
{
    m_time->clear();
    m_keys->clear();
    m_problem->hide();
}

base::Result<AlertRule> AlertRulesForm::described() const
{
    const auto &[condition, name] = conditions.at(static_cast<std::size_t>(m_condition->currentIndex()));
    QString text = QLatin1String(name);
    if (condition == Condition::OlderThan || condition == Condition::Blind) {
        const auto time = base::parseDuration(m_time->text().trimmed());
        if (!time)
            return base::failure(time.error());
        if (time->count() <= 0)
            return base::failure(base::ErrorKind::Usage, tr("the time must be longer than zero"));
        text += u'=' + base::formatDuration(*time);
    }
    if (condition == Condition::Finding)
        text += u'=' + findings::kindId(static_cast<FindingKind>(m_finding->currentIndex()));
    if (condition != Condition::Blind)
        text += u' ' + m_keys->text().trimmed();
    return parseAlertRule(text);
}

void AlertRulesForm::add()
{
    const auto rule = described();
    const bool isKnown = rule && std::ranges::find(m_rules, *rule) != m_rules.end();
    m_problem->setVisible(!rule || isKnown);
    if (!rule || isKnown) {
        m_problem->setText(rule ? tr("This rule exists already.") : widgets::fullSentence(rule.error().message()));
        return;
    }
    m_rules.push_back(*rule);
    m_removed.reset();
    reset();
    refresh();
    Q_EMIT changed();
}

void AlertRulesForm::remove()
{
    const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
    if (row < 0)
        return;
    const auto index = static_cast<std::size_t>(row);
    m_removed = {index, m_rules.at(index)};
    m_rules.erase(m_rules.begin() + row);
    refresh();
    Q_EMIT changed();
}

void AlertRulesForm::restore()
{
    const auto [place, rule] = *std::exchange(m_removed, std::nullopt);
    m_rules.insert(m_rules.begin() + static_cast<std::ptrdiff_t>(place), rule);
    refresh();
    Q_EMIT changed();
}

void AlertRulesForm::refresh()
{
    m_list->clear();
    for (const AlertRule &rule : m_rules) {
        auto *item = new QTreeWidgetItem(m_list, {AlertTexts::condition(rule), AlertTexts::keys(rule)});
        for (int column = 0; column < m_list->columnCount(); ++column)
            item->setToolTip(column, widgets::toolTipText(item->text(column)));
    }
    m_remove->setEnabled(m_list->currentItem() != nullptr);
    m_restore->setVisible(m_removed.has_value());
    m_problem->hide();
}

} // namespace latchkey::ui::alerts

#include "ui/pages/lab/experimentform.h"

#include "core/foundation/base/duration.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QStandardItemModel>

namespace latchkey::ui::lab {

using latchkey::lab::Plan;

namespace {

constexpr int maxKeysPerRecipe = 100'000;
constexpr int maxCommands = 9;

// Indices in the list of servers.
constexpr int privateServerIndex = 0;
constexpr int connectedServerIndex = 1;

} // namespace

ExperimentForm::ExperimentForm(QWidget *parent)
    : QWidget(parent)
    , m_keys(new QSpinBox(this))
    , m_shortest(new QLineEdit(QStringLiteral("2s"), this))
    , m_longest(new QLineEdit(QStringLiteral("5s"), this))
    , m_crashAfter(new QSpinBox(this))
    , m_crashed(new QSpinBox(this))
    , m_server(new QComboBox(this))
{
    m_keys->setObjectName(QStringLiteral("labKeys"));
    m_keys->setRange(1, maxKeysPerRecipe);
    m_keys->setValue(Plan().keysOfEach);
    m_keys->setGroupSeparatorShown(true);
    m_keys->setAccessibleName(tr("Keys of each recipe"));
    m_shortest->setObjectName(QStringLiteral("labShortest"));
    m_shortest->setAccessibleName(tr("Shortest lifetime"));
    m_longest->setObjectName(QStringLiteral("labLongest"));
    m_longest->setAccessibleName(tr("Longest lifetime"));
    for (QLineEdit *edit : {m_shortest, m_longest})
        edit->setMaximumWidth(76);
    m_crashAfter->setObjectName(QStringLiteral("labCrashAfter"));
    m_crashAfter->setRange(0, maxCommands);
    m_crashAfter->setSpecialValueText(tr("never"));
    m_crashAfter->setValue(1);
    m_crashAfter->setAccessibleName(tr("Number of commands of a write before the writer is killed"));
    m_crashAfter->setToolTip(tr("A pipeline counts as one command."));
    m_crashed->setObjectName(QStringLiteral("labCrashed"));
    m_crashed->setRange(0, 100);
    m_crashed->setSuffix(tr(" %"));
    m_crashed->setValue(Plan().crashedPercent);
    m_crashed->setAccessibleName(tr("Share of interrupted writes"));
    m_server->setObjectName(QStringLiteral("labServer"));
    m_server->setAccessibleName(tr("Server"));
    m_server->addItems({tr("a private server"), QString()});
    connect(m_crashAfter, &QSpinBox::valueChanged, m_crashed, [this](int after) { m_crashed->setEnabled(after > 0); });
    setConnectedServer(std::nullopt);
    setUpLayout();
}

/// Lays out two lines that read as sentences.
void ExperimentForm::setUpLayout()
{
    auto *lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(8);
    const auto addLine = [this, lines](std::initializer_list<std::pair<QString, QWidget *>> parts) {
        auto *line = new QHBoxLayout;
        line->setSpacing(8);
        for (const auto &[text, field] : parts) {
            auto *label = new QLabel(text, this);
            label->setObjectName(QStringLiteral("secondary"));
            label->setBuddy(field);
            line->addWidget(label);
            line->addWidget(field);
        }
        line->addStretch(1);
        lines->addLayout(line);
    };
    addLine({{tr("&Keys per recipe"), m_keys}, {tr("Li&fetime from"), m_shortest}, {tr("&to"), m_longest}});
    addLine({{tr("Kill the writer &after"), m_crashAfter},
             {tr("commands, in"), m_crashed},
             {tr("of the writes, &on"), m_server}});
}

base::Result<Plan> ExperimentForm::plan(const QStringList &recipes) const
{
    Plan plan;
    plan.recipes = recipes;
    plan.keysOfEach = m_keys->value();
    const auto shortest = base::parseDuration(m_shortest->text().trimmed());
    if (!shortest)
        return base::failure(shortest.error());
    const auto longest = base::parseDuration(m_longest->text().trimmed());
    if (!longest)
        return base::failure(longest.error());
    plan.shortest = *shortest;
    plan.longest = *longest;
    if (m_crashAfter->value() > 0)
        plan.crashAfter = m_crashAfter->value();
    plan.crashedPercent = m_crashed->value();
    plan.prefix = Plan::freshPrefix();
    if (const auto checked = plan.check(); !checked)
        return base::failure(checked.error());
    return plan;
}

bool ExperimentForm::wantsConnectedServer() const
{
    return m_server->currentIndex() == connectedServerIndex;
}

void ExperimentForm::setConnectedServer(const std::optional<QString> &name)
{
    m_server->setItemText(connectedServerIndex, name ? *name : tr("connected server, if armed"));
    if (auto *model = qobject_cast<QStandardItemModel *>(m_server->model()))
        model->item(connectedServerIndex)->setEnabled(name.has_value());
    if (!name)
        m_server->setCurrentIndex(privateServerIndex);
}

} // namespace latchkey::ui::lab

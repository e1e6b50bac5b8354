#include "ui/shell/connections/groupdialog.h"

#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QVBoxLayout>

namespace latchkey::ui::connections {

using latchkey::connections::RedlockGroup;
using latchkey::connections::SavedConnection;
using latchkey::connections::SavedConnections;

namespace {

constexpr int nameRole = Qt::UserRole;
constexpr int groupTextWidth = 460;
/// Height of the test's result; longer ones are scrolled.
constexpr int resultLines = 9;

} // namespace

GroupDialog::GroupDialog(SavedConnections &savedConnections, const base::Clock &clock, base::RandomSource &random,
                         const RedlockGroup &group, QString replaced, QWidget *parent)
    : QDialog(parent)
    , m_savedConnections(savedConnections)
    , m_replaced(std::move(replaced))
    , m_name(new QLineEdit(this))
    , m_servers(new QListWidget(this))
    , m_urls(new QLineEdit(this))
    , m_problem(widgets::makePlainLabel(QStringLiteral("patternProblem"), {}, this))
    , m_result(widgets::makePlainLabel(QStringLiteral("serverResult"), {}, this))
    , m_resultArea(new QScrollArea(this))
    , m_test(new QPushButton(tr("&Test"), this))
    , m_save(new QPushButton(tr("&Save"), this))
    , m_groupTest(clock, random)
{
    setObjectName(QStringLiteral("groupDialog"));
    setWindowTitle(m_replaced.isEmpty() ? tr("Save a redlock group") : tr("Change %1").arg(m_replaced));
    fill(group);
    setUpLayout();
    connect(m_name, &QLineEdit::textChanged, this, &GroupDialog::refresh);
    connect(m_urls, &QLineEdit::textChanged, this, &GroupDialog::forgetTest);
    connect(m_servers, &QListWidget::itemChanged, this, &GroupDialog::forgetTest);
    connect(m_test, &QPushButton::clicked, this, &GroupDialog::test);
    connect(&m_groupTest, &GroupTest::changed, this, &GroupDialog::showTest);
    connect(m_save, &QPushButton::clicked, this, &GroupDialog::save);
    refresh();
    showTest();
    m_name->setFocus();
}

void GroupDialog::fill(const RedlockGroup &group)
{
    m_name->setObjectName(QStringLiteral("groupName"));
    m_name->setText(group.name);
    m_servers->setObjectName(QStringLiteral("groupServers"));
    m_servers->setAccessibleName(tr("Saved servers"));
    QStringList others = group.members;
    for (const SavedConnection &server : m_savedConnections.servers()) {
        auto *item = new QListWidgetItem(tr("%1 — %2", "name and address").arg(server.name, server.endpoint.display()),
                                         m_servers);
        item->setData(nameRole, server.name);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(others.contains(server.name, Qt::CaseInsensitive) ? Qt::Checked : Qt::Unchecked);
        others.removeIf([&](const QString &member) { return member.compare(server.name, Qt::CaseInsensitive) == 0; });
    }
    m_urls->setObjectName(QStringLiteral("groupUrls"));
    m_urls->setText(others.join(u' '));
    m_urls->setPlaceholderText(tr("redis://a redis://b:6380"));
    m_urls->setToolTip(tr("URLs of servers that are not saved, separated by spaces"));
}

void GroupDialog::setUpLayout()
{
    m_problem->setWordWrap(true);
    m_problem->setMinimumWidth(groupTextWidth);
    m_problem->setProperty("testName", QStringLiteral("groupRefusal"));
    setUpResult();
    m_save->setObjectName(QStringLiteral("groupSave"));
    m_save->setProperty("kind", QStringLiteral("primary"));
    m_save->setDefault(true);
    auto *cancel = new QPushButton(tr("Cancel"), this);
    cancel->setAutoDefault(false);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    auto *form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(8);
    form->addRow(tr("&Name"), m_name);
    form->addRow(tr("Saved se&rvers"), m_servers);
    form->addRow(tr("Other &URLs"), m_urls);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_test);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_save);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 20, 24, 16);
    layout->setSpacing(14);
    layout->addLayout(form);
    layout->addWidget(widgets::makePlainLabel(
        QStringLiteral("secondary"), tr("Each server of the group has one vote for the holder of a lock."), this));
    layout->addWidget(m_problem);
    layout->addWidget(m_resultArea);
    layout->addLayout(buttons);
}

void GroupDialog::setUpResult()
{
    m_test->setObjectName(QStringLiteral("groupTest"));
    m_test->setAutoDefault(false);
    m_test->setToolTip(
        tr("Connects to each server, and shows its version, its role, the rights of the user and what is "
           "possible"));
    m_result->setProperty("testName", QStringLiteral("groupTestResult"));
    m_result->setWordWrap(true);
    m_result->setMargin(8);
    m_result->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_resultArea->setObjectName(QStringLiteral("detailScroll"));
    m_resultArea->setAccessibleName(tr("Result of the test"));
    m_resultArea->setFocusPolicy(Qt::StrongFocus);
    m_resultArea->setWidgetResizable(true);
    m_resultArea->setWidget(m_result);
    m_resultArea->setFixedHeight(fontMetrics().lineSpacing() * resultLines);
}

RedlockGroup GroupDialog::group() const
{
    RedlockGroup group {m_name->text().simplified(), {}};
    for (int row = 0; row < m_servers->count(); ++row) {
        const QListWidgetItem *item = m_servers->item(row);
        if (item->checkState() == Qt::Checked)
            group.members += item->data(nameRole).toString();
    }
    static const QRegularExpression spaces(QStringLiteral("\\s+"));
    group.members += m_urls->text().split(spaces, Qt::SkipEmptyParts);
    return group;
}

QString GroupDialog::savedName() const
{
    return group().name;
}

/// Shows why the group cannot be saved, once there is any input.
void GroupDialog::refresh()
{
    const RedlockGroup entered = group();
    const auto checked = m_savedConnections.checkGroup(entered, m_replaced);
    m_save->setEnabled(checked.has_value());
    m_test->setEnabled(m_groupTest.isRunning() || m_savedConnections.membersOf(entered).has_value());
    const bool isUntouched = entered.name.isEmpty() && entered.members.isEmpty();
    m_problem->setText(checked || isUntouched ? QString() : widgets::fullSentence(checked.error().message()));
}

void GroupDialog::test()
{
    if (m_groupTest.isRunning())
        return m_groupTest.reset();
    if (const auto members = m_savedConnections.membersOf(group()))
        m_groupTest.start(*members);
}

/// Clears the result of the test, because the servers have changed.
void GroupDialog::forgetTest()
{
    m_groupTest.reset();
    refresh();
}

void GroupDialog::showTest()
{
    m_test->setText(m_groupTest.isRunning() ? tr("&Stop") : tr("&Test"));
    m_result->setText(m_groupTest.text());
    widgets::restyle(*m_result, "tone", m_groupTest.tone());
    m_resultArea->setVisible(!m_result->text().isEmpty());
}

void GroupDialog::save()
{
    if (const auto saved = m_savedConnections.putGroup(group(), m_replaced); !saved)
        return m_problem->setText(widgets::fullSentence(saved.error().message()));
    accept();
}

} // namespace latchkey::ui::connections

#include "ui/shell/alerts/alertsdialog.h"

#include "core/foundation/base/timetext.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/alerts/alertrulesform.h"
#include "ui/shell/alerts/alerttexts.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace latchkey::ui::alerts {

using latchkey::alerts::AlertRule;
using State = LoggedAlert::State;
using namespace std::chrono_literals;

namespace {

constexpr QSize defaultSize(860, 500);
constexpr int serverWidth = 130;
constexpr int stateWidth = 190;
constexpr auto refreshInterval = 100ms;
constexpr auto tickInterval = 1s;
constexpr int idRole = Qt::UserRole;

} // namespace

AlertsDialog::AlertsDialog(AlertLog &log, theme::Appearance &appearance, const base::Clock &clock,
                           std::function<QString(const QString &)> nameOf, QWidget *parent)
    : QDialog(parent)
    , m_log(log)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_nameOf(std::move(nameOf))
    , m_list(new QTreeWidget(this))
    , m_empty(widgets::makePlainLabel(QStringLiteral("secondary"), {}, this))
    , m_show(new QPushButton(tr("&Show the key"), this))
    , m_copy(new QPushButton(tr("&Copy"), this))
    , m_clear(new QPushButton(tr("C&lear those that are over"), this))
    , m_rulesTitle(widgets::makePlainLabel(QStringLiteral("sectionTitle"), {}, this))
    , m_rules(new AlertRulesForm(this))
    , m_desktop(new QCheckBox(tr("&Notify on the desktop while this window is in the background"), this))
    , m_sound(new QCheckBox(tr("and play a &tone"), this))
    , m_note(widgets::makePlainLabel(QStringLiteral("secondary"), {}, this))
{
    setObjectName(QStringLiteral("alertsDialog"));
    setWindowTitle(tr("Alerts"));
    resize(defaultSize);
    setUpLayout();
    connectParts();
    updateTexts();
    refresh();
}

void AlertsDialog::setUpLayout()
{
    m_list->setObjectName(QStringLiteral("alertList"));
    m_list->setAccessibleName(tr("Alerts"));
    m_list->setColumnCount(ColumnCount);
    m_list->setHeaderLabels({tr("Raised"), tr("Server"), tr("Key"), tr("Reason"), tr("Lasts")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(TimeColumn, QHeaderView::ResizeToContents);
    for (const int column : {KeyColumn, ReasonColumn})
        m_list->header()->setSectionResizeMode(column, QHeaderView::Stretch);
    m_list->header()->resizeSection(ServerColumn, serverWidth);
    m_list->header()->resizeSection(StateColumn, stateWidth);
    m_empty->setProperty("testName", QStringLiteral("noAlert"));
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignCenter);
    m_note->setProperty("testName", QStringLiteral("alertNote"));
    m_note->setWordWrap(true);
    m_show->setObjectName(QStringLiteral("alertShow"));
    m_copy->setObjectName(QStringLiteral("alertCopy"));
    m_clear->setObjectName(QStringLiteral("alertClear"));
    m_desktop->setObjectName(QStringLiteral("alertDesktop"));
    m_sound->setObjectName(QStringLiteral("alertSound"));
    auto *close = new QPushButton(tr("Cl&ose"), this);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    for (QPushButton *button : {m_show, m_copy, m_clear, close})
        button->setAutoDefault(false);

    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_show);
    buttons->addWidget(m_copy);
    buttons->addWidget(m_clear);
    buttons->addStretch(1);
    auto *desktop = new QHBoxLayout;
    desktop->addWidget(m_desktop);
    desktop->addWidget(m_sound);
    desktop->addStretch(1);
    desktop->addWidget(close);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(10);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_empty, 1);
    layout->addLayout(buttons);
    layout->addWidget(m_rulesTitle);
    layout->addWidget(m_rules);
    layout->addWidget(m_note);
    layout->addLayout(desktop);
}

void AlertsDialog::connectParts()
{
    m_refresh.setSingleShot(true);
    m_refresh.setInterval(refreshInterval);
    connect(&m_refresh, &QTimer::timeout, this, &AlertsDialog::refresh);
    connect(&m_log, &AlertLog::changed, this, [this] {
        if (isVisible() && !m_refresh.isActive())
            m_refresh.start();
    });
    connect(&m_tick, &QTimer::timeout, this, &AlertsDialog::refreshStates);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &AlertsDialog::refreshButtons);
    connect(m_list, &QTreeWidget::itemActivated, this, &AlertsDialog::showChosen);
    connect(m_show, &QPushButton::clicked, this, &AlertsDialog::showChosen);
    connect(m_copy, &QPushButton::clicked, this, &AlertsDialog::copyChosen);
    connect(new QShortcut(QKeySequence::Copy, m_list, nullptr, nullptr, Qt::WidgetShortcut), &QShortcut::activated,
            this, &AlertsDialog::copyChosen);
    connect(m_clear, &QPushButton::clicked, &m_log, &AlertLog::clearEnded);
    connect(m_rules, &AlertRulesForm::changed, this, [this] { Q_EMIT rulesChanged(m_rules->rules()); });
    for (QCheckBox *box : {m_desktop, m_sound})
        connect(box, &QCheckBox::clicked, this, [this] {
            m_sound->setEnabled(m_desktop->isChecked());
            Q_EMIT desktopChosen(m_desktop->isChecked(), m_sound->isChecked());
        });
    connect(&m_appearance, &theme::Appearance::changed, this, &AlertsDialog::refresh);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this, [this] {
        updateTexts();
        refresh();
    });
}

/// Sets the composed texts.
void AlertsDialog::updateTexts()
{
    m_rulesTitle->setText(m_server.isEmpty() ? tr("Rules") : tr("Rules for %1").arg(m_server));
    m_rules->setVisible(m_reason.isEmpty());
    m_empty->setText(tr("No alerts. A lock that meets a rule below is listed here, of every server that the window "
                        "watches."));
    refreshNote();
}

/// Sets the note about missing alerts.
void AlertsDialog::refreshNote()
{
    QStringList sentences;
    if (!m_reason.isEmpty())
        sentences += m_reason;
    QStringList incomplete;
    for (const QString &url : m_log.incompleteServers())
        incomplete += m_nameOf(url);
    if (!incomplete.isEmpty())
        sentences +=
            tr("Alerts may be missing, because not everything is seen now: %1.").arg(incomplete.join(tr(", ")));
    if (!m_desktopProblem.isEmpty() && m_desktop->isChecked())
        sentences += tr("The desktop shows no notifications: %1.").arg(m_desktopProblem);
    m_note->setText(sentences.join(u' '));
    m_note->setVisible(!sentences.isEmpty());
}

void AlertsDialog::setServer(const QString &name, const std::vector<AlertRule> &rules, const QString &reason)
{
    m_server = name;
    m_reason = reason;
    m_rules->setRules(rules);
    m_rules->reset();
    updateTexts();
}

void AlertsDialog::setDesktop(bool isNotified, bool hasSound)
{
    m_desktop->setChecked(isNotified);
    m_sound->setChecked(hasSound);
    m_sound->setEnabled(isNotified);
    updateTexts();
}

void AlertsDialog::setDesktopProblem(const QString &why)
{
    m_desktopProblem = why;
    updateTexts();
}

void AlertsDialog::showEvent(QShowEvent *event)
{
    refresh();
    m_tick.start(tickInterval);
    QDialog::showEvent(event);
}

void AlertsDialog::hideEvent(QHideEvent *event)
{
    m_tick.stop();
    QDialog::hideEvent(event);
}

void AlertsDialog::refresh()
{
    const LoggedAlert *before = chosen();
    const qint64 id = before == nullptr ? 0 : before->id;
    const QSignalBlocker silence(m_list);
    m_list->clear();
    const auto isOfAnother = [this](const auto &each) {
        return each.second.serverUrl != m_log.all().begin()->second.serverUrl;
    };
    m_list->setColumnHidden(ServerColumn, std::ranges::none_of(m_log.all(), isOfAnother));
    for (auto each = m_log.all().crbegin(); each != m_log.all().crend(); ++each) {
        const LoggedAlert &logged = each->second;
        auto *item = new QTreeWidgetItem(m_list, {base::timeOfDay(m_clock.wallAt(logged.alert.raisedAt)),
                                                  m_nameOf(logged.serverUrl), AlertTexts::key(logged.alert),
                                                  logged.alert.reason.toString(), QString()});
        item->setData(TimeColumn, idRole, logged.id);
        for (int column = 0; column < ColumnCount; ++column) {
            item->setToolTip(column, widgets::toolTipText(item->text(column)));
            if (logged.state != State::Open)
                item->setForeground(column, m_appearance.theme().muted);
        }
        if (logged.id == id)
            m_list->setCurrentItem(item);
    }
    refreshStates();
    const bool isEmpty = m_log.all().empty();
    m_list->setVisible(!isEmpty);
    m_empty->setVisible(isEmpty);
    refreshButtons();
}

void AlertsDialog::refreshStates()
{
    refreshNote();
    const base::MonotonicTime now = m_clock.now();
    for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
        QTreeWidgetItem *item = m_list->topLevelItem(row);
        const auto logged = m_log.all().find(item->data(TimeColumn, idRole).toLongLong());
        if (logged != m_log.all().end())
            item->setText(StateColumn, AlertTexts::state(logged->second, now));
        item->setToolTip(StateColumn, widgets::toolTipText(item->text(StateColumn)));
    }
}

const LoggedAlert *AlertsDialog::chosen() const
{
    const QTreeWidgetItem *item = m_list->currentItem();
    const auto logged = m_log.all().find(item == nullptr ? 0 : item->data(TimeColumn, idRole).toLongLong());
    return logged == m_log.all().end() ? nullptr : &logged->second;
}

void AlertsDialog::refreshButtons()
{
    const LoggedAlert *alert = chosen();
    m_copy->setEnabled(alert != nullptr);
    m_show->setEnabled(alert != nullptr && alert->server && alert->alert.key);
    m_show->setToolTip(alert != nullptr && !alert->server ? tr("The server is no longer watched") : QString());
    m_clear->setEnabled(
        std::ranges::any_of(m_log.all(), [](const auto &each) { return each.second.state != State::Open; }));
}

void AlertsDialog::showChosen()
{
    const LoggedAlert *alert = chosen();
    if (alert != nullptr && alert->server && alert->alert.key)
        Q_EMIT showKeyRequested(LoggedAlert(*alert));
}

void AlertsDialog::copyChosen() const
{
    const QTreeWidgetItem *item = m_list->currentItem();
    if (item == nullptr)
        return;
    QStringList words;
    for (int column = 0; column < ColumnCount; ++column)
        words += item->text(column);
    QGuiApplication::clipboard()->setText(words.join(u'\t'));
}

} // namespace latchkey::ui::alerts

#include "ui/pages/inspector/changenotificationbutton.h"

#include "core/inspect/inspection/commandallowlist.h"
#include "ui/kit/widgets/plaintext.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QWidgetAction>

namespace latchkey::ui::inspector {

namespace {

/// Width of the notes in pixels; a comfortable line length.
constexpr int noteWidth = 400;

} // namespace

ChangeNotificationButton::ChangeNotificationButton(QWidget *parent)
    : QPushButton(parent)
    , m_menu(new QMenu(this))
{
    setObjectName(QStringLiteral("tellingNote"));
    setProperty("kind", QStringLiteral("note"));
    setToolTip(tr("How changes are detected, and what the view can miss"));
    QSizePolicy policy = sizePolicy();
    policy.setRetainSizeWhenHidden(true); // Keeps the rows below in place.
    setSizePolicy(policy);
    m_menu->setObjectName(QStringLiteral("tellingMenu"));
    setMenu(m_menu);
    connect(m_menu, &QMenu::aboutToShow, this, &ChangeNotificationButton::fillMenu);
    set(std::nullopt);
}

void ChangeNotificationButton::set(const std::optional<ChangeNotificationStatus> &status)
{
    setVisible(status.has_value());
    m_changeNotification = status.value_or(ChangeNotificationStatus());
    const QString title = changeNotificationTitle(m_changeNotification);
    const QString name = tr("Change detection: %1").arg(title);
    if (name == accessibleName())
        return;
    setText(title);
    setAccessibleName(name);
}

void ChangeNotificationButton::addParagraph(const QString &text)
{
    QLabel *label = widgets::makePlainLabel(QStringLiteral("menuText"), text, m_menu);
    label->setWordWrap(true);
    label->setFixedWidth(noteWidth);
    auto *action = new QWidgetAction(m_menu);
    action->setText(text); // Set for screen readers.
    action->setDefaultWidget(label);
    action->setEnabled(false);
    label->setEnabled(true); // Enabled for a readable colour; the text cannot be selected.
    m_menu->addAction(action);
}

void ChangeNotificationButton::fillMenu()
{
    m_menu->clear();
    for (const QString &text : changeNotificationText(m_changeNotification))
        addParagraph(text);
    if (m_changeNotification.mechanism != watching::EventSource::Mechanism::Notifications) {
        m_menu->addSeparator();
        addParagraph(changeNotificationCost(m_changeNotification));
        const QString command = changeNotificationCommand(m_changeNotification);
        // Doubled, because a single ampersand underlines the next character.
        addCopy("copyTellingCommand", tr("Copy \"%1\"").arg(QString(command).replace(u'&', QStringLiteral("&&"))),
                command);
    }
    m_menu->addSeparator();
    addParagraph(tr("This command, sent by an administrator, creates a read-only user with all permissions that "
                    "Latchkey needs. Fill in the password and the keys."));
    addCopy("copyWatcherLine", tr("Copy ACL SETUSER for a read-only user"),
            inspection::CommandAllowlist::aclLine(QStringLiteral("latchkey"), m_changeNotification.database,
                                                  m_changeNotification.server));
}

void ChangeNotificationButton::addCopy(const char *name, const QString &title, const QString &text)
{
    QAction *copy = m_menu->addAction(title);
    copy->setObjectName(QLatin1String(name));
    connect(copy, &QAction::triggered, this, [text] { QGuiApplication::clipboard()->setText(text); });
}

} // namespace latchkey::ui::inspector

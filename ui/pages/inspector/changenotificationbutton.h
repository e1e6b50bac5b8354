#pragma once

#include "ui/pages/inspector/statustext.h"

#include <QMenu>
#include <QPushButton>

namespace latchkey::ui::inspector {

/// A button that shows how the server reports changes. Its menu explains the consequences and the reasons, and offers a
/// command to copy, because Latchkey itself changes no setting.
///
/// The button displays a ChangeNotificationStatus and does not access the server. Owned by the header.
class ChangeNotificationButton final : public QPushButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ChangeNotificationButton)

public:
    explicit ChangeNotificationButton(QWidget *parent = nullptr);

    /// Sets the status. Absent without a server.
    void set(const std::optional<ChangeNotificationStatus> &status);

private:
    void fillMenu();
    void addParagraph(const QString &text);
    void addCopy(const char *name, const QString &title, const QString &text);

    QMenu *m_menu;
    ChangeNotificationStatus m_changeNotification;
};

} // namespace latchkey::ui::inspector

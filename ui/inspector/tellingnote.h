#pragma once

#include "ui/inspector/statustext.h"

#include <QMenu>
#include <QPushButton>

namespace latchkey::ui::inspector {

/// Says in a few words how the server tells of changes; opened, what that means for what is shown, why it is so, and
/// what can be done about it: one line to copy, for Latchkey changes no setting.
///
/// It is given a Telling and knows no server. Owned by the header.
class TellingNote final : public QPushButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TellingNote)

public:
    explicit TellingNote(QWidget *parent = nullptr);

    /// Absent: there is no server that could tell.
    void set(const std::optional<Telling> &telling);

private:
    void fillMenu();
    void addParagraph(const QString &text);
    void addCopy(const char *name, const QString &title, const QString &text);

    QMenu *m_menu;
    Telling m_telling;
};

} // namespace latchkey::ui::inspector

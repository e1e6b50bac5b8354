#pragma once

#include "ui/detail/detailtext.h"
#include "ui/detail/valueview.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/pill.h"

#include <QFrame>

class QAction;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace latchkey::ui::detail {

/// All that is known of one key, beside the table: what lock it is and why, who has it, what it holds.
///
/// It is given a KeyDetail and shows it; what it shows already is not built again, so the page may give it one with
/// every tick. It knows neither server nor store. Owned by the page; the appearance is not owned.
class DetailPanel final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DetailPanel)

public:
    explicit DetailPanel(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// What is shown; absent: says what to do to see something.
    void show(const std::optional<KeyDetail> &detail);
    using QFrame::show;
    /// What can be done with the key that is shown: a button below what is known. The action is not owned.
    void setLockAction(QAction *action);
    /// What the key holds: it says which part of it is wanted.
    [[nodiscard]] ValueView &value() const { return *m_value; }
    [[nodiscard]] const std::optional<KeyDetail> &shown() const { return m_shown; }

private:
    /// A heading, and lines below it that are built anew when they change.
    struct Section
    {
        QWidget *box = nullptr;
        QVBoxLayout *lines = nullptr;
    };

    [[nodiscard]] Section addSection(const QString &title, const char *name);
    void setRows(const Section &section, const QList<DetailRow> &rows);
    void setFindings(const QList<DetailFinding> &findings);
    void setLines(const Section &section, const QStringList &lines);
    void applyAppearance();

    theme::Appearance &m_appearance; // Not owned.
    QVBoxLayout *m_layout = nullptr;
    QLabel *m_key = nullptr;
    QLabel *m_hint = nullptr;
    widgets::Pill *m_kind = nullptr;
    QPushButton *m_lock = nullptr;
    Section m_facts;
    Section m_findings;
    Section m_holds;
    Section m_evidence;
    Section m_others;
    Section m_valueBox;
    ValueView *m_value = nullptr;
    std::optional<KeyDetail> m_shown;
};

} // namespace latchkey::ui::detail

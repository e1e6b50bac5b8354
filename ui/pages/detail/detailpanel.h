#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/kit/widgets/pill.h"
#include "ui/pages/detail/detailtext.h"
#include "ui/pages/detail/fieldlist.h"
#include "ui/pages/detail/findingbox.h"
#include "ui/pages/detail/leasechart.h"
#include "ui/pages/detail/valueview.h"
#include "ui/views/commandlog/commandlogview.h"

#include <QFrame>

class QAction;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace latchkey::ui::detail {

/// A panel beside the table with the details of one key. It has the answer in a sentence, findings with advice, TTL
/// curve, facts, holds, value, commands, and the evidence for the kind of lock.
///
/// The panel displays a KeyDetail. Unchanged parts are not rebuilt, so the page may set a detail with every tick. The
/// panel accesses neither server nor store. Owned by the page. Appearance and time are not owned.
class DetailPanel final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DetailPanel)

public:
    DetailPanel(theme::Appearance &appearance, const keytable::ShownTime &time, QWidget *parent = nullptr);

    /// Shows the details. Absent: shows a hint how to select a key.
    void show(const std::optional<KeyDetail> &detail);
    using QFrame::show;
    /// Sets the TTL curve. The curve is hidden if the key never had an expiry. `gaps`: times without observation.
    void setCourse(const LeaseCurve &curve, const std::vector<history::History::Gap> &gaps);
    /// Returns the command log, which the caller fills and clears.
    [[nodiscard]] commandlog::CommandLogView &commandLog() const { return *m_commandLog; }
    /// Adds an action on the shown key as a button below the facts. The action is not owned.
    void setLockAction(QAction *action);
    /// Returns the view of the value. The view requests the page that it needs.
    [[nodiscard]] ValueView &value() const { return *m_value; }
    [[nodiscard]] const std::optional<KeyDetail> &shown() const { return m_shown; }

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    /// A heading with lines that are rebuilt when they change.
    struct Section
    {
        QWidget *box = nullptr;
        QVBoxLayout *lines = nullptr;
    };

    [[nodiscard]] Section addSection(const QString &title, const char *name);
    [[nodiscard]] QString withBreaks(const QString &text, const QFontMetrics &metrics) const;
    void setRows(const Section &section, const QList<DetailRow> &rows);
    void showAnswer();
    void setFindings(const QList<DetailFinding> &findings);
    void addSections(const base::Clock &clock, const keytable::ShownTime &time);
    [[nodiscard]] int contentWidth() const;
    void setLines(const Section &section, const QStringList &lines);
    void addEvents(const base::Clock &clock);
    void addWire();
    void applyAppearance();

    theme::Appearance &m_appearance; // Not owned.
    QVBoxLayout *m_layout = nullptr;
    QLabel *m_key = nullptr;
    QLabel *m_hint = nullptr;
    QLabel *m_answer = nullptr;
    widgets::Pill *m_kind = nullptr;
    QPushButton *m_lock = nullptr;
    Section m_facts;
    Section m_course;
    LeaseChart *m_chart = nullptr;
    Section m_fieldsBox;
    FieldList *m_fields = nullptr;
    Section m_findings;
    QList<FindingBox *> m_boxes; ///< Boxes of the findings, in their order.
    Section m_holds;
    Section m_statistics;
    Section m_evidence;
    Section m_others;
    Section m_valueBox;
    ValueView *m_value = nullptr;
    Section m_wireBox;
    commandlog::CommandLogView *m_commandLog = nullptr;
    std::optional<KeyDetail> m_shown;
};

} // namespace latchkey::ui::detail

#pragma once

#include "core/keys/fieldends.h"
#include "ui/detail/valuetext.h"
#include "ui/keytable/showntime.h"
#include "ui/theme/appearance.h"

#include <QTimer>
#include <QWidget>

#include <vector>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTreeWidget;

namespace latchkey::ui::detail {

/// What a key holds: a string as text, as JSON or in hexadecimal figures, anything else as a table of two columns; of a
/// hash whose fields end with a third one, which counts down.
///
/// At first it shows the beginning, as far as that is read while watching, and keeps up with it. What is more is read a
/// page at a time, when the user asks for it: it says which page it wants, and is given it. What was read so stays what
/// it was, with its time; that the key is another by now is said.
/// Owned by the detail panel; appearance and time are not owned. It knows no server.
class ValueView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ValueView)

public:
    ValueView(theme::Appearance &appearance, const keytable::ShownTime &time, QWidget *parent = nullptr);

    /// What was read of this key while watching; absent: nothing yet. Of another key than before, pages are let go of.
    /// ends: of a hash, when its fields end.
    void watch(const QByteArray &key, const std::optional<keys::RawValue> &sample, const keys::FieldEnds &ends = {});

    [[nodiscard]] const QByteArray &key() const { return m_key; }
    /// A page that was wanted, or why there is none.
    void showPage(const base::Result<keyspace::ValuePage> &page);
    /// Absent: what was read while watching is shown.
    [[nodiscard]] const std::optional<keyspace::ValuePage> &page() const { return m_page; }

Q_SIGNALS:
    /// showPage() is to follow, unless another key is watched by then.
    void pageWanted(const QByteArray &key, const latchkey::keyspace::PageWish &wish);
    /// Nobody waits for a page any more.
    void pageForgotten();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void arrange();
    QPushButton *addButton(const char *name, const QString &text);
    void want(const keyspace::PageWish &wish);
    void wantFirst();
    void wantNext();
    void wantPrevious();
    void refresh();
    void refreshButtons(const keyspace::ValuePage &shown);
    [[nodiscard]] int hexWidth(const keyspace::ValuePage &shown) const;
    void showString(const keyspace::ValuePage &shown);
    void showRows(const keyspace::ValuePage &shown);
    void showEnds(const keyspace::ValuePage &shown);
    void countDown();
    void tickWhereNeeded();
    [[nodiscard]] QString changeNote() const;
    void applyAppearance();

    theme::Appearance &m_appearance;   // Not owned.
    const keytable::ShownTime &m_time; // Not owned.
    QByteArray m_key;
    std::optional<keys::RawValue> m_sample;
    keys::FieldEnds m_ends;
    QList<std::optional<base::Deadline>> m_rowEnds; ///< Of the rows that are shown.
    QTimer m_tick;                                  ///< While a countdown is to be seen.
    std::optional<keys::RawValue> m_sampleThen;     ///< When the page was read.
    std::optional<keyspace::ValuePage> m_page;
    std::vector<keyspace::PageWish> m_way;       ///< The pages that lead to the one that is shown, and that one.
    std::vector<keyspace::PageWish> m_wayWanted; ///< Likewise, of the one that is being read.
    bool m_isReading = false;
    std::optional<base::Error> m_error; ///< Why the last one could not be read.
    bool m_isHex = false;
    std::optional<ValueForm> m_form; ///< As the user wants it; absent: as is best.
    QLabel *m_note;
    QLabel *m_change;
    QComboBox *m_forms;
    QStackedWidget *m_stack;
    QPlainTextEdit *m_text;
    QTreeWidget *m_rows;
    QPushButton *m_read;
    QPushButton *m_previous;
    QPushButton *m_next;
};

} // namespace latchkey::ui::detail

#pragma once

#include "core/keyspace/keys/fielddeadlines.h"
#include "ui/kit/theme/appearance.h"
#include "ui/pages/detail/valuetext.h"
#include "ui/views/keytable/showntime.h"

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

/// A view of the value of a key. A string is shown as text, JSON or hex dump; other types as a table with two columns.
/// For a hash with expiring fields, a third column counts down.
///
/// At first the view shows the start of the value, as read while watching, and keeps it up to date. Further pages are
/// read at the user's request: the view requests a page and receives it. A page is not updated and shows the time of
/// its read; a note appears if the key has changed since. Owned by the detail panel. Appearance and time are not
/// owned. The view does not access the server.
class ValueView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ValueView)

public:
    ValueView(theme::Appearance &appearance, const keytable::ShownTime &time, QWidget *parent = nullptr);

    /// Sets the key and the part of its value that was read while watching; absent if nothing was read yet. Pages of
    /// another key are dropped. `ends`: expiries of the fields of a hash.
    void watch(const QByteArray &key, const std::optional<keys::RawValue> &sample,
               const keys::FieldDeadlines &ends = {});

    [[nodiscard]] const QByteArray &key() const { return m_key; }
    /// Shows a requested page, or the error.
    void showPage(const base::Result<watching::ValuePage> &page);
    /// Returns the shown page. Absent while the view shows the part that was read while watching.
    [[nodiscard]] const std::optional<watching::ValuePage> &page() const { return m_page; }

Q_SIGNALS:
    /// Emitted to request a page. The receiver answers with showPage(), unless the key has changed meanwhile.
    void pageRequested(const QByteArray &key, const latchkey::watching::PageRequest &request);
    /// Emitted when the requested page is no longer needed, because another key is shown.
    void pageForgotten();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void setUpLayout();
    QPushButton *addButton(const char *name, const QString &text);
    void requestPage(const watching::PageRequest &request);
    void requestFirst();
    void requestNext();
    void requestPrevious();
    void refresh();
    void refreshButtons(const watching::ValuePage &shown);
    [[nodiscard]] int hexWidth(const watching::ValuePage &shown) const;
    void showString(const watching::ValuePage &shown);
    void showRows(const watching::ValuePage &shown);
    void showEnds(const watching::ValuePage &shown);
    void countDown();
    void updateTicking();
    [[nodiscard]] QString changeNote() const;
    void applyAppearance();

    theme::Appearance &m_appearance;   // Not owned.
    const keytable::ShownTime &m_time; // Not owned.
    QByteArray m_key;
    std::optional<keys::RawValue> m_sample;
    keys::FieldDeadlines m_ends;
    QList<std::optional<base::Deadline>> m_rowEnds; ///< Expiries of the shown rows.
    QTimer m_tick;                                  ///< Active while a countdown is visible.
    std::optional<keys::RawValue> m_sampleThen;     ///< The sample at the time of the read of the page.
    std::optional<watching::ValuePage> m_page;
    std::vector<watching::PageRequest> m_pagesRead;      ///< Requests for the pages up to the shown page.
    std::vector<watching::PageRequest> m_pagesRequested; ///< Requests for the pages up to the page that is being read.
    bool m_isReading = false;
    std::optional<base::Error> m_error; ///< Error of the last read.
    bool m_isHex = false;
    std::optional<ValueForm> m_form; ///< Form that the user has chosen; absent: the best form.
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

#pragma once

#include "ui/pages/detail/detailpanel.h"
#include "ui/pages/inspector/inspectorheader.h"
#include "ui/pages/inspector/keypanel.h"

#include <QObject>
#include <QSize>

class QSplitter;

namespace latchkey::ui::inspector {

/// The layout of an InspectorPage: the table with the details beside it and the history below it.
///
/// The buttons of the header decide which panels are shown. The layout can be saved. Owned by the page. The parts of
/// the page are not owned.
class InspectorLayout final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(InspectorLayout)

public:
    InspectorLayout(InspectorHeader &header, KeyPanel &panel, detail::DetailPanel &detail, QWidget &page);

    /// Returns the widget that contains table, details and history.
    [[nodiscard]] QSplitter *widget() const { return m_rows; }

    /// Sets the size of the window, which determines the panels that are shown by default.
    void setWindow(const QSize &window) { m_window = window; }
    /// Opens the panels that fit the window, unless the user has chosen. These are the details beside the table, and
    /// the history below it if there are locks.
    void openDefaultPanels(bool hasLocks);
    void addTimeline(QWidget *timeline);

    [[nodiscard]] QByteArray save() const;
    /// Restores a saved layout. An invalid layout is ignored.
    void restore(const QByteArray &layout);

Q_SIGNALS:
    /// Emitted when the user has changed the columns, a panel or the grouping; see save().
    void changed();

private:
    void showDetails(bool areShown);

    InspectorHeader &m_header;     // Not owned.
    KeyPanel &m_panel;             // Not owned.
    detail::DetailPanel &m_detail; // Not owned.
    QWidget &m_page;               // Not owned.
    QSplitter *m_rows;             ///< Table and detail panel at the top, history at the bottom.
    QSplitter *m_split;
    int m_detailWidth = 330; ///< Width of the detail panel when it is shown next, in pixels.
    QSize m_window;          ///< Size of the window; invalid if the size does not determine the visible panels.
};

} // namespace latchkey::ui::inspector

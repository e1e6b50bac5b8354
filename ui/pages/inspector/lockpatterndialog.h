#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/inspect/recognition/userdialects.h"
#include "ui/kit/theme/appearance.h"
#include "ui/pages/inspector/holderlocations.h"
#include "ui/pages/inspector/namematches.h"

#include <QDialog>
#include <QPointer>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace latchkey::ui::inspector {

/// A dialog that asks for a user-defined lock pattern: name, key pattern, location of the holder. It immediately shows
/// the known keys that match, and their holders.
///
/// Saving writes the pattern to the user's file and closes the dialog. If saving fails, the dialog shows the reason and
/// stays open. Owned by the code that opens it. Appearance, dialects and server are not owned. The server may be
/// destroyed before the dialog.
class LockPatternDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockPatternDialog)

public:
    /// `pattern`: initial content; a pattern without an id is new. `key`: key for which the user opened the dialog. It
    /// is listed first, whether it matches the pattern or not. Absent if the user changes a saved pattern.
    LockPatternDialog(theme::Appearance &appearance, recognition::UserDialects &own,
                      inspection::InspectedServer &server, recognition::LockPattern pattern,
                      const std::optional<QByteArray> &key, QWidget *parent);

    /// Returns the pattern that the user has entered so far.
    [[nodiscard]] recognition::LockPattern pattern() const;

private:
    void setUpLayout();
    void offerLocations();
    void connectParts();
    void locationChosen();
    void refresh();
    void showMatches();
    void showList();
    void readListed();
    [[nodiscard]] QString holderOf(const QByteArray &key, const recognition::Recogniser &recogniser) const;
    void save();

    theme::Appearance &m_appearance;  // Not owned.
    recognition::UserDialects &m_own; // Not owned.
    QPointer<inspection::InspectedServer> m_server;
    const recognition::LockPattern m_first;
    const std::optional<QByteArray> m_key;
    keys::KeyType m_type;
    bool m_isValueKnown = false; ///< Whether the value of `m_key` is known. The possible locations depend on it.
    std::vector<HolderLocation> m_locations;
    NameMatches m_matches;
    QSet<QByteArray> m_requested;                        ///< Listed keys whose value was requested from the server.
    std::optional<recognition::Recogniser> m_recogniser; ///< Recogniser with the pattern added; absent if the pattern
                                                         ///< is invalid.
    QString m_id;                                        ///< Id of the saved pattern.
    QLineEdit *m_title;
    QLineEdit *m_keys;
    QComboBox *m_location;
    QComboBox *m_field;
    QLabel *m_count;
    QTreeWidget *m_list;
    QLabel *m_problem;
    QPushButton *m_save;
};

} // namespace latchkey::ui::inspector

#pragma once

#include "core/inspection/inspectedserver.h"
#include "core/recognition/owndialects.h"
#include "ui/inspector/holderplaces.h"
#include "ui/inspector/namematches.h"
#include "ui/theme/appearance.h"

#include <QDialog>
#include <QPointer>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace latchkey::ui::inspector {

/// Asks what locks of the user's own are like: their name, how their keys are named, where the holder stands. Shows at
/// once which of the known keys that are, and who has them.
///
/// Saved, it is in the user's file, and the dialog closes; where that cannot be, it says why and stays.
/// Owned by the code that opens it; appearance, dialects and server are not owned. The server may go before it.
class LockPatternDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockPatternDialog)

public:
    /// pattern: what is said at first, one without an id being new. key: one that has to be among them; absent: none
    /// has.
    LockPatternDialog(theme::Appearance &appearance, recognition::OwnDialects &own, inspection::InspectedServer &server,
                      recognition::LockPattern pattern, const std::optional<QByteArray> &key, QWidget *parent);

    /// What has been said so far.
    [[nodiscard]] recognition::LockPattern pattern() const;

private:
    void arrange();
    void offerPlaces();
    void connectParts();
    void placeChosen();
    void refresh();
    void showMatches();
    void showList();
    void readListed();
    [[nodiscard]] QString holderOf(const QByteArray &key, const recognition::Recogniser &recogniser) const;
    void save();

    theme::Appearance &m_appearance; // Not owned.
    recognition::OwnDialects &m_own; // Not owned.
    QPointer<inspection::InspectedServer> m_server;
    const recognition::LockPattern m_first;
    const std::optional<QByteArray> m_key;
    keys::KeyType m_type;
    bool m_isValueKnown = false; ///< Of the key; what can be said goes by it.
    std::vector<HolderPlace> m_places;
    NameMatches m_matches;
    QSet<QByteArray> m_wished;                           ///< Of those listed, for whose values the server is asked.
    std::optional<recognition::Recogniser> m_recogniser; ///< With the pattern; absent while that cannot be.
    QString m_id;                                        ///< Under which it is saved.
    QLineEdit *m_title;
    QLineEdit *m_keys;
    QComboBox *m_place;
    QComboBox *m_field;
    QLabel *m_count;
    QTreeWidget *m_list;
    QLabel *m_problem;
    QPushButton *m_save;
};

} // namespace latchkey::ui::inspector

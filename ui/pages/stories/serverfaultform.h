#pragma once

#include "core/explore/schedules/serverfaultlimits.h"
#include "core/recipes/catalogue/recipe.h"

#include <QVariantMap>
#include <QWidget>

#include <vector>

class QComboBox;
class QSpinBox;

namespace latchkey::ui::stories {

/// Adds the promises about server faults to a combo box: all together, then each. The data of an item is the list of
/// the promise ids. `all`: text of the first item.
void addServerFaultChoices(QComboBox &choice, const QString &all, int role = Qt::UserRole);

/// Lines of a form with the limits of the server faults: the number of faults of each kind, and their extent. The form
/// shows only the fields that the chosen promises use, and is hidden if they permit no server faults.
///
/// Owned by the form of a recipe or of a program. It starts no process.
class ServerFaultForm final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerFaultForm)

public:
    enum class Subject : quint8 { Recipe, Program };

    /// `name`: prefix of the object names, such as `race`.
    ServerFaultForm(const QString &name, Subject subject, QWidget *parent = nullptr);
    ~ServerFaultForm() override;

    /// Sets the ids of the promises to check.
    void setPromises(const QStringList &promises);
    [[nodiscard]] schedules::ServerFaultLimits limits() const;

    /// Returns the settings to save, for restoreState() in a later run.
    [[nodiscard]] QVariantMap saveState() const;
    void restoreState(const QVariantMap &state);

private:
    /// The number of faults of one kind.
    struct Count
    {
        catalogue::Promise promise; ///< The promise that permits the faults.
        int schedules::ServerFaultLimits::*limit;
        QString savedName;
        QSpinBox *field;
    };

    void makeCounts(const QString &name);
    void makeFields(const QString &name);
    void refresh();

    const Subject m_subject;
    QStringList m_promises;
    std::vector<Count> m_counts;
    QSpinBox *m_lostWrites;
    QComboBox *m_persistence;
    QComboBox *m_delay; ///< For recipes; always hidden for programs.
};

} // namespace latchkey::ui::stories

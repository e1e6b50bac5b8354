#pragma once

#include "core/redis/connections/savedconnection.h"
#include "ui/kit/theme/appearance.h"

#include <QDialog>

#include <chrono>
#include <optional>

class QComboBox;
class QLayout;
class QPushButton;

namespace latchkey::ui::shell {

/// A dialog that asks whether to allow writing to a server, and for how long. Return keeps the server read-only.
///
/// For a production server, the user must type its name, so that a habitual double click cannot arm it; after the right
/// name, Return arms. The dialog changes nothing; the code that opens it arms the server after acceptance. Owned by its
/// parent.
class ArmDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ArmDialog)

public:
    /// `saved`: the saved connection of the server; absent if it is not saved. `time`: initial selection; one of
    /// Settings::armedMinutes.
    ArmDialog(theme::Appearance &appearance, const net::Endpoint &server,
              const std::optional<latchkey::connections::SavedConnection> &saved, std::chrono::minutes time,
              QWidget *parent);

    /// Returns the time after which the server must be disarmed.
    [[nodiscard]] std::chrono::minutes time() const;

private:
    [[nodiscard]] QLayout *makeTime(std::chrono::minutes time);
    [[nodiscard]] QLayout *makeName(const QString &wanted, QPushButton &arm);

    QComboBox *m_time;
};

} // namespace latchkey::ui::shell

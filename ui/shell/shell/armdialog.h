#pragma once

#include "core/redis/connections/savedconnection.h"
#include "ui/kit/theme/appearance.h"

#include <QDialog>

#include <optional>

namespace latchkey::ui::shell {

/// A dialog that asks whether writing to a server is to be allowed. Return keeps the server read-only.
///
/// For a production server, the user must type its name, so that a habitual double click cannot arm it. The dialog
/// changes nothing; the code that opens it arms the server after acceptance. Owned by its parent.
class ArmDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ArmDialog)

public:
    /// `kept`: the saved connection of the server; absent if it is not saved.
    ArmDialog(theme::Appearance &appearance, const net::Endpoint &server,
              const std::optional<latchkey::connections::SavedConnection> &kept, QWidget *parent);
};

} // namespace latchkey::ui::shell

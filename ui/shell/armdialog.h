#pragma once

#include "core/servers/keptserver.h"
#include "ui/theme/appearance.h"

#include <QDialog>

#include <optional>

namespace latchkey::ui::shell {

/// Asks whether writing to a server is to be allowed. Watching only is what Return does.
///
/// For a production server its name has to be typed first: nobody arms the wrong window by a habit of two clicks.
/// It changes nothing itself: who opens it does, once it is accepted. Owned by its parent.
class ArmDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ArmDialog)

public:
    /// kept: the server as it is kept by name; absent: it is not.
    ArmDialog(theme::Appearance &appearance, const resp::Endpoint &server,
              const std::optional<latchkey::servers::KeptServer> &kept, QWidget *parent);
};

} // namespace latchkey::ui::shell

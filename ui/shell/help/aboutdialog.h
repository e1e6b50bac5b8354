#pragma once

#include "ui/kit/theme/appearance.h"

#include <QDialog>

namespace latchkey::ui::help {

/// A dialog with the versions of the program and of its libraries, and their licences. Owned by the code that opens it.
/// The appearance is not owned.
class AboutDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AboutDialog)

public:
    AboutDialog(theme::Appearance &appearance, QWidget *parent);

private:
    [[nodiscard]] static QString content();
};

} // namespace latchkey::ui::help

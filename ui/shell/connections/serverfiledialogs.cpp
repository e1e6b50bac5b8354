#include "ui/shell/connections/serverfiledialogs.h"

#include "ui/shell/connections/serverswitcher.h"

#include <QFileDialog>

namespace latchkey::ui::connections {

namespace {

void open(QFileDialog &dialog, const QString &name, std::function<void(const QString &)> chosen)
{
    dialog.setObjectName(name);
    dialog.setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(&dialog, &QFileDialog::fileSelected, dialog.parentWidget(), std::move(chosen));
    dialog.open();
}

} // namespace

void askExportFile(QWidget &parent, std::function<void(const QString &)> chosen)
{
    auto *dialog =
        new QFileDialog(&parent, ServerSwitcher::tr("Export the servers"), {}, ServerSwitcher::tr("Servers (*.ini)"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("ini"));
    open(*dialog, QStringLiteral("serverExportDialog"), std::move(chosen));
}

void askImportFile(QWidget &parent, std::function<void(const QString &)> chosen)
{
    auto *dialog = new QFileDialog(&parent, ServerSwitcher::tr("Import servers"), {},
                                   ServerSwitcher::tr("Servers (*.ini);;All files (*)"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    open(*dialog, QStringLiteral("serverImportDialog"), std::move(chosen));
}

} // namespace latchkey::ui::connections

#include "ui/shell/help/aboutdialog.h"

#include "core/foundation/base/version.h"
#include "core/redis/resp/codec.h"
#include "ui/kit/widgets/languagechangenotifier.h"

#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace latchkey::ui::help {

namespace {

/// A part of the program. `licence`: SPDX identifier.
struct Part
{
    QString name;
    QString version; ///< Empty if the library states none at run time.
    QString licence;
    QString address;
};

QList<Part> parts()
{
    return {
        {QStringLiteral("Latchkey"), base::programVersion(), QStringLiteral("MIT"), {}},
        {QStringLiteral("Qt"), QLatin1String(qVersion()), QStringLiteral("LGPL-3.0-only"),
         QStringLiteral("https://doc.qt.io/qt-6/licensing.html")},
        {QStringLiteral("hiredis"), resp::hiredisVersion(), QStringLiteral("BSD-3-Clause"),
         QStringLiteral("https://github.com/redis/hiredis")},
        {QStringLiteral("tl::expected"),
         {},
         QStringLiteral("CC0-1.0"),
         QStringLiteral("https://github.com/TartanLlama/expected")},
#ifdef LATCHKEY_HAS_KEYCHAIN
        {QStringLiteral("QtKeychain"),
         {},
         QStringLiteral("BSD-2-Clause"),
         QStringLiteral("https://github.com/frankosterfeld/qtkeychain")},
#endif
    };
}

} // namespace

AboutDialog::AboutDialog(theme::Appearance &appearance, QWidget *parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("aboutDialog"));
    setWindowTitle(tr("About Latchkey"));
    resize(520, 330);
    auto *text = new QTextBrowser(this);
    text->setObjectName(QStringLiteral("aboutText"));
    text->setAccessibleName(tr("Versions and licences"));
    text->setOpenExternalLinks(true);
    text->setHtml(content());
    auto *close = new QPushButton(tr("Close"), this);
    close->setObjectName(QStringLiteral("aboutClose"));
    close->setDefault(true);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    const auto show = [text] { text->setHtml(content()); };
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, text, show);
    connect(&appearance, &theme::Appearance::changed, text, show); // Links keep their colour.
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(12);
    layout->addWidget(text, 1);
    layout->addWidget(close, 0, Qt::AlignRight);
    close->setFocus();
}

QString AboutDialog::content()
{
    QString html =
        QStringLiteral("<p>%1</p><table cellpadding=\"4\"><tr><th align=\"left\">%2</th>"
                       "<th align=\"left\">%3</th><th align=\"left\">%4</th></tr>")
            .arg(tr("Shows the locks and expiring keys of a Redis server."), tr("Part"), tr("Version"), tr("Licence"));
    for (const Part &part : parts()) {
        const QString name =
            part.address.isEmpty() ? part.name : QStringLiteral("<a href=\"%1\">%2</a>").arg(part.address, part.name);
        html += QStringLiteral("<tr><td>%1</td><td>%2</td><td><a href=\"https://spdx.org/licenses/%3.html\">%3</a></td>"
                               "</tr>")
                    .arg(name, part.version, part.licence);
    }
    return html + QStringLiteral("</table>");
}

} // namespace latchkey::ui::help

#include "ui/shell/help/helpdialog.h"

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"

#include <QDesktopServices>
#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QRegularExpression>
#include <QTextBrowser>
#include <QTextDocument>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace latchkey::ui::help {

using actions::ActionRegistry;

namespace {

constexpr int contentsWidth = 260;
constexpr int addressRole = Qt::UserRole;

/// Reads a Markdown file from the resources, without its pictures, which are not part of the program.
QString readPage(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    static const QRegularExpression picture(QStringLiteral("<picture>.*?</picture>\\s*"),
                                            QRegularExpression::DotMatchesEverythingOption);
    return QString::fromUtf8(file.readAll()).remove(picture);
}

QString titleOf(const QString &page)
{
    const QString first = page.section(u'\n', 0, 0);
    return first.startsWith(u'#') ? first.sliced(1).trimmed() : first;
}

/// The pages of the manual that concern users of the window and the command line, in reading order.
const char *const manualPages[] = {"window", "tour",     "command-line", "connections",
                                   "acl",    "promises", "exit-codes",   "json",
                                   "ci",     "library",  "installation", "troubleshooting"};

} // namespace

HelpDialog::HelpDialog(const ActionRegistry &registry, theme::Appearance &appearance,
                       const i18n::LanguageSwitcher &languageSwitcher, std::function<QList<PagePurpose>()> pages,
                       QWidget *parent)
    : QDialog(parent)
    , m_registry(registry)
    , m_languageSwitcher(languageSwitcher)
    , m_pages(std::move(pages))
    , m_contents(new QListWidget(this))
    , m_text(new QTextBrowser(this))
    , m_note(widgets::makePlainLabel(QStringLiteral("secondary"), {}, this))
{
    setObjectName(QStringLiteral("helpDialog"));
    setWindowTitle(tr("Help"));
    resize(900, 520);
    setUpLayout();
    connect(m_contents, &QListWidget::currentRowChanged, this, &HelpDialog::showChosen);
    connect(m_text, &QTextBrowser::anchorClicked, this, &HelpDialog::openLink);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &HelpDialog::fill);
    connect(&appearance, &theme::Appearance::changed, this, &HelpDialog::showChosen); // Links keep their colour.
    fill();
    m_contents->setFocus();
}

void HelpDialog::setUpLayout()
{
    m_contents->setObjectName(QStringLiteral("helpContents"));
    m_contents->setAccessibleName(tr("Contents"));
    m_contents->setFixedWidth(contentsWidth);
    m_contents->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // A long title is elided.
    m_text->setObjectName(QStringLiteral("helpText"));
    m_text->setAccessibleName(tr("Help"));
    m_text->setOpenLinks(false);
    m_note->setProperty("testName", QStringLiteral("helpNote"));
    m_note->setWordWrap(true);
    m_note->hide();
    auto *right = new QVBoxLayout;
    right->setSpacing(8);
    right->addWidget(m_text, 1);
    right->addWidget(m_note);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(12);
    layout->addWidget(m_contents);
    layout->addLayout(right, 1);
}

/// Lists the contents in the current language, and shows the same entry as before.
void HelpDialog::fill()
{
    const int row = std::max(m_contents->currentRow(), 0);
    const QSignalBlocker quiet(m_contents);
    m_contents->clear();
    m_contents->addItem(tr("Pages and shortcuts"));
    const QString folder = m_languageSwitcher.language() == language::Language::Chinese
                             ? QStringLiteral(":/latchkey/manual/zh-CN/")
                             : QStringLiteral(":/latchkey/manual/");
    for (const char *name : manualPages) {
        const QString path = folder + QLatin1String(name) + QStringLiteral(".md");
        auto *item = new QListWidgetItem(titleOf(readPage(path)), m_contents);
        item->setData(addressRole, QUrl(QStringLiteral("qrc") + path));
    }
    m_contents->setCurrentRow(row);
    showChosen();
}

void HelpDialog::showChosen()
{
    m_note->hide();
    const QListWidgetItem *item = m_contents->currentItem();
    const QUrl page = item == nullptr ? QUrl() : item->data(addressRole).toUrl();
    if (page.isEmpty())
        showOverview();
    else
        showManual(page);
}

void HelpDialog::showOverview()
{
    QString html = QStringLiteral("<h2>%1</h2><table cellpadding=\"4\">").arg(tr("The pages of the window"));
    for (const PagePurpose &page : m_pages())
        html += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>")
                    .arg(page.name.toHtmlEscaped(), page.purpose.toHtmlEscaped());
    html += QStringLiteral("</table><h2>%1</h2>").arg(tr("Shortcuts"));
    m_source.clear();
    m_text->setHtml(html + shortcutTable());
}

QString HelpDialog::shortcutTable() const
{
    QString html = QStringLiteral("<table cellpadding=\"4\">");
    std::optional<ActionRegistry::Group> group;
    for (const ActionRegistry::Item &item : m_registry.items()) {
        if (item.shortcut.isEmpty())
            continue;
        if (item.group != group)
            html += QStringLiteral("<tr><td colspan=\"2\"><b>%1</b></td></tr>").arg(actions::groupText(item.group));
        group = item.group;
        html += QStringLiteral("<tr><td>%1</td><td>%2</td></tr>")
                    .arg(item.shortcut.toHtmlEscaped(), item.name.toHtmlEscaped());
    }
    return html + QStringLiteral("</table>");
}

void HelpDialog::showManual(const QUrl &page)
{
    m_source = page;
    m_text->document()->setMarkdown(readPage(u':' + page.path()), QTextDocument::MarkdownDialectGitHub);
    m_text->moveCursor(QTextCursor::Start);
    m_text->ensureCursorVisible();
}

/// Follows a link: a web page in the browser, a page of the manual here. Other files of the sources are named only.
void HelpDialog::openLink(const QUrl &link)
{
    if (link.scheme().startsWith(QStringLiteral("http"))) {
        QDesktopServices::openUrl(link);
        return;
    }
    const QUrl target = m_source.resolved(link).adjusted(QUrl::RemoveFragment);
    for (int row = 0; row < m_contents->count(); ++row) {
        if (m_contents->item(row)->data(addressRole).toUrl() == target) {
            m_contents->setCurrentRow(row);
            return showChosen();
        }
    }
    const bool isPage = target.path().endsWith(QStringLiteral(".md")) && QFile::exists(u':' + target.path());
    if (isPage)
        return showManual(target);
    m_note->setText(tr("%1 is in the sources of Latchkey and not part of this program.").arg(target.fileName()));
    m_note->show();
}

} // namespace latchkey::ui::help

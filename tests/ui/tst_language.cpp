#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/pages/playground/recipebox.h"

#include <QTest>
#include <QTranslator>

#include <algorithm>

namespace tst_language {

using namespace latchkey;
using test::MainWindowFixture;
using ui::widgets::Pill;

namespace {

/// A translation of the texts of core into capitals.
class Capitals final : public QTranslator
{
public:
    [[nodiscard]] bool isEmpty() const override { return false; }
    [[nodiscard]] QString translate(const char *context, const char *english, const char * /*disambiguation*/,
                                    int /*count*/) const override
    {
        return qstrcmp(context, base::Text::context) == 0 ? QString::fromUtf8(english).toUpper() : QString();
    }
};

} // namespace

/// Tests that the window translates the messages of core into its current language.
class TestLanguage final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void errorOnScreen_followsTheLanguage()
    {
        MainWindowFixture fixture;
        fixture.workspace.open(net::Endpoint::fromUrl(QStringLiteral("redis://127.0.0.1:1")).value());
        const auto &pill = fixture.widget<Pill>("connectionState");
        const auto isSaid = [&](const char *words) {
            const QString text = QString::fromLatin1(words);
            const auto labels = fixture.window.findChildren<QLabel *>(QStringLiteral("secondary"));
            return pill.accessibleDescription().startsWith(text)
                && std::ranges::any_of(labels, [&](const QLabel *label) { return label->text().startsWith(text); });
        };
        LATCHKEY_AWAIT(isSaid("Cannot connect to redis://127.0.0.1:1: Connection refused"));
        {
            Capitals capitals;
            QVERIFY(QCoreApplication::installTranslator(&capitals));
            LATCHKEY_AWAIT(isSaid("CANNOT CONNECT TO redis://127.0.0.1:1: Connection refused"));
        }
        LATCHKEY_AWAIT(isSaid("Cannot connect to redis://127.0.0.1:1: Connection refused"));
    }

    void recipes_followTheLanguage()
    {
        ui::theme::Appearance appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()));
        ui::playground::RecipeBox box(appearance);
        box.choose(QStringLiteral("basic"));
        const QString english = QStringLiteral("SET with NX: exactly one client wins, and DEL frees the lock.\n"
                                               "A holder that dies keeps the lock for ever.");
        QCOMPARE(box.toolTip(), english);
        {
            Capitals capitals;
            QVERIFY(QCoreApplication::installTranslator(&capitals));
            LATCHKEY_AWAIT(box.toolTip() == english.toUpper());
            QCOMPARE(box.currentText(), QStringLiteral("basic"));
            QCOMPARE(box.currentData(Qt::ToolTipRole).toString(), english.toUpper());
        }
        LATCHKEY_AWAIT(box.toolTip() == english);
    }
};

LATCHKEY_WINDOW_TEST(TestLanguage)

} // namespace tst_language

#include "tst_language.moc"

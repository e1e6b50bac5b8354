#include "core/foundation/language/catalogue.h"
#include "tests/support/testprogram.h"

#include <QCoreApplication>
#include <QTest>

namespace tst_environmentlanguage {

using namespace latchkey::language;

/// The language that the environment asks for, and the texts in it.
class TestEnvironmentLanguage final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup()
    {
        for (const char *variable : {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"})
            qunsetenv(variable);
    }

    void environment_isReadAsByGettext_data()
    {
        QTest::addColumn<QByteArrayList>("settings");
        QTest::addColumn<bool>("isChinese");
        QTest::addRow("nothing") << QByteArrayList {} << false;
        QTest::addRow("LANG") << QByteArrayList {"LANG=zh_CN.UTF-8"} << true;
        QTest::addRow("without a coding") << QByteArrayList {"LANG=zh_CN"} << true;
        QTest::addRow("Singapore") << QByteArrayList {"LANG=zh_SG.UTF-8"} << true;
        QTest::addRow("script") << QByteArrayList {"LANG=zh_Hans"} << true;
        QTest::addRow("other characters") << QByteArrayList {"LANG=zh_TW.UTF-8"} << false;
        QTest::addRow("other script") << QByteArrayList {"LANG=zh-Hant-CN"} << false;
        QTest::addRow("English") << QByteArrayList {"LANG=en_GB.UTF-8"} << false;
        QTest::addRow("one that there is not") << QByteArrayList {"LANG=de_DE.UTF-8"} << false;
        QTest::addRow("LC_MESSAGES before LANG") << QByteArrayList {"LANG=en_US", "LC_MESSAGES=zh_CN"} << true;
        QTest::addRow("LC_ALL before LC_MESSAGES") << QByteArrayList {"LC_ALL=en_US", "LC_MESSAGES=zh_CN"} << false;
        QTest::addRow("an empty one counts as none") << QByteArrayList {"LC_ALL=", "LANG=zh_CN"} << true;
        QTest::addRow("LANGUAGE first") << QByteArrayList {"LANG=en_US", "LANGUAGE=zh_CN:en"} << true;
        QTest::addRow("LANGUAGE in its order") << QByteArrayList {"LANG=zh_CN", "LANGUAGE=en:zh_CN"} << false;
        QTest::addRow("LANGUAGE, the first that there is")
            << QByteArrayList {"LANG=de_DE", "LANGUAGE=fr:zh_CN"} << true;
        QTest::addRow("C wants no other") << QByteArrayList {"LC_ALL=C.UTF-8", "LANGUAGE=zh_CN"} << false;
    }
    void environment_isReadAsByGettext()
    {
        QFETCH(QByteArrayList, settings);
        cleanup();
        for (const QByteArray &setting : settings) {
            const auto at = setting.indexOf('=');
            qputenv(setting.first(at).constData(), setting.sliced(at + 1));
        }
        QTEST(environmentLanguage() == Language::Chinese, "isChinese");
    }

    void chinese_isThere()
    {
        Catalogue chinese(Language::Chinese);
        const QString words = chinese.translate("core", "the server wants a password", nullptr, -1);
        QCOMPARE(words, QStringLiteral("\u670d\u52a1\u5668\u9700\u8981\u5bc6\u7801"));
        {
            const EnglishScope forPrograms;
            QCOMPARE(chinese.translate("core", "the server wants a password", nullptr, -1), QString());
        }
        QCOMPARE(chinese.translate("core", "the server wants a password", nullptr, -1), words);
        QVERIFY(Catalogue(Language::English).isEmpty());
    }
};

LATCHKEY_TEST(TestEnvironmentLanguage)

} // namespace tst_environmentlanguage

#include "tst_environmentlanguage.moc"

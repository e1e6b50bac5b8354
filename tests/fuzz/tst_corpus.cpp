#include "tests/fuzz/target.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QRandomGenerator>
#include <QTest>

namespace tst_corpus {

using namespace latchkey;

namespace {

const QString corpus = QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/fuzz/corpus");
constexpr qint64 maxBytes = 200 * 1024;

QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// Tests of every target with the saved inputs and with mutations of them. The mutations are equal in each run.
class TestCorpus final : public QObject
{
    Q_OBJECT

    static void run(const fuzz::Target &target, const QByteArray &input)
    {
        try {
            target.run(input);
        } catch (const fuzz::Broken &broken) {
            QFAIL(qPrintable(QStringLiteral("%1: not so: %2; the input in base64: %3")
                                 .arg(QLatin1String(target.name), QString::fromUtf8(broken.what()),
                                      QString::fromLatin1(input.left(4096).toBase64()))));
        }
    }

private Q_SLOTS:
    void everyTarget_hasACorpus_andNoOtherFolderHas()
    {
        QStringList names;
        for (const fuzz::Target &target : fuzz::targets())
            names += QString::fromLatin1(target.name);
        QCOMPARE(QDir(corpus).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name), names);
        qint64 bytes = 0;
        for (const QString &name : names) {
            const QFileInfoList files = QDir(corpus + u'/' + name).entryInfoList(QDir::Files);
            QVERIFY2(!files.isEmpty(), qPrintable(name));
            for (const QFileInfo &file : files)
                bytes += file.size();
        }
        QVERIFY2(bytes <= maxBytes, qPrintable(QString::number(bytes)));
    }

    void keptInputs_andMutationsOfThem_keepTheProperties_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("input");
        for (const fuzz::Target &target : fuzz::targets()) {
            const QDir folder(corpus + u'/' + QLatin1String(target.name));
            for (const QString &file : folder.entryList(QDir::Files, QDir::Name))
                QTest::addRow("%s/%s", target.name, qPrintable(file))
                    << QByteArray(target.name) << contentsOf(folder.filePath(file));
        }
    }
    void keptInputs_andMutationsOfThem_keepTheProperties()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, input);
        const fuzz::Target &target = *fuzz::targetNamed(name);
        run(target, input);
        const int half = target.mutations / 2;
        QRandomGenerator random(static_cast<quint32>(input.size()));
        for (int i = 0; i < half && i < input.size() && !QTest::currentTestFailed(); ++i)
            run(target, input.first(input.size() <= half ? i : random.bounded(input.size())));
        for (int i = 0; i < half && !input.isEmpty() && !QTest::currentTestFailed(); ++i) {
            QByteArray changed = input;
            char &byte = changed[random.bounded(changed.size())];
            byte = static_cast<char>(byte ^ random.bounded(1, 256));
            run(target, changed);
        }
    }
};

LATCHKEY_TEST(TestCorpus)

} // namespace tst_corpus

#include "tst_corpus.moc"

#include "tests/support/commandlinetest.h"

namespace latchkey::test {

Outcome CommandLineTest::run(const QStringList &arguments, const QByteArray &input) const
{
    return runProgram(QStringLiteral(LATCHKEY_CLI), arguments, input);
}

Outcome CommandLineTest::run(const char *words, const QByteArray &input) const
{
    return run(QString::fromUtf8(words).split(u' ', Qt::SkipEmptyParts), input);
}

Outcome CommandLineTest::runProgram(const QString &program, const QStringList &arguments, const QByteArray &input) const
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    process.write(input);
    process.closeWriteChannel();
    return outcomeOf(process);
}

void CommandLineTest::init()
{
    server = std::make_unique<TestServer>();
    environment = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"LATCHKEY_TOKEN", "LATCHKEY_KEY", "LATCHKEY_FENCING", "LATCHKEY_PASSWORD", "COLUMNS"})
        environment.remove(QString::fromLatin1(name));
    environment.insert(QStringLiteral("LATCHKEY_URL"), server->url());
}

void CommandLineTest::cleanup()
{
    server.reset();
}

} // namespace latchkey::test

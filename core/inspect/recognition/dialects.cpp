#include "core/inspect/recognition/dialects.h"

#include "core/foundation/files/inputfile.h"
#include "core/inspect/recognition/dialectfile.h"

#include <QFile>
#include <QSet>

#include <algorithm>

namespace latchkey::recognition {

namespace {

constexpr qint64 maxFileSize = 1024 * 1024;

QByteArray resource(const QString &name)
{
    QFile file(QStringLiteral(":/latchkey/dialects/") + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s is not among the program's resources", qPrintable(file.fileName()));
    return file.readAll();
}

/// Returns the digests of the scripts of all dialects, each once.
QByteArrayList scriptsOf(const std::vector<Dialect> &dialects)
{
    QByteArrayList scripts;
    QSet<QByteArray> known;
    for (const Dialect &dialect : dialects) {
        for (const QByteArray &script : dialect.scripts) {
            if (!known.contains(script))
                scripts += *known.insert(script);
        }
    }
    return scripts;
}

} // namespace

Dialects::Dialects(Data data)
{
    data.nameClassifier = NameClassifier(data.words, data.hints);
    data.scripts = scriptsOf(data.dialects);
    m_data = std::make_shared<const Data>(std::move(data));
}

Dialects::Data Dialects::readBuiltIn()
{
    Data data;
    data.words = readNameWords(QStringLiteral("names.json"), resource(QStringLiteral("names.json")));
    // Common patterns come last, because libraries take precedence.
    for (const char *group : {"python", "java", "node", "go", "dotnet", "php", "ruby", "other", "generic"}) {
        const QString name = QLatin1String(group) + QStringLiteral(".json");
        DialectFile file = readDialects(name, resource(name), data.hints);
        std::ranges::move(file.dialects, std::back_inserter(data.dialects));
        std::ranges::move(file.notLocks, std::back_inserter(data.notLocks));
    }
    return data;
}

const Dialects &Dialects::builtIn()
{
    static const Dialects dialects = [] {
        try {
            return Dialects(readBuiltIn());
        } catch (const base::Failure &failed) {
            qFatal("%s", qPrintable(failed.error().message())); // A test reads all of these files.
        }
    }();
    return dialects;
}

base::Result<Dialects> Dialects::with(const QString &name, const QByteArray &contents) const
{
    Data data = *m_data;
    try {
        DialectFile file = readDialects(name, contents, data.hints);
        std::erase_if(data.dialects, [&](const Dialect &known) {
            return std::ranges::any_of(file.dialects, [&](const Dialect &own) { return own.id == known.id; });
        });
        std::ranges::move(data.dialects, std::back_inserter(file.dialects));
        data.dialects = std::move(file.dialects);
        std::ranges::move(file.notLocks, std::back_inserter(data.notLocks));
    } catch (const base::Failure &failed) {
        return base::failure(failed.error());
    }
    return Dialects(std::move(data));
}

base::Result<Dialects> Dialects::withFile(const QString &path) const
{
    const auto contents = files::contentsOf(path, maxFileSize);
    if (!contents)
        return base::failure(contents.error().during(base::Text(path)));
    return with(path, *contents);
}

const Dialect *Dialects::find(const QString &id) const
{
    const auto found = std::ranges::find(m_data->dialects, id, &Dialect::id);
    return found == m_data->dialects.end() ? nullptr : &*found;
}

} // namespace latchkey::recognition

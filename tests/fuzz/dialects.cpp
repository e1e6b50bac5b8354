#include "core/inspect/recognition/dialectfile.h"
#include "core/inspect/recognition/recogniser.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// Checks that a refusal of a file names the file. Recognition works with every dialect of an accepted file.
void fuzzDialects(QByteArrayView bytes)
{
    const QString name = QStringLiteral("mine.json");
    const auto dialects = recognition::Dialects::builtIn().with(name, bytes.toByteArray());
    if (!dialects) {
        requireRefusal(dialects.error(), name);
        return;
    }
    for (const recognition::Dialect &dialect : dialects->all())
        require(dialects->find(dialect.id) != nullptr, "every dialect is found by its id");
    recognition::KeySample sample;
    sample.key = "lock:orders:1";
    sample.type = keys::KeyType::String;
    sample.value = keys::RawValue {keys::KeyType::String, 6, {"worker"}};
    sample.isExpiryKnown = true;
    const recognition::Recognition found = recognition::Recogniser(*dialects).recognise(sample);
    for (const recognition::Candidate &candidate : found.candidates)
        require(dialects->find(candidate.dialect) != nullptr, "a candidate is a known dialect");
}

} // namespace latchkey::fuzz
